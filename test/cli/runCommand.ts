import { vi } from 'vitest';
import { main } from '../../src/cli/main.ts';

/** How a command ended, and what it printed. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Carries out a command line in this process, as if in a pipe. */
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
    // Each command adds its own.
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  }
}
