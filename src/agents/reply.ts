/** A streamed reply as it passes through: its words are gathered, and nothing of it changes. */
import type { Call } from './promptInput.ts';

type ReplyStream = Awaited<ReturnType<Call['doStream']>>['stream'];
type Part = ReplyStream extends ReadableStream<infer One> ? One : never;

/** Told once how a reply ended: its words as far as they came, and whether they are all. */
export type KeepReply = (text: string, isWhole: boolean) => Promise<void>;

/** The words of a streamed reply, block after block. */
class StreamedReply {
  isWhole = false;
  readonly #blocks = new Map<string, string>();

  get text(): string {
    return [...this.#blocks.values()].join('');
  }

  add(part: Part): void {
    if (part.type === 'text-start') this.#blocks.set(part.id, '');
    if (part.type === 'text-delta') {
      this.#blocks.set(part.id, (this.#blocks.get(part.id) ?? '') + part.delta);
    }
    if (part.type === 'finish') this.isWhole = part.finishReason.unified !== 'error';
  }
}

/**
 * The stream handed on, each part as it comes. The reply is kept before its last part goes out, so that whoever has seen
 * the end can count on it; and as far as it came when the reader leaves (an aborted call has the AI SDK do so) or the
 * stream breaks off.
 */
export function keepOnTheWay(upstream: ReplyStream, keep: KeepReply): ReplyStream {
  const reader = upstream.getReader();
  const reply = new StreamedReply();
  let kept: Promise<void> | undefined;
  const keepOnce = () => (kept ??= keep(reply.text, reply.isWhole));
  const source = {
    async pull(controller: ReadableStreamDefaultController<Part>) {
      const next = await reader.read().catch(async (error: unknown) => {
        // What broke the reply off is the thing to tell, not that it could not be kept.
        await keepOnce().catch(() => {});
        throw error;
      });
      if (next.value) reply.add(next.value);
      if (next.done || next.value.type === 'finish') await keepOnce();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel(reason: unknown) {
      await Promise.allSettled([reader.cancel(reason), keepOnce()]);
    },
  };
  return new ReadableStream<Part>(source, { highWaterMark: 0 });
}
