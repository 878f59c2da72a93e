import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Clock } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { listQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Select } from '../../ui/field.tsx';
import { MoreButton } from '../../ui/moreButton.tsx';
import { Empty, Failed, Loading, Page, Section } from '../../ui/page.tsx';
import { UnitSheet } from '../../unit/unitSheet.tsx';
import { useWords } from '../../words/words.tsx';
import { LoopRow, type Loop } from './loopRow.tsx';
import { Reminders } from './reminders.tsx';

type Status = Loop['payload']['status'];

const route = getRouteApi('/m/$memoryId/loops');
const DAY_MS = 86_400_000;
const GROUPS = ['due', 'later', 'undated'] as const;

function groupOf({ payload: { dueAt } }: Loop, now: number): (typeof GROUPS)[number] {
  if (dueAt === null) return 'undated';
  return dueAt <= now + DAY_MS ? 'due' : 'later';
}

export default function LoopsPage() {
  const w = useWords();
  const memoryId = useMemoryId();
  const { show } = route.useSearch();
  const navigate = useNavigate({ from: '/m/$memoryId/loops' });
  const [unitId, setUnitId] = useState<number | null>(null);
  const [now] = useState(() => Date.now());
  const status: Status = show === 'done' || show === 'dropped' ? show : 'open';
  const query = useInfiniteQuery(
    listQuery([memoryId, 'loops', status], (cursor, signal) =>
      api.listLoops(
        { memoryId, query: { status, limit: 100, ...(cursor !== undefined && { cursor }) } },
        { signal },
      ),
    ),
  );
  const loops = query.data?.pages.flatMap((page) => page.items) ?? [];
  const shown = loops.filter(({ payload }) => payload.status === status);
  return (
    <Page
      {...w.pages.loops}
      actions={
        <Select<Status>
          label={w.loops.show}
          value={status}
          options={[
            ['open', w.loops.statuses.open],
            ['done', w.loops.statuses.done],
            ['dropped', w.loops.statuses.dropped],
          ]}
          onChoose={(next) => void navigate({ to: '.', search: { show: next }, replace: true })}
        />
      }
    >
      <Reminders />
      {query.isPending && <Loading />}
      {query.error && <Failed error={query.error} retry={query.refetch} />}
      {query.data && shown.length === 0 && (
        <Empty icon={Clock} title={w.loops.empty}>
          {w.loops.emptyAbout}
        </Empty>
      )}
      {GROUPS.map((group) => {
        const ofGroup = shown.filter((loop) => groupOf(loop, now) === group);
        return ofGroup.length === 0 ? null : (
          <Section key={group} title={w.loops.groups[group]}>
            <ul>
              {ofGroup.map((loop) => (
                <LoopRow key={loop.id} loop={loop} onOpen={() => setUnitId(loop.id)} />
              ))}
            </ul>
          </Section>
        );
      })}
      <MoreButton query={query} />
      <UnitSheet unitId={unitId} onClose={() => setUnitId(null)} />
    </Page>
  );
}
