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
  const stats = useQuery(statsQuery(memoryId));
  // A memory is made by the first turn kept in it: until then there is none.
  const isMissing = stats.error instanceof ProblemError && stats.error.status === 404;
  const turns = stats.data?.turns ?? 0;
  if (stats.isPending) {
    return (
      <Page {...w.pages.start}>
        <Loading />
      </Page>
    );
  }
  if (stats.error && !isMissing) {
    return (
      <Page {...w.pages.start}>
        <Failed error={stats.error} retry={stats.refetch} />
      </Page>
    );
  }
  const { queued = 0, running = 0 } = stats.data?.jobs ?? {};
  return (
    <Page {...w.pages.start}>
      {turns > 0 ? (
        <p className="mb-6 text-soft" data-testid="holds">
          {w.start.holds(turns, stats.data?.conversations ?? 0)}{' '}
          {queued + running > 1 && <span className="breathing">{w.start.learning(queued + running)}</span>}
        </p>
      ) : (
        <div className="mb-6">
          <h2 className="font-semibold">{w.start.empty}</h2>
          <p className="text-soft">{w.start.emptyAbout}</p>
        </div>
      )}
      {turns > 0 && <AskIt key={memoryId} memoryId={memoryId} suggestions={readSuggestions(memoryId)} />}
      <div className="grid gap-4 md:grid-cols-2">
        <ImportFile key={memoryId} memoryId={memoryId} />
        <Samples />
        <ConnectAgent memoryId={memoryId} />
        <ModelChoice />
      </div>
    </Page>
  );
}
