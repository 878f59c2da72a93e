/** A file: first previewed, then imported on request. */
import { useMutation } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useRef, useState, type DragEvent } from 'react';
import { api, queryClient, type Answer } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Failed } from '../../ui/page.tsx';
import { Badge, Remembered } from '../../ui/text.tsx';
import { useFormat, useWords } from '../../words/words.tsx';
import { StartCard } from './startCard.tsx';

type FileEvent = Answer<'importFile'> extends AsyncIterable<infer Event> ? Event : never;
type Found = Extract<FileEvent, { event: 'found' }>['data'];
type Done = Extract<FileEvent, { event: 'done' }>['data'];
type Problem = Found['problems'][number];

const SHOWN_PROBLEMS = 5;

/** Returns the last event; the others go to `onProgress`. */
async function send(
  memoryId: string,
  file: File,
  dryRun: boolean,
  onProgress: (read: number) => void,
): Promise<FileEvent | null> {
  let last: FileEvent | null = null;
  for await (const event of api.importFile({ memoryId, query: { name: file.name, dryRun }, body: file })) {
    if (event.event === 'progress') onProgress(event.data.read);
    last = event;
  }
  return last;
}

export function ImportFile({ memoryId }: { readonly memoryId: string }) {
  const w = useWords();
  const [file, setFile] = useState<File | null>(null);
  const [read, setRead] = useState(0);
  const look = useMutation({
    mutationFn: async (given: File) => {
      const last = await send(memoryId, given, true, setRead);
      return last?.event === 'found' ? last.data : null;
    },
  });
  const keep = useMutation({
    mutationFn: async (given: File) => {
      const last = await send(memoryId, given, false, setRead);
      return last?.event === 'done' ? last.data : null;
    },
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: [memoryId] }),
        queryClient.invalidateQueries({ queryKey: ['server', 'memories'] }),
      ]),
  });
  const take = (given: File | undefined) => {
    if (!given || keep.isPending) return;
    keep.reset();
    setRead(0);
    setFile(given);
    look.mutate(given);
  };
  const error = look.error ?? keep.error;
  return (
    <StartCard icon={FileUp} title={w.start.import} about={w.start.importAbout}>
      {(file === null || keep.isSuccess || error !== null) && (
        <DropPlace onFile={take} label={keep.isSuccess ? w.start.another : w.start.choose} />
      )}
      <div aria-live="polite" className="flex flex-col gap-3">
        {look.isPending && <p className="breathing text-sm text-soft">{w.start.looking}</p>}
        {error !== null && <Failed error={error} />}
        {look.data && !keep.isSuccess && file !== null && (
          <FoundInFile found={look.data} name={file.name}>
            {keep.isPending ? (
              <Progress done={read} all={look.data.turns} />
            ) : (
              <div className="flex gap-2">
                <Button
                  look="primary"
                  disabled={look.data.turns === 0}
                  onClick={() => {
                    setRead(0);
                    keep.mutate(file);
                  }}
                >
                  {w.start.keep(look.data.turns)}
                </Button>
                <Button
                  look="quiet"
                  onClick={() => {
                    setFile(null);
                    look.reset();
                  }}
                >
                  {w.common.cancel}
                </Button>
              </div>
            )}
          </FoundInFile>
        )}
        {keep.data && <Kept done={keep.data} />}
      </div>
    </StartCard>
  );
}

interface DropPlaceProps {
  readonly label: string;
  readonly onFile: (file: File | undefined) => void;
}

function DropPlace({ label, onFile }: DropPlaceProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const over = (event: DragEvent, next: boolean) => {
    event.preventDefault();
    setIsOver(next);
  };
  return (
    <div
      onDragOver={(event) => over(event, true)}
      onDragLeave={(event) => over(event, false)}
      onDrop={(event) => {
        over(event, false);
        onFile(event.dataTransfer.files[0]);
      }}
      className={`flex justify-center rounded-xl border border-dashed px-4 py-7 ${isOver ? 'border-accent bg-tint' : 'border-line-strong/60'}`}
    >
      <Button onClick={() => input.current?.click()}>{label}</Button>
      <input
        ref={input}
        type="file"
        aria-label={label}
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          onFile(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
    </div>
  );
}

interface FoundInFileProps {
  readonly found: Found;
  readonly name: string;
  readonly children: React.ReactNode;
}

function FoundInFile({ found, name, children }: FoundInFileProps) {
  const w = useWords();
  return (
    <div className="flex flex-col gap-3 rounded-xl bg-sunken/70 p-4" data-testid="file-found">
      <div>
        <p className="text-sm text-faint">{name}</p>
        <p className="font-medium">{w.start.foundTitle(found.turns, found.conversations)}</p>
        <p className="text-sm text-soft">{w.start.foundFormat(found.format)}</p>
      </div>
      <ul className="flex flex-col gap-1.5">
        {found.samples.slice(0, 3).map((sample) => (
          <li key={sample.text} className="flex gap-2 text-sm">
            <span className="shrink-0 text-faint">{sample.speaker}</span>
            <Remembered text={sample.text} lines={2} className="text-sm" />
          </li>
        ))}
      </ul>
      <Problems problems={found.problems} count={found.problemCount} />
      {children}
    </div>
  );
}

function Problems({ problems, count }: { readonly problems: readonly Problem[]; readonly count: number }) {
  const w = useWords();
  if (count === 0) return null;
  return (
    <div className="text-sm">
      <p className="text-warn">{w.start.unreadable(count)}</p>
      <ul className="mt-1 flex flex-col gap-1 text-soft">
        {problems.slice(0, SHOWN_PROBLEMS).map((problem) => (
          <li key={problem.place}>
            <Badge tone="warn">{problem.line === null ? problem.place : w.start.line(problem.line)}</Badge>{' '}
            {problem.reason}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Progress({ done, all }: { readonly done: number; readonly all: number }) {
  const w = useWords();
  const f = useFormat();
  return (
    <div>
      <progress
        aria-label={w.start.import}
        value={Math.min(done, all)}
        max={Math.max(1, all)}
        className="h-1.5 w-full overflow-hidden rounded-full accent-accent"
      />
      <p className="text-sm text-soft">
        {w.start.keeping(Math.min(done, all), all)} · {f.percent(all === 0 ? 1 : Math.min(1, done / all))}
      </p>
    </div>
  );
}

function Kept({ done }: { readonly done: Done }) {
  const w = useWords();
  return (
    <div className="flex flex-col gap-2" data-testid="kept">
      <p className="font-serif text-lg font-semibold text-accent">{w.start.kept(done.added, done.known)}</p>
      <Problems problems={done.problems} count={done.problemCount} />
    </div>
  );
}
