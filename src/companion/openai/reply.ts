/** A chat completion's answer as it passes through: what it says is gathered, and nothing of it changes. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorBody } from './errors.ts';

/** What a stream says last. */
const END = '[DONE]';

/** The words of a streamed answer, put together from its server-sent events. */
export class StreamedReply {
  text = '';
  /** Whether the stream has come to its own end, so that nothing more is said. */
  isEnded = false;
  #isFinished = false;
  #rest = '';
  readonly #decoder = new TextDecoder();

  /** Whether the model said all it had to say. */
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
    this.text += contentOf(choice?.delta);
    if (choice?.finish_reason) this.#isFinished = true;
  }
}

/** The words of an answer that is not streamed; of several choices the first. */
export function replyText(body: string): string {
  return contentOf(firstChoice(tryParse(body))?.message);
}

interface Choice {
  readonly index?: number;
  readonly delta?: unknown;
  readonly message?: unknown;
  readonly finish_reason?: unknown;
}

function firstChoice(completion: unknown): Choice | undefined {
  const choices = (completion as { choices?: unknown } | null)?.choices;
  if (!Array.isArray(choices)) return undefined;
  return (choices as (Choice | null)[]).find((choice) => (choice?.index ?? 0) === 0) ?? undefined;
}

function contentOf(message: unknown): string {
  const content = (message as { content?: unknown } | null | undefined)?.content;
  return typeof content === 'string' ? content : '';
}

function tryParse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Where in a piece its last event begins, the one that says that nothing follows; 0 where it began in a piece before. */
function startOfEnd({ buffer, byteOffset, byteLength }: Uint8Array): number {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const end = bytes.lastIndexOf(END);
  return end < 0 ? 0 : Math.max(0, bytes.lastIndexOf('data:', end));
}

/** What was sent has left this process by then. */
export async function isUnderWay(): Promise<void> {
  await nextTurn();
}

/** Told once how an answer ended: its words as far as they came, and whether they are all. */
export type KeepReply = (text: string, isWhole: boolean) => Promise<void>;

/**
 * The stream handed on, each piece as it comes. It is kept before its last event goes out, so that a client that has
 * seen the end can count on it; and as far as it came when the client leaves or the model's server breaks off.
 * @param told `onFirst` when the first piece is handed on, and with each that follows; `onOver` when all is handed on or
 * given up, and what there is is kept; it may be told twice
 */
export function handOn(
  upstream: ReadableStream<Uint8Array>,
  keep: KeepReply,
  signal: AbortSignal,
  told: { onFirst(): void; onOver(): void },
): ReadableStream<Uint8Array> {
  const reader = upstream.getReader();
  const reply = new StreamedReply();
  let kept: Promise<void> | undefined;
  const keepOnce = () => (kept ??= keep(reply.text, reply.isWhole));
  const end = () => {
    signal.removeEventListener('abort', giveUp);
    told.onOver();
  };
  const giveUp = () => {
    void Promise.allSettled([reader.cancel(signal.reason), keepOnce()]).then(end);
  };
  signal.addEventListener('abort', giveUp, { once: true });
  // A model that is quick sends words and end as one piece, and nobody is to wait for the words until they are kept.
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
          told.onFirst();
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
