import type { ModelUse } from './usage.ts';

/** What language models were asked in some days. */
export interface ModelCalls {
  /** By purpose, the most frequent first; `failed` of `calls` failed. */
  readonly purposes: readonly {
    readonly purpose: string;
    readonly calls: number;
    readonly failed: number;
  }[];
  /** Replies in chats, and words for notifications, reminders and meta requests, that a model gave. */
  readonly exchanges: number;
  /** All requests for each exchange; null without one. */
  readonly callsPerExchange: number | null;
}

/** What a companion answers. Everything else that models are asked is work in the background or for a recall. */
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
