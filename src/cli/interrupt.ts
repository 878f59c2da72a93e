import { once } from 'node:events';
import { EXIT } from './exit.ts';
import { printLines } from './terminal.ts';

/** npm passes on the Ctrl-C that the terminal has already sent: signals within this time count as one. */
const DUPLICATE_SIGNAL_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs `body` with a signal that Ctrl-C aborts, so that it can stop at a consistent point. A second Ctrl-C ends the
 * process at once; the memory's file is consistent then, too.
 */
export async function interruptible<T>(body: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stopListening = onFirstSignal(['SIGINT'], () => {
    printLines(['', 'Stopping; press Ctrl-C again to stop at once.'], process.stderr);
    controller.abort();
  });
  try {
    return await body(controller.signal);
  } finally {
    stopListening();
  }
}

/**
 * Runs `body`, which lasts until its signal is aborted by Ctrl-C or SIGTERM; that is the normal end of a server. A
 * second signal ends the process at once; everything acknowledged is on the disk then, too.
 */
export async function untilStopped(
  body: (signal: AbortSignal) => Promise<void>,
  onStop: (signal: NodeJS.Signals) => void,
): Promise<void> {
  const controller = new AbortController();
  const stopListening = onFirstSignal(SIGNALS, (signal) => {
    onStop(signal);
    controller.abort();
  });
  try {
    await body(controller.signal);
  } finally {
    stopListening();
  }
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Calls `listener` on the first of the signals; a second signal of any kind ends the process. */
function onFirstSignal(
  signals: readonly NodeJS.Signals[],
  listener: (signal: NodeJS.Signals) => void,
): () => void {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      listener(signal);
    } else if (performance.now() - firstAt > DUPLICATE_SIGNAL_MS) process.exit(EXIT.interrupted);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}
