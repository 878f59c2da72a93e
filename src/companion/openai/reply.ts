/** Collects the text of a chat completion's answer while it is forwarded unchanged. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isRecord, records, type Fields } from '../../model/model.ts';
import { errorBody } from './errors.ts';

/** The last event of a stream. */
const END = '[DONE]';

/** The text of a streamed answer, collected from its server-sent events. */
export class StreamedReply {
  text = '';
  /** Whether the last event has arrived. */
  isEnded = false;
  #isFinished = false;
  #rest = '';
  readonly #decoder = new TextDecoder();

  /** Whether the model finished its answer. */
  get isWhole(): boolean {
    return this.isEnded || this.#isFinished;
  }

  add(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) this.#addEvent(line.slice('data:'.length).trim());
  }

  #addEvent(data: string): void {
    if (data === END) {
      this.isEnded = true;
      return;
    }
    const choice = firstChoice(tryParse(data));
    this.text += contentOf(choice?.['delta']);
    if (choice?.['finish_reason']) this.#isFinished = true;
  }
}

/** The text of an answer that is not streamed; of several choices the first. */
export function replyText(body: string): string {
  return contentOf(firstChoice(tryParse(body))?.['message']);
}

function firstChoice(completion: unknown): Fields | undefined {
  const choices = isRecord(completion) ? records(completion['choices']) : [];
  return choices.find(({ index }) => (index ?? 0) === 0);
}

function contentOf(message: unknown): string {
  const content = isRecord(message) ? message['content'] : null;
  return typeof content === 'string' ? content : '';
}

function tryParse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The offset in a piece at which its last event, `[DONE]`, begins; 0 if it began in an earlier piece. */
function startOfEnd({ buffer, byteOffset, byteLength }: Uint8Array): number {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const end = bytes.lastIndexOf(END);
  return end < 0 ? 0 : Math.max(0, bytes.lastIndexOf('data:', end));
}

/** Resolves after data written so far has left this process. */
export async function isUnderWay(): Promise<void> {
  await nextTurn();
}

/** Called once when an answer ends, with its text so far and whether it is complete. */
export type KeepReply = (text: string, isWhole: boolean) => Promise<void>;

/**
 * Forwards a stream piece by piece. The reply is stored before the last event is sent, so that a client that receives
 * the end can rely on it. If the client disconnects or the model's server fails, the text so far is stored.
 * @param listeners `onFirst` is called after each forwarded piece; `onOver` when everything is forwarded or aborted and the
 * reply is stored; it may be called twice
 */
export function forwardReply(
  upstream: ReadableStream<Uint8Array>,
  keep: KeepReply,
  signal: AbortSignal,
  listeners: { onFirst(): void; onOver(): void },
): ReadableStream<Uint8Array> {
  const reader = upstream.getReader();
  const reply = new StreamedReply();
  let kept: Promise<void> | undefined;
  const keepOnce = () => (kept ??= keep(reply.text, reply.isWhole));
  const end = () => {
    signal.removeEventListener('abort', giveUp);
    listeners.onOver();
  };
  const giveUp = () => {
    void Promise.allSettled([reader.cancel(signal.reason), keepOnce()]).then(end);
  };
  signal.addEventListener('abort', giveUp, { once: true });
  // A fast model may send text and end in one piece. The text is sent without waiting for the reply to be stored.
  let heldBack: Uint8Array | undefined;
  const next = async (): Promise<Uint8Array | undefined> => {
    if (heldBack) {
      await isUnderWay();
      await keepOnce();
      const rest = heldBack;
      heldBack = undefined;
      return rest;
    }
    const { done, value } = await reader.read();
    if (done) signal.throwIfAborted();
    if (value) reply.add(value);
    const words = value && reply.isEnded ? startOfEnd(value) : 0;
    if (value && words > 0) {
      heldBack = value.subarray(words);
      return value.subarray(0, words);
    }
    if (done || reply.isEnded) await keepOnce();
    return value;
  };
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const value = await next();
        if (value) {
          controller.enqueue(value);
          listeners.onFirst();
          return;
        }
      } catch (error) {
        await keepOnce().catch(() => {});
        controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify(errorBody(error))}\n\n`));
      }
      controller.close();
      end();
    },
    async cancel(reason: unknown) {
      await Promise.allSettled([reader.cancel(reason), keepOnce()]);
      end();
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}
