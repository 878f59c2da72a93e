/** The messages of this page, the companion's replies, and the memories recalled for each. */
import { useCallback, useRef, useState } from 'react';
import { api, type Answer } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';

export interface Exchange {
  readonly id: number;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly saidAt: number;
  /** The lines before it. */
  readonly context: readonly { readonly speaker: string; readonly text: string }[];
  /** Null: there is no chat model, the memory only recalls. */
  readonly reply: string | null;
  readonly pack: Answer<'pack'> | null;
  /** The last turns, which are in the prompt anyway and are not recalled. */
  readonly recentUnitIds: readonly number[];
  readonly isWaiting: boolean;
  readonly error: unknown;
}

const CONTEXT_LINES = 6;

export function useExchanges(hasModel: boolean) {
  const memoryId = useMemoryId();
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const leaving = useRef<AbortController | null>(null);
  const known = useRef<readonly Exchange[]>([]);
  const conversationId = useRef<string | undefined>(undefined);

  const say = useCallback(
    (text: string, { isOnlyRecalled = false } = {}) => {
      const isAnswered = hasModel && !isOnlyRecalled;
      const context = known.current
        .flatMap((one) => [
          { speaker: 'user', text: one.text },
          ...(one.reply === null ? [] : [{ speaker: 'ai', text: one.reply }]),
        ])
        .slice(-CONTEXT_LINES);
      const id = known.current.length;
      const set = (change: Partial<Exchange>) => {
        known.current = known.current.map((one) => (one.id === id ? { ...one, ...change } : one));
        setExchanges(known.current);
      };
      known.current = [
        ...known.current,
        {
          id,
          text,
          saidAt: Date.now(),
          context,
          reply: isAnswered ? '' : null,
          pack: null,
          recentUnitIds: [],
          isWaiting: true,
          error: null,
        },
      ];
      setExchanges(known.current);
      setIsBusy(true);
      const controller = new AbortController();
      leaving.current = controller;
      const work = isAnswered
        ? chat({ memoryId, text, conversationId, signal: controller.signal, set })
        : api
            .pack({ memoryId, body: { utterance: text, context: [...context] } }, controller)
            .then((pack) => set({ pack }));
      void work
        .catch((error: unknown) => {
          if (!controller.signal.aborted) set({ error });
        })
        .finally(() => {
          set({ isWaiting: false });
          setIsBusy(false);
        });
    },
    [hasModel, memoryId],
  );
  const stop = useCallback(() => leaving.current?.abort(), []);
  return { exchanges, say, stop, isBusy };
}

interface ChatOptions {
  readonly memoryId: string;
  readonly text: string;
  readonly conversationId: { current: string | undefined };
  readonly signal: AbortSignal;
  readonly set: (change: Partial<Exchange>) => void;
}

async function chat({ memoryId, text, conversationId, signal, set }: ChatOptions): Promise<void> {
  let reply = '';
  const body = {
    text,
    withMemory: true,
    ...(conversationId.current !== undefined && { conversationId: conversationId.current }),
  };
  for await (const { event, data } of api.chat({ query: { memoryId }, body }, { signal })) {
    if (event === 'memory') set({ pack: data, recentUnitIds: data.recentUnitIds });
    else if (event === 'token') {
      reply += data.text;
      set({ reply });
    } else {
      conversationId.current = data.conversationId;
      if (event === 'error') set({ error: new Error(data.message) });
    }
  }
}
