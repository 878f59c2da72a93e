import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { internals, openMemory, type Memory } from '../engine.ts';

let now = Date.UTC(2026, 5, 1);

async function open(): Promise<Memory> {
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    timeZone: 'UTC',
    now: () => now,
    embedder: null,
    worker: false,
  });
  onTestFinished(() => memory.close());
  for (const text of ['My sister Mia lives in Osaka.', 'She works as a nurse.']) await say(memory, text);
  return memory;
}

const say = (memory: Memory, text: string) => memory.add({ conversationId: 'c', speaker: 'user', text });
const planOf = async (memory: Memory, request: object) =>
  (await memory.forget({ ...request, dryRun: true })).plan ?? '';
const CHANGED = { code: 'VERSION_CONFLICT' };

test('a plan erases what the dry run showed, and turns that were added since stay', async () => {
  const memory = await open();
  const plan = await planOf(memory, { conversation: 'c' });
  await say(memory, 'We had tea at the harbour.');
  const erased = await memory.forget({ conversation: 'c', plan });
  expect(erased).toMatchObject({ isDryRun: false, plan: null, counts: { episode: 2 } });
  const left = await memory.units.list({ kinds: ['episode'] }, { limit: 10 });
  expect(left.map(({ payload }) => payload)).toMatchObject([{ text: 'We had tea at the harbour.' }]);
});

test('a plan that does not fit any more erases nothing', async () => {
  const memory = await open();
  const plan = await planOf(memory, { conversation: 'c' });
  await expect(memory.forget({ everything: true, plan })).rejects.toMatchObject(CHANGED);
  await internals(memory).settle();
  const facts = await memory.units.list({ kinds: ['fact'] }, { limit: 10 });
  expect(facts).not.toEqual([]);
  await expect(memory.forget({ conversation: 'c', plan })).rejects.toMatchObject(CHANGED);
  const ofTurn = await planOf(memory, { person: 'Mia' });
  await memory.forget({ turn: 1 });
  await expect(memory.forget({ person: 'Mia', plan: ofTurn })).rejects.toMatchObject(CHANGED);
  expect((await memory.admin.verify()).forgotten).toBe(1);
});

test('a plan is valid for 15 minutes', async () => {
  const memory = await open();
  const plan = await planOf(memory, { turn: 1 });
  now += 16 * 60_000;
  await expect(memory.forget({ turn: 1, plan })).rejects.toMatchObject(CHANGED);
  now -= 60_000;
  expect((await memory.forget({ turn: 1, plan })).receipt).not.toBeNull();
});

test('what is no plan is refused, as is a plan in a dry run, and a plan of nothing', async () => {
  const memory = await open();
  const plan = await planOf(memory, { turn: 1 });
  for (const request of [{ plan: 'yes' }, { plan: '' }, { plan, dryRun: true }])
    await expect(memory.forget({ turn: 1, ...request })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(await memory.forget({ person: 'Nobody', dryRun: true })).toMatchObject({ plan: null });
  expect((await memory.admin.verify()).forgotten).toBe(0);
});
