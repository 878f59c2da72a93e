/** The topics, turns and notes of a month or a day. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { NotebookPen } from 'lucide-react';
import { api, ProblemError } from '../../api/api.ts';
import { unitsQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { Remembered } from '../../ui/text.tsx';
import { QuotedUnits } from '../../unit/quotedUnits.tsx';
import { languageOf } from '../../words/language.ts';
import { useWords } from '../../words/words.tsx';
import { endOf, startOf } from './periods.ts';

const SHOWN_TOPICS = 12;

export function Happened({ period }: { readonly period: string }) {
  return (
    <>
      <Topics period={period} />
      <Summaries period={period} />
      {period.length === 10 && <JournalNote day={period} />}
      <Said period={period} />
    </>
  );
}

function Topics({ period }: { readonly period: string }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const range = { from: startOf(period), to: endOf(period) };
  const query = useQuery({
    queryKey: [memoryId, 'topics', range],
    queryFn: ({ signal }) =>
      api.listTopics({ memoryId, query: { ...range, limit: SHOWN_TOPICS } }, { signal }),
  });
  if (query.data?.items.length === 0) return null;
  return (
    <Section title={w.timeline.topics}>
      <Loaded query={query} lines={1}>
        {({ items }) => (
          <ul className="flex flex-wrap gap-2">
            {items.map(({ id, title }) => (
              <li key={id}>
                <Link
                  to="/m/$memoryId/topics"
                  params={{ memoryId }}
                  search={{ topic: String(id) }}
                  lang={languageOf(title)}
                  className="inline-block rounded-full border border-line px-3 py-1 text-sm hover:border-accent hover:text-accent"
                >
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function Summaries({ period }: { readonly period: string }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const range = { from: startOf(period), to: endOf(period) };
  const { data } = useQuery({
    queryKey: [memoryId, 'summaries', range],
    queryFn: ({ signal }) =>
      api.listSummaries({ memoryId, query: { ...range, summaryScope: 'weekly', limit: 6 } }, { signal }),
  });
  if (!data || data.items.length === 0) return null;
  return (
    <Section title={w.timeline.summary}>
      <div className="flex flex-col gap-4">
        {data.items.map((summary) => (
          <Remembered key={summary.id} text={summary.payload.text} />
        ))}
      </div>
    </Section>
  );
}

function JournalNote({ day }: { readonly day: string }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const uri = `journal/${day}.md`;
  const query = useQuery({
    queryKey: [memoryId, 'note', uri],
    queryFn: ({ signal }) => api.readNote({ memoryId, query: { uri } }, { signal }),
  });
  const isMissing = query.error instanceof ProblemError && query.error.status === 404;
  return (
    <Section title={w.timeline.note}>
      {query.data && <Remembered text={query.data.text} />}
      {isMissing && (
        <Link
          to="/m/$memoryId/notes"
          params={{ memoryId }}
          search={{ file: uri }}
          className={buttonClass('plain')}
        >
          <NotebookPen size={16} aria-hidden />
          {w.timeline.writeNote}
        </Link>
      )}
      {!isMissing && query.error && <Loaded query={query}>{() => null}</Loaded>}
    </Section>
  );
}

function Said({ period }: { readonly period: string }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useInfiniteQuery(
    unitsQuery(memoryId, { kinds: ['episode'], from: startOf(period), to: endOf(period), limit: 30 }),
  );
  return (
    <Section title={w.timeline.happened}>
      <QuotedUnits query={query} when="time" />
    </Section>
  );
}
