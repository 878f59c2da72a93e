import { vi } from 'vitest';
import { main } from '../../src/cli/main.ts';

/** The exit code of a command, and its output. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process, with its output piped. */
export async function runCommand(...args: string[]): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text);
      return true;
    }),
  );
  try {
    return { code: await main(args), ...printed };
  } finally {
    for (const spy of spies) spy.mockRestore();
    // Each command adds its own listener.
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  }
}
