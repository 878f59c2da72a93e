import type { Unit } from '../../api/queries.ts';
import { Remembered, When } from '../../ui/text.tsx';
import { UnitBadges } from '../../unit/unitSheet.tsx';
import { unitText } from '../../unit/unitText.ts';
import { useWords } from '../../words/words.tsx';

interface UnitRowProps {
  readonly unit: Unit;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
  readonly onOpen: () => void;
}

export function UnitRow({ unit, isChosen, onToggle, onOpen }: UnitRowProps) {
  const w = useWords();
  const text = unitText(unit);
  return (
    <div className="flex gap-3 border-b border-line py-3">
      <input
        type="checkbox"
        checked={isChosen}
        onChange={onToggle}
        aria-label={w.memories.choose(text.slice(0, 40))}
        className="mt-2 size-4 shrink-0 accent-accent"
      />
      <button type="button" onClick={onOpen} className="min-w-0 flex-1 text-left hover:text-accent">
        <Remembered text={text} lines={2} />
        <span className="mt-0.5 flex flex-wrap items-center gap-2 text-sm text-faint">
          <UnitBadges unit={unit} />
          {unit.kind === 'episode' && <span>{unit.payload.speaker}</span>}
          <When at={unit.occurredAt} />
        </span>
      </button>
    </div>
  );
}
