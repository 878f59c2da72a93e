import { onTestFailed } from 'vitest';
import { mulberry32 } from '../src/eval/compare.ts';

/** Random numbers from 0 to 1 for one test. A failing test prints the seed; `OMOIDE_SEED` repeats it. */
export function seededRandom(): () => number {
  const seed = Number(process.env['OMOIDE_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
  onTestFailed(({ task }) =>
    console.error(`${task.name}: repeat its random choices with OMOIDE_SEED=${seed}`),
  );
  return mulberry32(seed);
}
