import { expect, test } from 'vitest';
import { runSoak } from './run.ts';

test('three days with a faulty model and two kills: nothing is lost, and reminders are sent once, on time', async () => {
  const { problems, figures } = await runSoak(3);
  expect(problems).toEqual([]);
  expect(figures['processes killed']).toBe(2);
}, 300_000);
