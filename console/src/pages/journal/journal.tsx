import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { History, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { api, queryClient, type Answer, type Item } from '../../api/api.ts';
import { listQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { MoreButton } from '../../ui/moreButton.tsx';
import { Card, Empty, Failed, Loading, Page } from '../../ui/page.tsx';
import { Badge, Remembered } from '../../ui/text.tsx';
import { useTell } from '../../ui/toast.tsx';
import { useFormat, useWords } from '../../words/words.tsx';
import { PlanDiff } from './planDiff.tsx';

type Entry = Item<'listJournal'>;

export default function JournalPage() {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const plan = useMutation({
    mutationFn: () => api.planReorganization({ memoryId }),
    onError: tell.failed,
  });
  const query = useInfiniteQuery(
    listQuery([memoryId, 'journal'], (cursor, signal) =>
      api.listJournal({ memoryId, query: { ...(cursor !== undefined && { cursor }) } }, { signal }),
    ),
  );
  const entries = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Page
      {...w.pages.journal}
      actions={
        <Button look="primary" disabled={plan.isPending} onClick={() => plan.mutate()}>
          {w.journal.plan}
        </Button>
      }
    >
      {plan.data && <PlanDialog planned={plan.data} onClose={() => plan.reset()} />}
      {query.isPending && <Loading />}
      {query.error && <Failed error={query.error} retry={query.refetch} />}
      {query.data && entries.length === 0 && (
        <Empty icon={History} title={w.journal.empty}>
          {w.journal.emptyAbout}
        </Empty>
      )}
      <ol className="flex flex-col gap-3">
        {entries.map((entry) => (
          <li key={entry.id}>
            <EntryCard entry={entry} />
          </li>
        ))}
      </ol>
      <MoreButton query={query} />
    </Page>
  );
}

interface PlanDialogProps {
  readonly planned: Answer<'planReorganization'>;
  readonly onClose: () => void;
}

/** A preview of the planned changes. */
function PlanDialog({ planned, onClose }: PlanDialogProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const carryOut = useMutation({
    mutationFn: () => api.reorganize({ memoryId, body: { plan: planned.plan } }),
    onSuccess: () => {
      tell.done(w.journal.done);
      onClose();
    },
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  return (
    <Dialog isOpen onClose={onClose} title={w.journal.planTitle} about={w.journal.planAbout}>
      <ul className="flex flex-col gap-2">
        {planned.lines.map((line) => (
          <li key={line} className="border-l-2 border-line pl-3">
            <Remembered text={line} className="text-base" />
          </li>
        ))}
        {planned.lines.length === 0 && <li className="text-soft">{w.journal.nothingToDo}</li>}
      </ul>
      <div className="mt-5 flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          {w.common.cancel}
        </Button>
        <Button
          look="primary"
          disabled={carryOut.isPending || planned.lines.length === 0}
          onClick={() => carryOut.mutate()}
        >
          {w.journal.carryOut}
        </Button>
      </div>
    </Dialog>
  );
}

function EntryCard({ entry }: { readonly entry: Entry }) {
  const w = useWords();
  const f = useFormat();
  const memoryId = useMemoryId();
  const tell = useTell();
  const [isAsking, setIsAsking] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const undo = useMutation({
    mutationFn: () => api.rollback({ memoryId, entryId: entry.id }),
    onSuccess: () => {
      tell.done(w.journal.undone);
      setIsAsking(false);
    },
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  const what = w.journal.touched(entry.topicsAdded, entry.topicsChanged, entry.unitsChanged);
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <p className="font-medium">{f.dateTime(entry.at)}</p>
          <p className="text-sm text-soft">
            {entry.key === null ? w.journal.byHand : w.journal.byNight} · {what}
          </p>
        </div>
        {entry.state === 'applied' ? (
          <Button icon={Undo2} onClick={() => setIsAsking(true)}>
            {w.common.undo}
          </Button>
        ) : (
          <Badge>{w.journal.wasUndone}</Badge>
        )}
      </div>
      <details className="mt-3" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary className="cursor-pointer text-sm text-accent">{w.diff.details}</summary>
        <div className="mt-3">{isOpen && <PlanDiff plan={entry.plan} />}</div>
      </details>
      <Dialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={w.journal.undoTitle}
        about={w.journal.undoAbout}
      >
        <p className="mb-3">
          {w.diff.undoPreview} {what}
        </p>
        <PlanDiff plan={entry.plan} />
        <div className="mt-5 flex justify-end gap-2">
          <Button look="quiet" onClick={() => setIsAsking(false)}>
            {w.common.cancel}
          </Button>
          <Button look="primary" disabled={undo.isPending} onClick={() => undo.mutate()}>
            {w.common.undo}
          </Button>
        </div>
      </Dialog>
    </Card>
  );
}
