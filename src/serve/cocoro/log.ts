/** `/api/logs/stream`: the last lines of the log, and each new one. */
import { upgradeWebSocket } from '@hono/node-server';
import type { Context } from 'hono';
import type { WebSocket } from 'ws';
import type { Caller } from '../auth.ts';
import { GOING_AWAY, keepAlive, MAX_UNREAD_BYTES, TRY_AGAIN_LATER } from '../eventStream.ts';
import type { LogFeed, LogLine } from '../logFeed.ts';
import type { ServerParts } from '../parts.ts';

const LEVELS = { error: 'ERROR', warn: 'WARNING', info: 'INFO', debug: 'DEBUG' } as const;

interface Reading {
  readonly caller: Caller | null;
  readonly parts: ServerParts;
  readonly logFeed: LogFeed;
}

/** @throws Problem RATE_LIMITED */
export async function serveLog(context: Context, { caller, parts, logFeed }: Reading): Promise<Response> {
  parts.streams.check(caller);
  let stop = () => {};
  return upgradeWebSocket(context, {
    onOpen(_, { raw }) {
      const socket = raw as WebSocket | undefined;
      if (!socket) return;
      const stopBeating = keepAlive(socket);
      const end = parts.streams.add(caller);
      const unsubscribe = logFeed.subscribe({
        read(line) {
          socket.send(JSON.stringify(toCocoroLine(line)));
          if (socket.bufferedAmount <= MAX_UNREAD_BYTES) return;
          socket.close(TRY_AGAIN_LATER, 'Too slow.');
          socket.terminate();
        },
        end: () => socket.close(GOING_AWAY, 'The server is stopping.'),
      });
      stop = () => {
        end();
        stopBeating();
        unsubscribe();
      };
    },
    onClose: () => stop(),
    onError: () => stop(),
  });
}

function toCocoroLine({ at, level, line }: LogLine): object {
  const ts = new Date(at).toISOString().replace('Z', '+00:00');
  return { ts, level: LEVELS[level], logger: 'omoide', msg: line.replaceAll(/\s*\n\s*/g, ' ') };
}
