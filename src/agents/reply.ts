/** Collects the text of a streamed reply without changing the stream. */
import type { Call } from './promptInput.ts';

type ReplyStream = Awaited<ReturnType<Call['doStream']>>['stream'];
type Part = ReplyStream extends ReadableStream<infer One> ? One : never;

/** Called once when a reply has ended, with the text received and whether it is complete. */
export type KeepReply = (text: string, isWhole: boolean) => Promise<void>;

/** Collects the text of a streamed reply, block by block. */
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
 * Forwards the stream part by part. The reply is stored before its last part is forwarded, so that a reader who has
 * seen the end can rely on it. The received part is stored when the reader cancels (the AI SDK does so for an
 * aborted call) or the stream fails.
 */
export function storeWhileStreaming(upstream: ReplyStream, keep: KeepReply): ReplyStream {
  const reader = upstream.getReader();
  const reply = new StreamedReply();
  let kept: Promise<void> | undefined;
  const keepOnce = () => (kept ??= keep(reply.text, reply.isWhole));
  const source = {
    async pull(controller: ReadableStreamDefaultController<Part>) {
      const next = await reader.read().catch(async (error: unknown) => {
        // The error of the stream is reported, not a failure to store the part.
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
