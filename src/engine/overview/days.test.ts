import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { internals } from '../internals.ts';
import { openMemory } from '../engine.ts';

const MINUTE_MS = 60_000;

test('turns count to the day of the memory’s time zone, also when clocks change', async () => {
  const timeZone = 'Europe/London';
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    timeZone,
    embedder: null,
    learn: false,
    reorganize: 'never',
  });
  onTestFinished(() => memory.close());
  // Clocks go forward on 29 March 2026 and back on 25 October.
  const starts = ['2026-03-27T22:00:00Z', '2026-10-23T22:00:00Z'].map(Date.parse);
  const instants = starts.flatMap((start) =>
    Array.from({ length: 144 }, (_, i) => start + i * 31 * MINUTE_MS),
  );
  await memory.add(
    instants.map((occurredAt, i) => ({
      conversationId: 'c',
      speaker: 'user',
      text: `The clock strikes ${i}.`,
      occurredAt,
    })),
  );
  const format = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone });
  const counted = Map.groupBy(instants, (at) => format.format(at));
  const expected = Array.from(counted, ([date, turns]) => ({ date, turns: turns.length, mood: null }));
  expect(await internals(memory).overview.days()).toEqual(expected);
});
