/** The details of a topic, and actions on it. Moves and merges are in the journal and can be undone there. */
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { GitMerge, Pencil, Shapes } from 'lucide-react';
import { useState } from 'react';
import { api, queryClient } from '../../api/api.ts';
import { listQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Feelings } from '../../ui/feeling.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Loaded } from '../../ui/page.tsx';
import { Remembered, When } from '../../ui/text.tsx';
import { useTell } from '../../ui/toast.tsx';
import { QuotedUnits } from '../../unit/quotedUnits.tsx';
import { languageOf } from '../../words/language.ts';
import { useFormat, useWords } from '../../words/words.tsx';
import { RegroupDialog } from './regroupDialog.tsx';
import type { PlacedTopic, Topic } from './topics.tsx';

interface TopicSheetProps {
  readonly topicId: number | null;
  readonly all: readonly PlacedTopic[];
  readonly onOpen: (topicId: number) => void;
  readonly onClose: () => void;
}

export function TopicSheet({ topicId, all, onOpen, onClose }: TopicSheetProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useQuery({
    queryKey: [memoryId, 'topic', topicId],
    queryFn: ({ signal }) => api.readTopic({ memoryId, topicId: topicId ?? 0 }, { signal }),
    enabled: topicId !== null,
  });
  const title = query.data?.title ?? w.pages.topics.title;
  return (
    <Dialog isOpen={topicId !== null} onClose={onClose} title={title} place="side">
      {topicId !== null && (
        <Loaded query={query}>
          {(topic) => <Whole topic={topic} all={all} onOpen={onOpen} onClose={onClose} />}
        </Loaded>
      )}
    </Dialog>
  );
}

type Asked = 'rename' | 'move' | 'merge';
interface WholeProps extends Pick<TopicSheetProps, 'all' | 'onOpen' | 'onClose'> {
  readonly topic: Topic;
}

function Whole({ topic, all, onOpen, onClose }: WholeProps) {
  const w = useWords();
  const f = useFormat();
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  return (
    <div className="flex flex-col gap-7">
      <div className="flex flex-wrap gap-2">
        <Button icon={Pencil} onClick={() => setAsked('rename')}>
          {w.topics.rename}
        </Button>
        <Button icon={Shapes} onClick={() => setAsked('move')}>
          {w.topics.move}
        </Button>
        <Button icon={GitMerge} onClick={() => setAsked('merge')}>
          {w.topics.merge}
        </Button>
      </div>
      {topic.summary === null ? (
        <p className="text-soft">{w.topics.noSummary}</p>
      ) : (
        <Remembered text={topic.summary} />
      )}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 text-sm">
        <dt className="text-faint">{w.topics.feeling}</dt>
        <dd>
          <Feelings emotion={topic.centroidEmotion} />
        </dd>
        <dt className="text-faint">{w.topics.strength}</dt>
        <dd>{f.percent(topic.strength)}</dd>
        {topic.firstAt !== null && topic.lastAt !== null && (
          <>
            <dt className="text-faint">{w.operate.span}</dt>
            <dd>
              <When at={topic.firstAt} /> – <When at={topic.lastAt} />
            </dd>
          </>
        )}
      </dl>
      <Relatives title={w.topics.parents} ids={topic.parentIds} all={all} onOpen={onOpen} />
      <Relatives title={w.topics.children} ids={topic.childIds} all={all} onOpen={onOpen} />
      <Episodes topicId={topic.id} />
      {asked === 'rename' && <RenameDialog topic={topic} onClose={close} />}
      {(asked === 'move' || asked === 'merge') && (
        <RegroupDialog
          how={asked}
          topic={topic}
          all={all}
          onDone={asked === 'merge' ? onClose : close}
          onClose={close}
        />
      )}
    </div>
  );
}

interface RelativesProps extends Pick<TopicSheetProps, 'all' | 'onOpen'> {
  readonly title: string;
  readonly ids: readonly number[];
}

function Relatives({ title, ids, all, onOpen }: RelativesProps) {
  const known = all.flatMap(({ topic }) => (ids.includes(topic.id) ? [topic] : []));
  if (known.length === 0) return null;
  return (
    <section>
      <h3 className="mb-2 font-semibold">{title}</h3>
      <ul className="flex flex-wrap gap-2">
        {known.map(({ id, title: name }) => (
          <li key={id}>
            <button
              type="button"
              lang={languageOf(name)}
              onClick={() => onOpen(id)}
              className="rounded-full border border-line px-3 py-1 text-left text-sm hover:border-accent hover:text-accent"
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Episodes({ topicId }: { readonly topicId: number }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useInfiniteQuery(
    listQuery([memoryId, 'topicEpisodes', topicId], (cursor, signal) =>
      api.listTopicEpisodes(
        { memoryId, topicId, query: { limit: 30, ...(cursor !== undefined && { cursor }) } },
        { signal },
      ),
    ),
  );
  return (
    <section>
      <h3 className="mb-2 font-semibold">{w.topics.episodes}</h3>
      <QuotedUnits query={query} />
    </section>
  );
}

function RenameDialog({ topic, onClose }: { readonly topic: Topic; readonly onClose: () => void }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const [title, setTitle] = useState(topic.title);
  const key = [memoryId, 'topic', topic.id];
  const rename = useMutation({
    mutationFn: () =>
      api.changeTopic({
        memoryId,
        topicId: topic.id,
        body: { title: title.trim(), expectedVersion: topic.version },
      }),
    onMutate: () => queryClient.setQueryData(key, { ...topic, title: title.trim() }),
    onSuccess: () => {
      tell.done(w.topics.renamed);
      onClose();
    },
    onError: (error) => {
      queryClient.setQueryData(key, topic);
      tell.failed(error);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  return (
    <Confirm
      title={w.topics.rename}
      doLabel={w.common.save}
      isReady={title.trim() !== '' && !rename.isPending}
      onDo={() => rename.mutate()}
      onClose={onClose}
    >
      <Field label={w.topics.title}>
        <Input value={title} onChange={(event) => setTitle(event.target.value)} />
      </Field>
    </Confirm>
  );
}
