/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) and JSON Lines as answers. */
import type { ServerEvent } from './operation.ts';

/** Silence this long makes proxies end a connection; a comment keeps it alive. */
const HEARTBEAT_MS = 15_000;

export const EVENT_STREAM = 'text/event-stream';
export const JSON_LINES = 'application/x-ndjson';

/** Proxies that keep answers until they are whole (nginx) are told not to; so is the server, which looks ahead for short ones. */
const AS_IT_COMES = { 'x-accel-buffering': 'no', 'transfer-encoding': 'chunked' };

export const EVENT_STREAM_HEADERS = { 'content-type': `${EVENT_STREAM}; charset=utf-8`, ...AS_IT_COMES };
export const JSON_LINES_HEADERS = { 'content-type': `${JSON_LINES}; charset=utf-8`, ...AS_IT_COMES };

const COMMENT = new TextEncoder().encode(':\n\n');

/** JSON holds no line break, so the data is one line. */
export function formatEvent({ event, data, id }: ServerEvent): Uint8Array {
  const lines = [
    `event: ${event}`,
    ...(id === undefined ? [] : [`id: ${id}`]),
    `data: ${JSON.stringify(data)}`,
  ];
  return new TextEncoder().encode(`${lines.join('\n')}\n\n`);
}

/** Where server-sent events are written, as they come, however slowly they are read. */
export interface EventWriter {
  readonly body: ReadableStream<Uint8Array>;
  /** Bytes written and not yet read. */
  readonly bufferedBytes: () => number;
  write(event: ServerEvent): void;
  end(): void;
}

/** @param onEnd told once, when the reader leaves or the writer is ended */
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

/** What is done about the end of an answer that comes bit by bit. */
export interface Watch {
  /** The reader left, or has all: whatever makes the answer may stop. */
  readonly onLeave: () => void;
  readonly onFailure: (error: unknown) => void;
  /** Nothing is made any more. */
  readonly onEnd: () => void;
}

/** Events as a body, made whether they are read or not, until the reader leaves. */
export function eventBody(events: AsyncIterable<ServerEvent>, watch: Watch): ReadableStream<Uint8Array> {
  const writer = createEventWriter(watch.onLeave);
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

/** Lines as a body, made no faster than they are read. A failure cuts the body off, so that it cannot be taken for whole. */
export function lineBody(lines: AsyncGenerator<string>, watch: Watch): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await lines.next();
          if (!next.done) return controller.enqueue(encoder.encode(next.value));
          controller.close();
        } catch (error) {
          watch.onFailure(error);
          controller.error(new Error('The answer was cut off.'));
        }
        watch.onEnd();
      },
      async cancel() {
        watch.onLeave();
        await lines.return(undefined);
        watch.onEnd();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Another's answer passed on, as it comes if it is a stream of events. */
export function proxyResponse(body: ReadableStream<Uint8Array>, answer: Response, watch: Watch): Response {
  const headers = new Headers(answer.headers);
  if (headers.get('content-type')?.includes(EVENT_STREAM))
    for (const [name, value] of Object.entries(AS_IT_COMES)) headers.set(name, value);
  return new Response(watchBody(body, watch), { status: answer.status, headers });
}

/** A body passed on, and its end told. */
function watchBody(body: ReadableStream<Uint8Array>, { onLeave, onEnd }: Watch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await reader.read();
          if (!next.done) return controller.enqueue(next.value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        onEnd();
      },
      async cancel(reason) {
        onLeave();
        try {
          await reader.cancel(reason);
        } finally {
          onEnd();
        }
      },
    },
    { highWaterMark: 0 },
  );
}
