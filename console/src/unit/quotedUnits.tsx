/** Units as quotes with time and source; each opens its details. */
import type { UseInfiniteQueryResult, InfiniteData } from '@tanstack/react-query';
import { useState } from 'react';
import type { Unit } from '../api/queries.ts';
import { SourceLink } from '../ui/found.tsx';
import { MoreButton } from '../ui/moreButton.tsx';
import { Loaded } from '../ui/page.tsx';
import { Badge, Remembered, When } from '../ui/text.tsx';
import { useWords } from '../words/words.tsx';
import { UnitSheet } from './unitSheet.tsx';
import { unitText } from './unitText.ts';

interface QuotedUnitsProps {
  readonly query: UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly Unit[] }>>;
  readonly when?: 'day' | 'time';
}

export function QuotedUnits({ query, when = 'day' }: QuotedUnitsProps) {
  const [unitId, setUnitId] = useState<number | null>(null);
  return (
    <>
      <Loaded query={query} lines={6}>
        {({ pages }) => (
          <ul className="flex flex-col gap-4">
            {pages
              .flatMap(({ items }) => items)
              .map((unit) => (
                <li key={unit.id} className="border-l-2 border-line pl-3">
                  <QuotedUnit unit={unit} when={when} onOpen={() => setUnitId(unit.id)} />
                </li>
              ))}
          </ul>
        )}
      </Loaded>
      <MoreButton query={query} />
      <UnitSheet unitId={unitId} onClose={() => setUnitId(null)} />
    </>
  );
}

interface QuotedUnitProps {
  readonly unit: Unit;
  readonly when: 'day' | 'time';
  readonly onOpen: () => void;
}

function QuotedUnit({ unit, when, onOpen }: QuotedUnitProps) {
  const w = useWords();
  return (
    <>
      <button type="button" onClick={onOpen} className="block w-full text-left hover:text-accent">
        <Remembered text={unitText(unit)} lines={3} />
      </button>
      <p className="mt-0.5 flex flex-wrap items-center gap-3 text-sm text-faint">
        {unit.kind === 'episode' ? <span>{unit.payload.speaker}</span> : <Badge>{w.kinds[unit.kind]}</Badge>}
        <When at={unit.occurredAt} with={when} />
        {unit.kind === 'episode' && <SourceLink {...unit.payload} />}
      </p>
    </>
  );
}
