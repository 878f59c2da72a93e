import { useQuery } from '@tanstack/react-query';
import { useMemoryId } from '../../app/memory.ts';
import { Loaded, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { useFormat, useWords } from '../../words/words.tsx';
import { usageQuery } from './usageQuery.ts';

const TOTAL = 'total';

export function Speed() {
  const w = useWords();
  const f = useFormat();
  const memoryId = useMemoryId();
  const query = useQuery(usageQuery(memoryId));
  const names: Readonly<Record<string, string>> = { ...w.trace.stages, [TOTAL]: w.trace.total };
  return (
    <Loaded query={query}>
      {({ recalls, stages, days }) =>
        recalls === 0 ? (
          <p className="text-soft">{w.operate.recallsNone}</p>
        ) : (
          <div className="grid gap-x-10 lg:grid-cols-2">
            <Section title={w.trace.speed}>
              <Table
                heads={[w.operate.stage, w.operate.median, w.operate.slow]}
                figuresFrom={1}
                rows={stages.map(({ stage, p50, p95 }) => ({
                  key: stage,
                  cells: [names[stage] ?? stage, f.ms(p50), f.ms(p95)],
                }))}
              />
            </Section>
            <Section title={w.operate.speedTime}>
              <Table
                heads={[w.operate.day, w.operate.median, w.operate.slow]}
                figuresFrom={1}
                rows={days.toReversed().map(({ date, p50, p95 }) => ({
                  key: date,
                  cells: [f.day(Date.parse(date)), f.ms(p50), f.ms(p95)],
                }))}
              />
            </Section>
          </div>
        )
      }
    </Loaded>
  );
}
