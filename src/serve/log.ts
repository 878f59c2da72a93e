import type { WorkerEvent } from '../engine/engine.ts';

/** Writes a line to the log. It must not contain tokens, keys, or text of a request. The default level is `info`. */
export type Log = (line: string, level?: 'error' | 'warn' | 'info' | 'debug') => void;

/** Logs errors of background work; successes are only counted. */
export function logWork(log: Log, event: WorkerEvent): void {
  if (event.type === 'stalled') log(`Background work is paused: ${event.error}`, 'warn');
  else if (event.type !== 'done')
    log(
      `Job ${event.jobId} (${event.kind}) ${event.type}: ${event.error}`,
      event.type === 'retry' ? 'info' : 'warn',
    );
}
