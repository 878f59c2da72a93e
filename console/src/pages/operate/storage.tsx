import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { healthQuery, memoriesQuery, statsQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { ForgetSome } from '../../forget/forgetSome.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/text.tsx';
import { useFormat, useWords } from '../../words/words.tsx';

export function Storage() {
  const w = useWords();
  const f = useFormat();
  const memoryId = useMemoryId();
  const stats = useQuery(statsQuery(memoryId));
  const memories = useQuery(memoriesQuery);
  const { data: health } = useQuery(healthQuery);
  return (
    <div className="grid gap-x-10 lg:grid-cols-2">
      <Section title={memoryId}>
        <Loaded query={stats}>
          {(info) => (
            <Pairs
              pairs={[
                [w.operate.size, f.bytes(info.sizeBytes)],
                [
                  w.operate.holds,
                  <ul key="kinds">
                    {Object.entries(info.units).map(([kind, count]) => (
                      <li key={kind}>
                        {w.kinds[kind as keyof typeof w.kinds]}: {f.number(count)}
                      </li>
                    ))}
                    <li>
                      {w.pages.topics.title}: {f.number(info.topics)}
                    </li>
                  </ul>,
                ],
                [
                  w.operate.span,
                  info.firstTurnAt !== null && info.lastTurnAt !== null ? (
                    <span key="span">
                      <When at={info.firstTurnAt} /> – <When at={info.lastTurnAt} />
                    </span>
                  ) : (
                    '–'
                  ),
                ],
                [w.operate.embedder, info.embedder ?? w.common.none],
                [
                  w.operate.vectors,
                  info.vectorModel === null
                    ? '–'
                    : `${f.number(info.vectorModel.count)} × ${info.vectorModel.dimensions}`,
                ],
                [w.model.title, info.model ?? w.common.none],
                [w.operate.zone, info.timeZone],
                [w.operate.version, health?.version ?? '–'],
              ]}
            />
          )}
        </Loaded>
      </Section>
      <div>
        <Section title={w.shell.memory}>
          <Loaded query={memories}>
            {({ items }) => (
              <Table
                heads={[w.shell.memory, w.operate.size]}
                figuresFrom={1}
                rows={items.map((one) => ({
                  key: one.memoryId,
                  cells: [one.memoryId, one.sizeBytes === null ? '–' : f.bytes(one.sizeBytes)],
                }))}
              />
            )}
          </Loaded>
        </Section>
        <ForgetSome />
      </div>
    </div>
  );
}

function Pairs({ pairs }: { readonly pairs: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 text-sm">
      {pairs.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
