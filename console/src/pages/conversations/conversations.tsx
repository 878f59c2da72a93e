import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { ArrowLeft, BookOpenText } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { api, type Item } from '../../api/api.ts';
import { listQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { ForgetButton } from '../../forget/forgetButton.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { LongList } from '../../ui/list.tsx';
import { Empty, Failed, Loading, Page } from '../../ui/page.tsx';
import { Remembered, When } from '../../ui/text.tsx';
import { useFormat, useWords } from '../../words/words.tsx';

const route = getRouteApi('/m/$memoryId/conversations');
const ROW_HEIGHT = 64;
const TURNS_PER_PAGE = 200;

export default function ConversationsPage() {
  const w = useWords();
  const { c: conversationId, turn } = route.useSearch();
  return (
    <Page {...w.pages.conversations}>
      {conversationId === undefined ? (
        <ConversationList />
      ) : (
        <Conversation
          key={conversationId}
          conversationId={conversationId}
          turn={turn === undefined ? null : Number(turn)}
        />
      )}
    </Page>
  );
}

function ConversationList() {
  const w = useWords();
  const f = useFormat();
  const memoryId = useMemoryId();
  const query = useInfiniteQuery(
    listQuery([memoryId, 'conversations'], (cursor, signal) =>
      api.listConversations(
        { memoryId, query: { limit: 100, ...(cursor !== undefined && { cursor }) } },
        { signal },
      ),
    ),
  );
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (query.isPending) return <Loading lines={8} />;
  if (query.error) return <Failed error={query.error} retry={query.refetch} />;
  if (items.length === 0)
    return (
      <Empty icon={BookOpenText} title={w.conversations.empty}>
        {w.conversations.emptyAbout}
      </Empty>
    );
  return (
    <LongList
      label={w.pages.conversations.title}
      items={items}
      keyOf={(item) => item.conversationId}
      rowHeight={ROW_HEIGHT}
      hasMore={query.hasNextPage}
      readMore={() => void (query.isFetchingNextPage || query.fetchNextPage())}
      render={(item) => (
        <Link
          to="/m/$memoryId/conversations"
          params={{ memoryId }}
          search={{ c: item.conversationId }}
          className="flex flex-wrap items-baseline gap-x-4 border-b border-line py-3 hover:text-accent"
        >
          <span className="min-w-0 flex-1 basis-52 font-medium">{item.conversationId}</span>
          <span className="text-sm text-faint">
            {f.day(item.firstTurnAt)} · {w.common.turns(item.turns)}
          </span>
        </Link>
      )}
    />
  );
}

type Turn = Item<'listTurns'>;

interface ConversationProps {
  readonly conversationId: string;
  /** The turn to scroll to. */
  readonly turn: number | null;
}

function Conversation({ conversationId, turn }: ConversationProps) {
  const navigate = useNavigate({ from: '/m/$memoryId/conversations' });
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useInfiniteQuery(
    listQuery([memoryId, 'turns', conversationId], (cursor, signal) =>
      api.listTurns(
        {
          memoryId,
          conversationId,
          query: { limit: TURNS_PER_PAGE, ...(cursor !== undefined && { cursor }) },
        },
        { signal },
      ),
    ),
  );
  const turns = useMemo(
    () => query.data?.pages.flatMap((page) => page.items).toReversed() ?? [],
    [query.data],
  );
  const isThere = turn === null || turns.some(({ turnIndex }) => turnIndex === turn);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    if (!isThere && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isThere, hasNextPage, isFetchingNextPage, fetchNextPage]);
  const wanted = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isThere && turn !== null) wanted.current?.scrollIntoView({ block: 'center' });
  }, [isThere, turn]);
  return (
    <>
      <div className="mb-6 flex flex-wrap items-center gap-3">
        <Link to="/m/$memoryId/conversations" params={{ memoryId }} className={buttonClass('quiet')}>
          <ArrowLeft size={16} aria-hidden />
          {w.conversations.all}
        </Link>
        <h2 className="min-w-0 flex-1 font-semibold break-words">{conversationId}</h2>
        <ForgetButton
          request={{ conversation: conversationId }}
          name={conversationId}
          onForgotten={() => void navigate({ to: '.', search: {} })}
        />
      </div>
      {query.isPending && <Loading lines={8} />}
      {query.error && <Failed error={query.error} retry={query.refetch} />}
      {hasNextPage && (
        <Button look="quiet" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {w.conversations.earlier}
        </Button>
      )}
      <ol className="flex flex-col">
        {turns.map((one, i) => (
          <li
            key={one.id}
            ref={one.turnIndex === turn ? wanted : null}
            className={clsx('rounded-xl px-3 py-3 sm:px-4', one.turnIndex === turn && 'bg-tint')}
          >
            <SpokenTurn turn={one} before={turns[i - 1]} />
          </li>
        ))}
      </ol>
    </>
  );
}

function SpokenTurn({ turn, before }: { readonly turn: Turn; readonly before: Turn | undefined }) {
  const f = useFormat();
  const isNewDay = !before || f.isoDay(before.occurredAt) !== f.isoDay(turn.occurredAt);
  return (
    <>
      {isNewDay && (
        <p className="pt-2 pb-3 text-sm text-faint">
          <When at={turn.occurredAt} /> · {f.weekday(turn.occurredAt)}
        </p>
      )}
      <div className="grid gap-x-4 sm:grid-cols-[7rem_minmax(0,1fr)]">
        <p className="text-sm text-faint sm:pt-1.5 sm:text-right">
          {turn.speaker}
          <span className="ml-2 tabular-nums sm:ml-0 sm:block">{f.time(turn.occurredAt)}</span>
        </p>
        <Remembered text={turn.text} />
      </div>
    </>
  );
}
