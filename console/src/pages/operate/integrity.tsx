import { useMutation, useQuery } from '@tanstack/react-query';
import { CopyPlus, Download, HardDriveDownload, ShieldCheck, Signature } from 'lucide-react';
import type { ReactNode } from 'react';
import { api, queryClient, type Answer } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Card, Failed, Loaded } from '../../ui/page.tsx';
import { saveLines } from '../../ui/saveFile.ts';
import { useTell } from '../../ui/toast.tsx';
import { useFormat, useWords } from '../../words/words.tsx';

export function Integrity() {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const verify = useMutation({ mutationFn: () => api.verifyMemory({ memoryId }) });
  const sign = useMutation({
    mutationFn: () => api.createCheckpoint({ memoryId }),
    onSuccess: ({ checkpoint }) =>
      tell.done(checkpoint === null ? w.operate.checkpointNone : w.operate.checkpointMade),
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  const backUp = useMutation({
    mutationFn: () => api.backUpMemory({ memoryId }),
    onSuccess: ({ path }) => tell.done(w.operate.backedUp(path)),
    onError: tell.failed,
  });
  const take = useMutation({
    mutationFn: () => saveLines(api.exportMemory({ memoryId }), `${memoryId}.jsonl`),
    onError: tell.failed,
  });
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <Part title={w.operate.verify} about={w.operate.verifyAbout}>
        <Button look="primary" icon={ShieldCheck} disabled={verify.isPending} onClick={() => verify.mutate()}>
          {w.operate.verify}
        </Button>
        <div aria-live="polite">
          {verify.isPending && <p className="breathing text-sm text-soft">{w.common.loading}</p>}
          {verify.error && <Failed error={verify.error} />}
          {verify.data && <Verified answer={verify.data} />}
        </div>
      </Part>
      <Part title={w.operate.checkpoints} about={w.operate.checkpointsAbout}>
        <LastCheckpoint />
        <Button icon={Signature} disabled={sign.isPending} onClick={() => sign.mutate()}>
          {w.operate.checkpoint}
        </Button>
      </Part>
      <Part title={w.operate.backup} about={w.operate.backupAbout}>
        <Button icon={HardDriveDownload} disabled={backUp.isPending} onClick={() => backUp.mutate()}>
          {w.operate.backup}
        </Button>
      </Part>
      <Archive />
      <Part title={w.operate.archive} about={w.operate.archiveAbout}>
        <Button icon={Download} disabled={take.isPending} onClick={() => take.mutate()}>
          {w.operate.download}
        </Button>
      </Part>
    </div>
  );
}

function LastCheckpoint() {
  const w = useWords();
  const f = useFormat();
  const memoryId = useMemoryId();
  const query = useQuery({
    queryKey: [memoryId, 'checkpoints'],
    queryFn: ({ signal }) => api.listCheckpoints({ memoryId }, { signal }),
  });
  return (
    <Loaded query={query} lines={1}>
      {({ items: [last], total }) => (
        <p className="text-sm">
          {last ? w.operate.checkpointLast(f.dateTime(last.at), total) : w.operate.checkpointsNone}
        </p>
      )}
    </Loaded>
  );
}

/** The archive, a second immutable copy: its progress, or how to set one up. */
function Archive() {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useQuery({
    queryKey: [memoryId, 'archive'],
    queryFn: ({ signal }) => api.readArchive({ memoryId }, { signal }),
  });
  return (
    <Part title={w.operate.copies} about={w.operate.copiesAbout}>
      <Loaded query={query} lines={2}>
        {(state) =>
          state.place === null ? <NoArchive isPossible={state.isPossible} /> : <Archived state={state} />
        }
      </Loaded>
    </Part>
  );
}

function NoArchive({ isPossible }: { readonly isPossible: boolean }) {
  const w = useWords();
  if (!isPossible) return <p className="text-sm text-soft">{w.operate.copiesImpossible}</p>;
  return (
    <div className="flex flex-col gap-2 self-stretch text-sm">
      <p className="font-medium">{w.operate.copiesNone}</p>
      <p className="text-soft">{w.operate.copiesSetUp}</p>
      <Copyable text="omoide serve --archive /mnt/archive" />
    </div>
  );
}

function Archived({ state }: { readonly state: Answer<'readArchive'> }) {
  const w = useWords();
  const f = useFormat();
  const memoryId = useMemoryId();
  const tell = useTell();
  const write = useMutation({
    mutationFn: () => api.archiveMemory({ memoryId }),
    onSuccess: ({ turns }) => tell.done(w.operate.copied(turns)),
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId, 'archive'] }),
  });
  const verify = useMutation({ mutationFn: () => api.verifyArchive({ memoryId }) });
  const { place, archived, pending, archivedTo } = state;
  return (
    <>
      <div className="text-sm">
        <p className="break-all text-faint">{place}</p>
        <p>{w.operate.copiesState(archived, archivedTo === null ? null : f.dateTime(archivedTo))}</p>
        <p className={pending > 0 ? 'text-warn' : 'text-good'}>{w.operate.copiesPending(pending)}</p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button icon={ShieldCheck} disabled={verify.isPending} onClick={() => verify.mutate()}>
          {w.operate.copiesVerify}
        </Button>
        {pending > 0 && (
          <Button icon={CopyPlus} disabled={write.isPending} onClick={() => write.mutate()}>
            {w.operate.copiesWrite}
          </Button>
        )}
      </div>
      <div aria-live="polite" className="text-sm">
        {verify.isPending && <p className="breathing text-soft">{w.common.loading}</p>}
        {verify.error && <Failed error={verify.error} />}
        {verify.data && <ArchiveVerdict check={verify.data} />}
      </div>
    </>
  );
}

function ArchiveVerdict({ check }: { readonly check: Answer<'verifyArchive'> }) {
  const w = useWords();
  const { archived, unlocked, problems } = check;
  if (problems.length > 0)
    return (
      <>
        <p className="text-bad">{w.operate.broken(problems.length)}</p>
        <ul className="mt-1 flex list-disc flex-col gap-1 pl-5">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </>
    );
  return (
    <>
      <p className="text-good">{w.operate.copiesVerified(archived)}</p>
      {unlocked !== null && unlocked > 0 && <p className="text-warn">{w.operate.copiesUnlocked(unlocked)}</p>}
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly about: string;
  readonly children: ReactNode;
}

function Part({ title, about, children }: PartProps) {
  return (
    <Card className="flex flex-col items-start gap-3 p-5">
      <h2 className="font-semibold">{title}</h2>
      <p className="text-[0.93rem] text-soft">{about}</p>
      {children}
    </Card>
  );
}

function Verified({ answer }: { readonly answer: Answer<'verifyMemory'> }) {
  const w = useWords();
  const f = useFormat();
  if (answer.problems.length === 0)
    return (
      <div className="text-sm">
        <p className="text-good">{w.operate.verified(answer.turns)}</p>
        <p className="mt-1 text-faint">
          {w.operate.checkpoints}: {f.number(answer.checkpoints)}
        </p>
        <p className="mt-1 break-all text-faint">
          <code>{answer.chainHead}</code>
        </p>
      </div>
    );
  return (
    <div className="text-sm">
      <p className="text-bad">{w.operate.broken(answer.problems.length)}</p>
      <ul className="mt-1 flex flex-col gap-1">
        {answer.problems.map(({ code, message }) => (
          <li key={message}>
            <code>{code}</code> {message}
          </li>
        ))}
      </ul>
    </div>
  );
}
