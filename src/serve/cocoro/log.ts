/** `/api/logs/stream`: the last lines of the log, and each new one. */
import type { Context } from 'hono';
import type { Caller } from '../auth.ts';
import {
  GOING_AWAY,
  MAX_UNREAD_BYTES,
  openWebSocket,
  POLICY_VIOLATION,
  TRY_AGAIN_LATER,
} from '../eventStream.ts';
import type { LogFeed, LogLine } from '../logFeed.ts';
import type { ServerParts } from '../parts.ts';
import { whenInvalid } from '../streamLimit.ts';

const LEVELS = { error: 'ERROR', warn: 'WARNING', info: 'INFO', debug: 'DEBUG' } as const;

/** @throws Problem RATE_LIMITED */
export function serveLog(
  context: Context,
  parts: ServerParts,
  { caller, logFeed }: { readonly caller: Caller | null; readonly logFeed: LogFeed },
): Promise<Response> {
  return openWebSocket(context, { parts, caller }, (socket) => {
    const refuse = () => socket.close(POLICY_VIOLATION, 'The token is no longer valid.');
    const stopChecking = whenInvalid(caller, refuse);
    const unsubscribe = logFeed.subscribe({
      read(line) {
        if (caller && !caller.isValid()) return refuse();
        socket.send(JSON.stringify(toCocoroLine(line)));
        if (socket.bufferedAmount <= MAX_UNREAD_BYTES) return;
        socket.close(TRY_AGAIN_LATER, 'Too slow.');
        socket.terminate();
      },
      end: () => socket.close(GOING_AWAY, 'The server is stopping.'),
    });
    return {
      stop() {
        stopChecking();
        unsubscribe();
      },
    };
  });
}

function toCocoroLine({ at, level, line }: LogLine): object {
  const ts = new Date(at).toISOString().replace('Z', '+00:00');
  return { ts, level: LEVELS[level], logger: 'omoide', msg: line.replaceAll(/\s*\n\s*/g, ' ') };
}
