import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { LibraryBig } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api/api.ts';
import { unitsQuery, type Unit, type UnitQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { FoundHit } from '../../ui/found.tsx';
import { MoreButton } from '../../ui/moreButton.tsx';
import { LongList } from '../../ui/list.tsx';
import { Empty, Failed, Loaded, Loading, Page } from '../../ui/page.tsx';
import { UnitSheet } from '../../unit/unitSheet.tsx';
import { useWords } from '../../words/words.tsx';
import { BulkBar } from './bulkBar.tsx';
import { Filters, type Search } from './filters.tsx';
import { UnitRow } from './unitRow.tsx';

const route = getRouteApi('/m/$memoryId/memories');
const ROW_HEIGHT = 96;
const FOUND = 30;

function queryOf(search: Search): UnitQuery {
  const { kind, state, pinned, sensitivity, source, from, to, topic, entity } = search;
  return {
    limit: 100,
    ...(kind !== undefined && { kinds: [kind as Unit['kind']] }),
    ...(state !== undefined && { states: [state as Unit['state']] }),
    ...(pinned === 'true' && { pinned: true }),
    ...(sensitivity === 'secret' && { maxSensitivity: 'secret' }),
    ...(source !== undefined && { source }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(topic !== undefined && { topicId: Number(topic) }),
    ...(entity !== undefined && { entityId: Number(entity) }),
  };
}

export default function MemoriesPage() {
  const w = useWords();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/m/$memoryId/memories' });
  const [chosen, setChosen] = useState<ReadonlyMap<number, Unit>>(new Map());
  const open = (unitId: number | null) =>
    void navigate({
      to: '.',
      search: { ...search, unit: unitId === null ? undefined : String(unitId) },
      replace: true,
      resetScroll: false,
    });
  return (
    <Page {...w.pages.memories}>
      <Filters
        search={search}
        onChange={(next) => {
          setChosen(new Map());
          void navigate({ to: '.', search: next, replace: true });
        }}
      />
      {search.q === undefined ? (
        <AllUnits search={search} chosen={chosen} onChoose={setChosen} onOpen={open} />
      ) : search.how === 'exact' ? (
        <ExactWords words={search.q} />
      ) : (
        <Recalled words={search.q} />
      )}
      <UnitSheet unitId={search.unit === undefined ? null : Number(search.unit)} onClose={() => open(null)} />
    </Page>
  );
}

interface AllUnitsProps {
  readonly search: Search;
  readonly chosen: ReadonlyMap<number, Unit>;
  readonly onChoose: (chosen: ReadonlyMap<number, Unit>) => void;
  readonly onOpen: (unitId: number) => void;
}

function AllUnits({ search, chosen, onChoose, onOpen }: AllUnitsProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useInfiniteQuery(unitsQuery(memoryId, queryOf(search)));
  const units = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  const toggle = (unit: Unit) => {
    const next = new Map(chosen);
    if (!next.delete(unit.id)) next.set(unit.id, unit);
    onChoose(next);
  };
  if (query.isPending) return <Loading lines={8} />;
  if (query.error) return <Failed error={query.error} retry={query.refetch} />;
  if (units.length === 0)
    return (
      <Empty icon={LibraryBig} title={w.memories.empty}>
        {w.memories.emptyAbout}
      </Empty>
    );
  return (
    <>
      <LongList
        label={w.pages.memories.title}
        items={units}
        keyOf={(unit) => unit.id}
        rowHeight={ROW_HEIGHT}
        hasMore={query.hasNextPage}
        readMore={() => void (query.isFetchingNextPage || query.fetchNextPage())}
        render={(unit) => (
          <UnitRow
            unit={unit}
            isChosen={chosen.has(unit.id)}
            onToggle={() => toggle(unit)}
            onOpen={() => onOpen(unit.id)}
          />
        )}
      />
      {chosen.size > 0 && <BulkBar units={[...chosen.values()]} onEnd={() => onChoose(new Map())} />}
    </>
  );
}

/** Search by meaning, like the companion's recall. */
function Recalled({ words }: { readonly words: string }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useQuery({
    queryKey: [memoryId, 'search', words],
    queryFn: ({ signal }) => api.explain({ memoryId, body: { utterance: words, limit: FOUND } }, { signal }),
  });
  return (
    <Loaded query={query}>
      {({ hits }) =>
        hits.length === 0 ? (
          <Empty icon={LibraryBig} title={w.memories.noneFound} />
        ) : (
          <div className="flex flex-col gap-6">
            {hits.map((hit) => (
              <FoundHit key={hit.unitId} hit={hit} />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

/** Search for the exact words. */
function ExactWords({ words }: { readonly words: string }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useInfiniteQuery({
    queryKey: [memoryId, 'words', words],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.explore(
        {
          memoryId,
          body: {
            query: { keywords: words },
            view: 'quote',
            count: false,
            limit: FOUND,
            ...(pageParam !== undefined && { cursor: pageParam }),
          },
        },
        { signal },
      ),
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const quotes = query.data?.pages.flatMap((page) => (page.view === 'quote' ? page.quotes : [])) ?? [];
  if (query.isPending) return <Loading lines={6} />;
  if (query.error) return <Failed error={query.error} retry={query.refetch} />;
  if (quotes.length === 0) return <Empty icon={LibraryBig} title={w.memories.noneFound} />;
  return (
    <div className="flex flex-col gap-6">
      {quotes.map((item) => (
        <FoundHit key={item.unitId} hit={{ ...item, text: item.quote.text }} />
      ))}
      <MoreButton query={query} />
    </div>
  );
}
