/** Evidence in the other direction: facts learnt from a turn, its entities and topics. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../api/api.ts';
import { useMemoryId } from '../app/memory.ts';
import { Loaded } from '../ui/page.tsx';
import { Badge, Remembered } from '../ui/text.tsx';
import { languageOf } from '../words/language.ts';
import { useWords } from '../words/words.tsx';
import { unitText } from './unitText.ts';

const CHIP = 'rounded-full border border-line px-3 py-0.5 text-sm hover:border-accent hover:text-accent';

export function DerivedFrom({ unitId }: { readonly unitId: number }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useQuery({
    queryKey: [memoryId, 'derived', unitId],
    queryFn: ({ signal }) => api.listDerived({ memoryId, unitId }, { signal }),
  });
  return (
    <section>
      <h3 className="mb-2 font-semibold">{w.unit.derived}</h3>
      <Loaded query={query} lines={2}>
        {({ units, entities, topics }) => (
          <div className="flex flex-col gap-3">
            {units.length + entities.length + topics.length === 0 && (
              <p className="text-sm text-soft">{w.unit.derivedNone}</p>
            )}
            <ul className="flex flex-col gap-2">
              {units.map((unit) => (
                <li key={unit.id} className="flex items-baseline gap-2 border-l-2 border-line pl-3">
                  <Badge>{w.kinds[unit.kind]}</Badge>
                  <Remembered text={unitText(unit)} lines={3} className="min-w-0 flex-1 text-base" />
                </li>
              ))}
            </ul>
            <div className="flex flex-wrap gap-2">
              {entities.map(({ id, name }) => (
                <Link
                  key={`entity ${id}`}
                  to="/m/$memoryId/people"
                  params={{ memoryId }}
                  search={{ id: String(id) }}
                  lang={languageOf(name)}
                  className={CHIP}
                >
                  {name}
                </Link>
              ))}
              {topics.map(({ id, title }) => (
                <Link
                  key={`topic ${id}`}
                  to="/m/$memoryId/topics"
                  params={{ memoryId }}
                  search={{ topic: String(id) }}
                  lang={languageOf(title)}
                  className={CHIP}
                >
                  {title}
                </Link>
              ))}
            </div>
          </div>
        )}
      </Loaded>
    </section>
  );
}
