/** Turns are forgotten by age where this is configured, and nowhere else. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { internals, openMemory, type MemoryOptions } from '../src/engine/engine.ts';
import { temporaryFolder } from './temporary.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

async function open(dataDir: string, options: MemoryOptions = {}) {
  const memory = await openMemory({ dataDir, embedder: null, learn: false, now: () => NOW, ...options });
  onTestFinished(() => memory.close());
  return memory;
}

/** Two turns, 40 and 10 days old. */
async function fill(dataDir: string): Promise<void> {
  const memory = await open(dataDir, { worker: false });
  for (const days of [40, 10]) {
    const occurredAt = NOW - days * DAY_MS;
    await memory.add({ conversationId: `c${days}`, speaker: 'user', text: `${days} days ago`, occurredAt });
  }
  await memory.close();
}

test('turns older than the limit are forgotten, with a receipt, and others stay', async () => {
  const dataDir = temporaryFolder();
  await fill(dataDir);
  const memory = await open(dataDir, { retention: { turnsDays: 30 } });
  while ((await memory.admin.info()).turns > 1) await pause(5);
  await memory.close();
  const again = await open(dataDir);
  expect((await Array.fromAsync(again.conversations.turns())).map(({ text }) => text)).toEqual([
    '10 days ago',
  ]);
  expect(await again.admin.verify()).toMatchObject({ turns: 2, forgotten: 1, problems: [] });
  expect(await internals(again).store.forgetting.receipts()).toMatchObject([{ what: 'period' }]);
});

test('nothing is forgotten by age by default, or without background work', async () => {
  const dataDir = temporaryFolder();
  await fill(dataDir);
  for (const options of [{}, { retention: {} }, { retention: { turnsDays: 30 }, worker: false }]) {
    const memory = await open(dataDir, options);
    await memory.close();
  }
  const memory = await open(dataDir, { worker: false });
  expect((await memory.admin.info()).turns).toBe(2);
});

test.each([0, -1, 1.5, Number.NaN, 36_501])('rejects %s days', async (turnsDays) => {
  const opening = open(temporaryFolder(), { retention: { turnsDays } });
  await expect(opening).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test('versions and undo data are removed by age when requested', async () => {
  const dataDir = temporaryFolder();
  const before = await open(dataDir, { worker: false, now: () => NOW - 40 * DAY_MS });
  const payload = { subject: 'Mia', predicate: 'likes', object: 'tea', evidence: [] };
  const unknown = { objectEntityId: null, validFrom: null, validTo: null };
  const { id } = await before.units.add({ content: { kind: 'fact', payload: { ...payload, ...unknown } } });
  await before.close();
  const memory = await open(dataDir, { worker: false });
  await memory.units.update({ unitId: id, set: { salience: 0.9 }, reason: 'corrected' });
  expect(await memory.units.versions(id)).toHaveLength(2);
  await memory.close();
  const kept = await open(dataDir, { retention: { versionsDays: 50, journalDays: 50 } });
  await kept.close();
  const again = await open(dataDir, { retention: { versionsDays: 30, journalDays: 30 } });
  while ((await again.units.versions(id)).length > 1) await pause(5);
  expect(await again.admin.verify()).toMatchObject({ problems: [] });
});

test('rejects a misspelt setting', async () => {
  const retention = { turnDays: 3 } as MemoryOptions['retention'];
  await expect(open(temporaryFolder(), { ...(retention && { retention }) })).rejects.toThrow(/turnsDays/);
});
