import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { CalendarDays, ChevronRight } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { api } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { ForgetButton } from '../../forget/forgetButton.tsx';
import { feelingColor, Feelings, valenceOf } from '../../ui/feeling.tsx';
import { Empty, Loaded, Loading, Page, Section } from '../../ui/page.tsx';
import { useFormat, useWords, type Format } from '../../words/words.tsx';
import { Happened } from './happened.tsx';
import { endOf, periodsOf, startOf, type Day, type Period } from './periods.ts';

const MoodChart = lazy(() => import('./moodChart.tsx'));
const route = getRouteApi('/m/$memoryId/timeline');
/** Fewer days give no useful curve. */
const MIN_DAYS = 3;

export default function TimelinePage() {
  const w = useWords();
  const memoryId = useMemoryId();
  const { at = '' } = route.useSearch();
  const query = useQuery({
    queryKey: [memoryId, 'days'],
    queryFn: ({ signal }) => api.listDays({ memoryId }, { signal }),
  });
  return (
    <Page {...w.pages.timeline}>
      <Loaded query={query} lines={8}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={CalendarDays} title={w.timeline.empty}>
              {w.timeline.emptyAbout}
            </Empty>
          ) : (
            <Time days={items} at={at} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Time({ days, at }: { readonly days: readonly Day[]; readonly at: string }) {
  const w = useWords();
  const f = useFormat();
  const inside = days.filter(({ date }) => date.startsWith(at));
  const felt = inside.filter(({ mood }) => mood !== null);
  return (
    <>
      <div className="mb-6 flex flex-wrap items-center justify-between gap-3">
        <Trail at={at} />
        {at !== '' && (
          <ForgetButton
            key={at}
            request={{ period: { from: startOf(at), to: endOf(at) } }}
            name={periodName(at, f)}
          />
        )}
      </div>
      {felt.length >= MIN_DAYS && (
        <Section title={w.timeline.mood} about={w.timeline.moodAbout}>
          <Suspense fallback={<Loading lines={3} />}>
            <MoodChart key={at} days={inside} />
          </Suspense>
        </Section>
      )}
      {at.length < 10 && (
        <Section title={w.timeline.said}>
          <Periods periods={periodsOf(days, at)} />
        </Section>
      )}
      {at.length >= 7 && <Happened period={at} />}
    </>
  );
}

/** The path to the current period: all years, the year, the month, the day. */
function Trail({ at }: { readonly at: string }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const names = ['', at.slice(0, 4), at.slice(0, 7), at].filter(
    (name, i, all) => name.length <= at.length && all.indexOf(name) === i,
  );
  return (
    <nav aria-label={w.pages.timeline.title} className="flex flex-wrap items-center gap-1 text-soft">
      {names.map((name, i) => (
        <span key={name} className="inline-flex items-center gap-1">
          {i > 0 && <ChevronRight size={14} aria-hidden />}
          {i === names.length - 1 ? (
            <span aria-current="page" className="font-serif text-lg text-ink">
              <PeriodName name={name} />
            </span>
          ) : (
            <Link
              to="/m/$memoryId/timeline"
              params={{ memoryId }}
              search={name === '' ? {} : { at: name }}
              className="text-accent hover:underline"
            >
              <PeriodName name={name} />
            </Link>
          )}
        </span>
      ))}
    </nav>
  );
}

function PeriodName({ name }: { readonly name: string }) {
  const w = useWords();
  const f = useFormat();
  return name === '' ? w.timeline.allYears : periodName(name, f);
}

function periodName(name: string, f: Format): string {
  // Noon, so that it is the same day in every time zone.
  const middle = Date.parse(`${`${name}-01-01`.slice(0, 10)}T12:00:00Z`);
  if (name.length === 4) return f.year(middle);
  if (name.length === 7) return f.month(middle);
  return f.longDay(middle);
}

function Periods({ periods }: { readonly periods: readonly Period[] }) {
  const w = useWords();
  const navigate = useNavigate({ from: '/m/$memoryId/timeline' });
  const max = Math.max(...periods.map(({ turns }) => turns), 1);
  return (
    <ol>
      {periods.toReversed().map(({ name, turns, mood }) => (
        <li key={name} className="border-b border-line">
          <button
            type="button"
            onClick={() => void navigate({ to: '.', search: { at: name } })}
            className="grid w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 py-3 text-left hover:text-accent sm:grid-cols-[14rem_minmax(0,1fr)_5rem_12rem]"
          >
            <span className="font-serif text-[1.05rem]">
              <PeriodName name={name} />
            </span>
            <span
              aria-hidden
              className="order-last col-span-2 block h-2 rounded-full bg-sunken sm:order-none sm:col-span-1"
            >
              <span
                className="block h-2 min-w-1 rounded-full"
                style={{ width: `${(100 * turns) / max}%`, background: feelingColor(valenceOf(mood)) }}
              />
            </span>
            <span className="text-right text-sm text-faint tabular-nums">{w.timeline.turns(turns)}</span>
            <span className="hidden justify-self-end sm:block">
              <Feelings emotion={mood} />
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
