import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { api, type Item } from '../../api/api.ts';
import { listQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Input, Select } from '../../ui/field.tsx';
import { LongList } from '../../ui/list.tsx';
import { Empty, Failed, Loading, Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/text.tsx';
import { languageOf } from '../../words/language.ts';
import { useWords } from '../../words/words.tsx';
import { EntityDetail } from './entityDetail.tsx';

export type Entity = Item<'listEntities'>;
type Type = Entity['type'];

const route = getRouteApi('/m/$memoryId/people');
const ROW_HEIGHT = 60;

export default function PeoplePage() {
  const w = useWords();
  const memoryId = useMemoryId();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/m/$memoryId/people' });
  const open = (entityId: number | null) =>
    void navigate({ to: '.', search: entityId === null ? {} : { id: String(entityId) } });
  return (
    <Page {...w.pages.people} width={search.id === undefined ? 'text' : 'wide'}>
      {search.id === undefined ? (
        <EntityList onOpen={open} />
      ) : (
        <EntityDetail key={`${memoryId}/${search.id}`} entityId={Number(search.id)} onOpen={open} />
      )}
    </Page>
  );
}

function EntityList({ onOpen }: { readonly onOpen: (entityId: number) => void }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const [typed, setTyped] = useState('');
  const [type, setType] = useState<Type | ''>('');
  const words = useDeferredValue(typed.trim());
  const filter = { ...(words !== '' && { query: words }), ...(type !== '' && { type }) };
  const query = useInfiniteQuery(
    listQuery([memoryId, 'entities', filter], (cursor, signal) =>
      api.listEntities(
        { memoryId, query: { limit: 100, ...filter, ...(cursor !== undefined && { cursor }) } },
        { signal },
      ),
    ),
  );
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const isFiltered = words !== '' || type !== '';
  return (
    <>
      <div className="mb-5 flex flex-wrap gap-2">
        <Input
          type="search"
          aria-label={w.people.search}
          placeholder={w.people.search}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="min-w-0 flex-1 basis-52"
        />
        <Select<Type | ''>
          label={w.people.type}
          value={type}
          options={[['', w.people.anyType], ...(Object.entries(w.people.types) as [Type, string][])]}
          onChoose={setType}
        />
      </div>
      {query.isPending && <Loading lines={8} />}
      {query.error && <Failed error={query.error} retry={query.refetch} />}
      {query.data && items.length === 0 && (
        <Empty icon={Users} title={isFiltered ? w.memories.noneFound : w.people.empty}>
          {!isFiltered && w.people.emptyAbout}
        </Empty>
      )}
      <LongList
        label={w.pages.people.title}
        items={items}
        keyOf={(entity) => entity.id}
        rowHeight={ROW_HEIGHT}
        hasMore={query.hasNextPage}
        readMore={() => void (query.isFetchingNextPage || query.fetchNextPage())}
        render={(entity) => <EntityRow entity={entity} onOpen={() => onOpen(entity.id)} />}
      />
    </>
  );
}

function EntityRow({ entity, onOpen }: { readonly entity: Entity; readonly onOpen: () => void }) {
  const w = useWords();
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex w-full items-baseline gap-3 border-b border-line py-3 text-left hover:text-accent"
    >
      <span lang={languageOf(entity.name)} className="remembered">
        {entity.name}
      </span>
      <span className="min-w-0 flex-1 truncate text-sm text-faint">{entity.aliases.join('・')}</span>
      <Badge>{w.people.types[entity.type]}</Badge>
      <span aria-hidden className="hidden h-1 w-16 self-center rounded-full bg-sunken sm:block">
        <span
          className="block h-1 rounded-full bg-accent/60"
          style={{ width: `${entity.salience * 100}%` }}
        />
      </span>
    </button>
  );
}
