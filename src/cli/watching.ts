import { statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isMemoryError } from '../engine/engine.ts';
import { aborted, untilStopped } from './interrupt.ts';
import { printNote } from './terminal.ts';

/** A file is written in pieces: it is read when nothing has changed for this many milliseconds. */
const QUIET_MS = 1_000;

/**
 * Calls `take` when files at or under `paths` have changed and writing has stopped, one call after the other, until
 * Ctrl-C or SIGTERM. An error of one call is printed, and watching continues.
 */
export async function followChanges(paths: readonly string[], take: () => Promise<void>): Promise<void> {
  let taking = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      taking = taking.then(take).catch(reportError);
    }, QUIET_MS);
  };
  await untilStopped(
    async (signal) => {
      for (const path of paths) watchPath(path, changed, signal);
      printNote(`watching ${paths.join(', ')}; Ctrl-C ends it.`);
      await aborted(signal);
      clearTimeout(timer);
      await taking;
    },
    () => printNote('stopping after the current import.'),
  );
}

/** Watches a folder with everything in it; for a file its folder, since programs replace files. */
function watchPath(path: string, changed: () => void, signal: AbortSignal): void {
  if (statSync(path).isDirectory()) watch(path, { recursive: true, signal }, changed);
  else watch(dirname(path), { signal }, (_, name) => name === basename(path) && changed());
}

function reportError(error: unknown): void {
  if (!isMemoryError(error)) throw error;
  printNote(`${error.message} Still watching.`);
}
