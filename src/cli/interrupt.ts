import { EXIT } from './exit.ts';
import { printLines } from './terminal.ts';

/** npm sends its script the Ctrl-C that the terminal has sent it already: signals this close together are one. */
const SAME_PRESS_MS = 500;

/**
 * Runs `body` with a signal that Ctrl-C aborts, so that it can come to an end where everything is whole. A second
 * Ctrl-C ends the process at once; the memory's file is consistent then, too.
 */
export async function interruptible<T>(body: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let pressedAt = 0;
  const onPress = () => {
    if (controller.signal.aborted) {
      if (performance.now() - pressedAt > SAME_PRESS_MS) process.exit(EXIT.interrupted);
      return;
    }
    pressedAt = performance.now();
    printLines(['', 'Stopping; press Ctrl-C again to stop at once.'], process.stderr);
    controller.abort();
  };
  process.on('SIGINT', onPress);
  try {
    return await body(controller.signal);
  } finally {
    process.off('SIGINT', onPress);
  }
}
