/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) and JSON Lines as answers. */
import type { ServerEvent } from './operation.ts';

/** After this long without data proxies end a connection; a comment keeps it alive. */
const HEARTBEAT_MS = 15_000;

export const EVENT_STREAM = 'text/event-stream';
export const JSON_LINES = 'application/x-ndjson';

/** Prevents buffering by proxies (nginx), and by the server, which reads ahead in short answers. */
const UNBUFFERED = { 'x-accel-buffering': 'no', 'transfer-encoding': 'chunked' };

export const EVENT_STREAM_HEADERS = { 'content-type': `${EVENT_STREAM}; charset=utf-8`, ...UNBUFFERED };
export const JSON_LINES_HEADERS = { 'content-type': `${JSON_LINES}; charset=utf-8`, ...UNBUFFERED };

const COMMENT = new TextEncoder().encode(':\n\n');

/** JSON without line breaks, so the data is one line. */
export function formatEvent({ event, data, id }: ServerEvent): Uint8Array {
  const lines = [
    `event: ${event}`,
    ...(id === undefined ? [] : [`id: ${id}`]),
    `data: ${JSON.stringify(data)}`,
  ];
  return new TextEncoder().encode(`${lines.join('\n')}\n\n`);
}

/** Writes server-sent events without waiting for the reader. */
export interface EventWriter {
  readonly body: ReadableStream<Uint8Array>;
  /** Bytes written and not yet read. */
  readonly bufferedBytes: () => number;
  write(event: ServerEvent): void;
  end(): void;
}

/** @param onEnd called once, when the reader disconnects or the writer is ended */
export function createEventWriter(onEnd: () => void): EventWriter {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let isEnded = false;
  const finish = () => {
    if (isEnded) return;
    isEnded = true;
    clearInterval(heartbeat);
    onEnd();
  };
  const write = (bytes: Uint8Array) => {
    if (!isEnded) controller.enqueue(bytes);
  };
  const heartbeat = setInterval(() => write(COMMENT), HEARTBEAT_MS).unref();
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      cancel: finish,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return {
    body,
    bufferedBytes: () => -(controller.desiredSize ?? 0),
    write: (event) => write(formatEvent(event)),
    end() {
      if (isEnded) return;
      finish();
      controller.close();
    },
  };
}

/** Callbacks for the end of a streamed answer. */
export interface Watch {
  /** The reader has disconnected, or has everything: the producer may stop. */
  readonly onDisconnect: () => void;
  readonly onFailure: (error: unknown) => void;
  /** The producer has stopped. */
  readonly onEnd: () => void;
}

/** A body with events, which are produced independently of reading, until the reader disconnects. */
export function eventBody(events: AsyncIterable<ServerEvent>, watch: Watch): ReadableStream<Uint8Array> {
  const writer = createEventWriter(watch.onDisconnect);
  const pump = async () => {
    try {
      for await (const event of events) writer.write(event);
    } catch (error) {
      watch.onFailure(error);
    }
    writer.end();
    watch.onEnd();
  };
  void pump();
  return writer.body;
}

/** The stream as it is, once its first event is there: an error before it is thrown here. */
export async function startStream(
  events: AsyncGenerator<ServerEvent, void>,
): Promise<AsyncGenerator<ServerEvent>> {
  const first = await events.next();
  return (async function* () {
    try {
      for (let next = first; !next.done; next = await events.next()) yield next.value;
    } finally {
      await events.return();
    }
  })();
}

/** A body with lines, which are produced as they are read. A failure aborts the body, so that it does not look complete. */
export function lineBody(lines: AsyncGenerator<string>, watch: Watch): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return pulledBody(watch, {
    async read() {
      const { done, value } = await lines.next();
      return done ? null : encoder.encode(value);
    },
    cancel: () => lines.return(undefined),
    failed(error) {
      watch.onFailure(error);
      return new Error('The answer was interrupted.');
    },
  });
}

interface Source {
  /** The next part; null at the end. */
  read(): Promise<Uint8Array | null>;
  cancel(reason: unknown): Promise<unknown>;
  /** The error that the reader gets. */
  failed(error: unknown): unknown;
}

/** A body that is read part by part, and reports its end. */
function pulledBody({ onDisconnect, onEnd }: Watch, source: Source): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const part = await source.read();
          if (part) return controller.enqueue(part);
          controller.close();
        } catch (error) {
          controller.error(source.failed(error));
        }
        onEnd();
      },
      async cancel(reason) {
        onDisconnect();
        try {
          await source.cancel(reason);
        } finally {
          onEnd();
        }
      },
    },
    { highWaterMark: 0 },
  );
}

/** Passes on another server's answer, streaming it if it is an event stream. */
export function proxyResponse(body: ReadableStream<Uint8Array>, answer: Response, watch: Watch): Response {
  const headers = new Headers(answer.headers);
  if (headers.get('content-type')?.includes(EVENT_STREAM))
    for (const [name, value] of Object.entries(UNBUFFERED)) headers.set(name, value);
  const reader = body.getReader();
  const passed = pulledBody(watch, {
    read: async () => (await reader.read()).value ?? null,
    cancel: (reason) => reader.cancel(reason),
    failed: (error) => error,
  });
  return new Response(passed, { status: answer.status, headers });
}
