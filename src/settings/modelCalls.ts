import type { ModelUse } from './usage.ts';

/** Statistics of requests to language models. */
export interface ModelCalls {
  /** By purpose, the most frequent first; `failed` of `calls` failed. */
  readonly purposes: readonly {
    readonly purpose: string;
    readonly calls: number;
    readonly failed: number;
  }[];
  /** Replies in chats, and texts for notifications, reminders and meta requests, by a model. */
  readonly exchanges: number;
  /** All requests per exchange; null without an exchange. */
  readonly callsPerExchange: number | null;
}

/** The purposes of a companion's answers. All other requests are for background work or recalls. */
const REPLIES: ReadonlySet<string> = new Set(['chat', 'notification', 'reminder', 'meta_request']);

export function summarizeModelCalls(uses: readonly ModelUse[]): ModelCalls {
  const byPurpose = Map.groupBy(uses, ({ purpose }) => purpose);
  const purposes = Array.from(byPurpose, ([purpose, of]) => ({
    purpose,
    calls: sum(of.map(({ calls }) => calls)),
    failed: sum(of.map(({ failed }) => failed)),
  })).toSorted((a, b) => b.calls - a.calls);
  const replies = purposes.filter(({ purpose }) => REPLIES.has(purpose));
  const exchanges = sum(replies.map(({ calls, failed }) => calls - failed));
  const all = sum(purposes.map(({ calls }) => calls));
  return { purposes, exchanges, callsPerExchange: exchanges === 0 ? null : all / exchanges };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
