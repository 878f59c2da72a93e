import { Link } from '@tanstack/react-router';
import { useMemoryId } from '../app/memory.ts';
import { Badge, Remembered } from '../ui/text.tsx';
import { useFormat, useWords } from '../words/words.tsx';
import { hasAny, type Erased } from './erased.ts';

type Kind = Erased['samples'][number]['kind'];

/** What would be deleted: counts by kind, samples, and what stays. */
export function WhatGoes({ erased }: { readonly erased: Erased }) {
  const w = useWords();
  const f = useFormat();
  const { counts, changed, topicsRenamed, samples, notes } = erased;
  if (!hasAny(erased)) return <p className="text-soft">{w.forgetting.nothing}</p>;
  const kinds = Object.entries(counts).filter(([, count]) => count > 0) as [Kind, number][];
  return (
    <div className="flex flex-col gap-5">
      <section>
        <h3 className="mb-1 font-semibold">{w.forgetting.goes}</h3>
        <ul className="flex flex-wrap gap-x-5 gap-y-1">
          {kinds.map(([kind, count]) => (
            <li key={kind}>
              {w.kinds[kind]}: <span className="tabular-nums">{f.number(count)}</span>
            </li>
          ))}
        </ul>
        {changed > 0 && <p className="mt-1 text-sm text-soft">{w.forgetting.changed(changed)}</p>}
        {topicsRenamed > 0 && <p className="mt-1 text-sm text-soft">{w.forgetting.topics(topicsRenamed)}</p>}
      </section>
      <section>
        <h3 className="mb-2 font-semibold">{w.forgetting.samples}</h3>
        <ul className="flex flex-col gap-2">
          {samples.map(({ unitId, kind, text }) => (
            <li key={unitId} className="border-l-2 border-line pl-3">
              {kind !== 'episode' && <Badge>{w.kinds[kind]}</Badge>}
              <Remembered text={text} lines={2} className="text-[0.95rem]" />
            </li>
          ))}
        </ul>
      </section>
      {notes.length > 0 && <NotesThatStay notes={notes} />}
    </div>
  );
}

function NotesThatStay({ notes }: Pick<Erased, 'notes'>) {
  const w = useWords();
  const memoryId = useMemoryId();
  return (
    <section>
      <h3 className="mb-1 font-semibold">{w.forgetting.notes}</h3>
      <p className="mb-2 text-sm text-soft">{w.forgetting.notesAbout}</p>
      <ul className="flex flex-col gap-1 text-sm">
        {notes.map(({ unitId, uri, section }) => (
          <li key={unitId}>
            <Link
              to="/m/$memoryId/notes"
              params={{ memoryId }}
              search={{ file: uri }}
              className="text-accent hover:underline"
            >
              {uri}
            </Link>{' '}
            <span className="text-faint">
              {section} #{unitId}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
