import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { api, queryClient, type Item } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { MoreButton } from '../../ui/moreButton.tsx';
import { Loaded } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Badge } from '../../ui/text.tsx';
import { useTell } from '../../ui/toast.tsx';
import { useFormat, useWords } from '../../words/words.tsx';

type Job = Item<'listJobs'>;

export function Jobs() {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const query = useInfiniteQuery({
    queryKey: [memoryId, 'jobs'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.listJobs(
        { memoryId, query: { limit: 50, ...(pageParam !== undefined && { cursor: pageParam }) } },
        { signal },
      ),
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const retry = useMutation({
    mutationFn: (job: Job | null) =>
      job === null
        ? api.retryJobs({ memoryId })
        : job.status === 'failed'
          ? api.retryJob({ memoryId, jobId: job.id })
          : api.runJob({ memoryId, jobId: job.id }),
    onSuccess: ({ count }) => tell.done(w.operate.retried(count)),
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const counts = pages[0]?.counts ?? { queued: 0, running: 0, failed: 0 };
        const items = pages.flatMap((page) => page.items);
        return (
          <>
            <div className="mb-4 flex flex-wrap items-center gap-3">
              <p className="min-w-0 flex-1 text-soft">
                {items.length === 0
                  ? w.operate.jobsNone
                  : w.operate.counts(counts.queued, counts.running, counts.failed)}
              </p>
              {counts.failed > 0 && (
                <Button icon={RefreshCw} disabled={retry.isPending} onClick={() => retry.mutate(null)}>
                  {w.operate.retryAll}
                </Button>
              )}
            </div>
            {items.length > 0 && (
              <JobTable items={items} isBusy={retry.isPending} onAgain={(job) => retry.mutate(job)} />
            )}
            <MoreButton query={query} />
          </>
        );
      }}
    </Loaded>
  );
}

interface JobTableProps {
  readonly items: readonly Job[];
  readonly isBusy: boolean;
  readonly onAgain: (job: Job) => void;
}

function JobTable({ items, isBusy, onAgain }: JobTableProps) {
  const w = useWords();
  const f = useFormat();
  return (
    <Table
      heads={[w.operate.job, w.operate.status, w.operate.attempts, w.operate.due, w.operate.problem]}
      rows={items.map((job) => ({
        key: job.id,
        cells: [
          <code key="kind">{job.kind}</code>,
          <Badge
            key="status"
            tone={job.status === 'failed' ? 'bad' : job.status === 'running' ? 'accent' : 'plain'}
          >
            {w.operate.statuses[job.status]}
          </Badge>,
          f.number(job.attempts),
          f.relative(job.runAfter),
          <span key="problem" className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 text-soft">{job.lastError}</span>
            {job.status !== 'running' && (
              <Button look="quiet" disabled={isBusy} onClick={() => onAgain(job)}>
                {job.status === 'failed' ? w.operate.retry : w.operate.runNow}
              </Button>
            )}
          </span>,
        ],
      }))}
    />
  );
}
