import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Landmark } from 'lucide-react';
import { api } from '../../api/api.ts';
import { listQuery, statsQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { MoreButton } from '../../ui/moreButton.tsx';
import { Empty, Failed, Loaded, Loading, Page, Section } from '../../ui/page.tsx';
import { Badge, Remembered } from '../../ui/text.tsx';
import { UnitSheet } from '../../unit/unitSheet.tsx';
import { useFormat, useWords } from '../../words/words.tsx';
import { Contradictions } from './contradictions.tsx';
import { beginOf, type Fact } from './fact.ts';

const DAY_MS = 86_400_000;
const route = getRouteApi('/m/$memoryId/facts');

function holdsAt(fact: Fact, at: number): boolean {
  return beginOf(fact) <= at && (fact.payload.validTo === null || fact.payload.validTo > at);
}

export default function FactsPage() {
  const w = useWords();
  const memoryId = useMemoryId();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/m/$memoryId/facts' });
  const { data: stats } = useQuery(statsQuery(memoryId));
  const set = (next: Partial<typeof search>) =>
    void navigate({ to: '.', search: { ...search, ...next }, replace: true, resetScroll: false });
  const query = useInfiniteQuery(
    listQuery([memoryId, 'facts'], (cursor, signal) =>
      api.listFacts({ memoryId, query: { limit: 200, ...(cursor !== undefined && { cursor }) } }, { signal }),
    ),
  );
  const facts = query.data?.pages.flatMap((page) => page.items) ?? [];
  const at = search.at === undefined ? null : Date.parse(search.at);
  const shown = facts.filter(
    (fact) =>
      (at === null || holdsAt(fact, at)) &&
      (search.subject === undefined || fact.payload.subject === search.subject),
  );
  const subjects = [...new Set(facts.map(({ payload }) => payload.subject))].toSorted();
  const range = {
    from: stats?.firstTurnAt ?? 0,
    to: Math.max(stats?.lastTurnAt ?? 1, ...facts.map(beginOf)),
  };
  return (
    <Page {...w.pages.facts} width="wide">
      <div className="mb-6 flex flex-wrap items-center gap-3">
        <Select
          label={w.facts.subject}
          value={search.subject ?? ''}
          options={[['', w.facts.everybody], ...subjects.map((one) => [one, one] as const)]}
          onChoose={(subject) => set({ subject: subject === '' ? undefined : subject })}
        />
        <label className="flex items-center gap-2 text-sm whitespace-nowrap text-soft">
          {w.facts.asOf}
          <Input
            type="date"
            value={search.at ?? ''}
            onChange={(event) => set({ at: event.target.value === '' ? undefined : event.target.value })}
            className="w-auto"
          />
        </label>
        <AsOf at={at ?? range.to} range={range} onMove={(day) => set({ at: day })} />
        {search.at !== undefined && (
          <Button look="quiet" onClick={() => set({ at: undefined })}>
            {w.facts.always}
          </Button>
        )}
      </div>
      {query.isPending && <Loading lines={6} />}
      {query.error && <Failed error={query.error} retry={query.refetch} />}
      {query.data && shown.length === 0 && (
        <Empty icon={Landmark} title={w.facts.empty}>
          {w.facts.emptyAbout}
        </Empty>
      )}
      <Contradictions facts={shown} onOpen={(fact) => set({ unit: String(fact.id) })} />
      {[...Map.groupBy(shown, ({ payload }) => payload.subject)].map(([subject, ofSubject]) => (
        <Section key={subject} title={subject}>
          <ul>
            {ofSubject.map((fact) => (
              <FactRow
                key={fact.id}
                fact={fact}
                range={range}
                onOpen={() => set({ unit: String(fact.id) })}
              />
            ))}
          </ul>
        </Section>
      ))}
      <MoreButton query={query} />
      <UnitSheet
        unitId={search.unit === undefined ? null : Number(search.unit)}
        onClose={() => set({ unit: undefined })}
      >
        {search.unit !== undefined && <History unitId={Number(search.unit)} />}
      </UnitSheet>
    </Page>
  );
}

interface AsOfProps {
  readonly at: number;
  readonly range: FactRowProps['range'];
  readonly onMove: (day: string) => void;
}

/** A slider over the time that the memory spans. */
function AsOf({ at, range, onMove }: AsOfProps) {
  const w = useWords();
  const f = useFormat();
  return (
    <input
      type="range"
      aria-label={w.facts.asOf}
      aria-valuetext={f.day(at)}
      min={range.from}
      max={range.to}
      step={DAY_MS}
      value={at}
      onChange={(event) => onMove(f.isoDay(Number(event.target.value)))}
      className="min-w-40 flex-1 accent-accent"
    />
  );
}

interface FactRowProps {
  readonly fact: Fact;
  readonly range: { readonly from: number; readonly to: number };
  readonly onOpen: () => void;
}

function FactRow({ fact, range, onOpen }: FactRowProps) {
  const w = useWords();
  const f = useFormat();
  const { payload } = fact;
  const length = Math.max(1, range.to - range.from);
  const left = Math.max(0, (beginOf(fact) - range.from) / length);
  const right = payload.validTo === null ? 0 : Math.max(0, (range.to - payload.validTo) / length);
  const period = `${payload.validFrom === null ? w.facts.toldOn(f.day(fact.occurredAt)) : f.day(payload.validFrom)} – ${payload.validTo === null ? w.facts.now : f.day(payload.validTo)}`;
  return (
    <li className="border-b border-line">
      <button
        type="button"
        onClick={onOpen}
        className="grid w-full gap-x-6 gap-y-1 py-3 text-left hover:text-accent sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"
      >
        <span>
          <span className="mr-3 text-sm text-faint">{payload.predicate}</span>
          <Remembered text={payload.object} className="inline" />
        </span>
        <span className="self-center">
          <span className="relative block h-2 rounded-full bg-sunken" aria-hidden>
            <span
              className={`absolute inset-y-0 min-w-1 rounded-full ${payload.validTo === null ? 'bg-accent' : 'bg-line-strong'}`}
              style={{ left: `${100 * Math.min(left, 0.99)}%`, right: `${100 * Math.min(right, 0.99)}%` }}
            />
          </span>
          <span className="text-sm text-faint">{period}</span>
        </span>
      </button>
    </li>
  );
}

/** All facts with the same subject and predicate. */
function History({ unitId }: { readonly unitId: number }) {
  const w = useWords();
  const f = useFormat();
  const memoryId = useMemoryId();
  const query = useQuery({
    queryKey: [memoryId, 'history', unitId],
    queryFn: ({ signal }) => api.readFactHistory({ memoryId, unitId }, { signal }),
  });
  return (
    <Loaded query={query}>
      {({ items }) =>
        items.length < 2 ? null : (
          <section>
            <h3 className="mb-2 font-semibold">{w.facts.history}</h3>
            <ol className="flex flex-col gap-3">
              {items.map((period) => (
                <li key={period.unitId} className="border-l-2 border-line pl-3">
                  <Remembered text={period.object} />
                  <p className="flex flex-wrap items-center gap-2 text-sm text-faint">
                    {f.day(period.validFrom ?? period.toldAt)} –{' '}
                    {period.validTo === null ? (
                      <Badge tone="good">{w.facts.now}</Badge>
                    ) : (
                      f.day(period.validTo)
                    )}
                  </p>
                </li>
              ))}
            </ol>
          </section>
        )
      }
    </Loaded>
  );
}
