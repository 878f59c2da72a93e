import { useQuery } from '@tanstack/react-query';
import { ProblemError } from '../../api/api.ts';
import { statsQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Failed, Loading, Page } from '../../ui/page.tsx';
import { useWords } from '../../words/words.tsx';
import { AskIt } from './askIt.tsx';
import { ConnectAgent } from './connectAgent.tsx';
import { ImportFile } from './importFile.tsx';
import { ModelChoice } from './modelChoice.tsx';
import { readSuggestions, Samples } from './samples.tsx';

export default function StartPage() {
  const w = useWords();
  const memoryId = useMemoryId();
  return (
    <Page {...w.pages.start}>
      <Holdings />
      {/* Shown even when the statistics fail: an import may be running. */}
      <div className="grid gap-4 md:grid-cols-2">
        <ImportFile key={memoryId} memoryId={memoryId} />
        <Samples />
        <ConnectAgent memoryId={memoryId} />
        <ModelChoice />
      </div>
    </Page>
  );
}

/** The memory's counts and, if it is not empty, the test question. */
function Holdings() {
  const w = useWords();
  const memoryId = useMemoryId();
  const stats = useQuery(statsQuery(memoryId));
  // The first turn creates a memory: until then the server answers 404.
  const isMissing = stats.error instanceof ProblemError && stats.error.status === 404;
  if (stats.isPending) return <Loading lines={2} />;
  if (stats.error && !isMissing)
    return (
      <div className="mb-6">
        <Failed error={stats.error} retry={stats.refetch} />
      </div>
    );
  const { turns = 0, conversations = 0, jobs } = stats.data ?? {};
  if (turns === 0)
    return (
      <div className="mb-6">
        <h2 className="font-semibold">{w.start.empty}</h2>
        <p className="text-soft">{w.start.emptyAbout}</p>
      </div>
    );
  const waiting = (jobs?.queued ?? 0) + (jobs?.running ?? 0);
  return (
    <>
      <p className="mb-6 text-soft" data-testid="holds">
        {w.start.holds(turns, conversations)}{' '}
        {waiting > 1 && <span className="breathing">{w.start.learning(waiting)}</span>}
      </p>
      <AskIt key={memoryId} memoryId={memoryId} suggestions={readSuggestions(memoryId)} />
    </>
  );
}
