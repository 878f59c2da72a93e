import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Network } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { api, type Answer } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Input } from '../../ui/field.tsx';
import { LongList } from '../../ui/list.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Feelings } from '../../ui/feeling.tsx';
import { When } from '../../ui/text.tsx';
import { languageOf } from '../../words/language.ts';
import { useWords } from '../../words/words.tsx';
import { TopicMap } from './topicMap.tsx';
import { TopicSheet } from './topicSheet.tsx';

export type PlacedTopic = Answer<'readTopicMap'>['items'][number];
export type Topic = PlacedTopic['topic'];

const route = getRouteApi('/m/$memoryId/topics');
const ROW_HEIGHT = 84;

export default function TopicsPage() {
  const w = useWords();
  const memoryId = useMemoryId();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/m/$memoryId/topics' });
  const set = (next: Partial<typeof search>) =>
    void navigate({ to: '.', search: { ...search, ...next }, replace: true, resetScroll: false });
  const open = (topicId: number) => set({ topic: String(topicId) });
  const view = search.view === 'list' ? 'list' : 'map';
  const query = useQuery({
    queryKey: [memoryId, 'topics'],
    queryFn: ({ signal }) => api.readTopicMap({ memoryId }, { signal }),
  });
  return (
    <Page {...w.pages.topics} width="wide">
      <Loaded query={query} lines={8}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Network} title={w.topics.empty}>
              {w.topics.emptyAbout}
            </Empty>
          ) : (
            <>
              <Tabs
                label={w.pages.topics.title}
                tabs={[
                  ['map', w.topics.asMap],
                  ['list', w.topics.asList],
                ]}
                chosen={view}
                onChoose={(next) => set({ view: next === 'list' ? 'list' : undefined })}
              />
              {view === 'map' ? (
                <TopicMap items={items} onOpen={open} />
              ) : (
                <TopicList items={items} onOpen={open} />
              )}
              <TopicSheet
                topicId={search.topic === undefined ? null : Number(search.topic)}
                all={items}
                onOpen={open}
                onClose={() => set({ topic: undefined })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

interface TopicListProps {
  readonly items: readonly PlacedTopic[];
  readonly onOpen: (topicId: number) => void;
}

function TopicList({ items, onOpen }: TopicListProps) {
  const w = useWords();
  const [typed, setTyped] = useState('');
  const words = useDeferredValue(typed.trim().toLowerCase());
  const shown = items.filter(({ topic }) => topic.title.toLowerCase().includes(words));
  return (
    <>
      <Input
        type="search"
        aria-label={w.topics.search}
        placeholder={w.topics.search}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="mb-4 max-w-md"
      />
      <LongList
        label={w.pages.topics.title}
        items={shown}
        keyOf={({ topic }) => topic.id}
        rowHeight={ROW_HEIGHT}
        hasMore={false}
        readMore={() => {}}
        render={({ topic }) => <TopicRow topic={topic} onOpen={() => onOpen(topic.id)} />}
      />
    </>
  );
}

function TopicRow({ topic, onOpen }: { readonly topic: Topic; readonly onOpen: () => void }) {
  const w = useWords();
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex w-full flex-wrap items-baseline gap-x-4 gap-y-1 border-b border-line py-3 text-left hover:text-accent"
    >
      <span lang={languageOf(topic.title)} className="remembered min-w-0 flex-1 basis-56">
        {topic.title}
      </span>
      <Feelings emotion={topic.centroidEmotion} />
      <span className="text-sm text-faint tabular-nums">
        {w.topics.count(topic.members)}
        {topic.lastAt !== null && (
          <>
            {' · '}
            <When at={topic.lastAt} />
          </>
        )}
      </span>
    </button>
  );
}
