import type { WorkerEvent } from '../engine/engine.ts';

/** Where lines of the log go: never a token, a key, or words of a request. What is said without a level is `info`. */
export type Log = (line: string, level?: 'error' | 'warn' | 'info' | 'debug') => void;

/** Says what went wrong in the background; what went well is counted. */
export function logWork(log: Log, event: WorkerEvent): void {
  if (event.type === 'stalled') log(`Background work waits: ${event.error}`, 'warn');
  else if (event.type !== 'done')
    log(
      `Job ${event.jobId} (${event.kind}) ${event.type}: ${event.error}`,
      event.type === 'retry' ? 'info' : 'warn',
    );
}
