import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { internals, openMemory } from '../src/engine/engine.ts';
import { FIXTURE_EMBEDDER } from './fixtures/make.ts';
import { temporaryFolder } from './temporary.ts';

const FIXTURES = fileURLToPath(new URL('fixtures', import.meta.url));
/** A memory in the format of each released schema version: a copy must open and keep all its contents. */
const OLD_FILES = readdirSync(FIXTURES).filter((name) => name.endsWith('.omoide'));

test('there is a file for every schema version', async () => {
  const memory = await openMemory({ dataDir: temporaryFolder(), embedder: null, worker: false });
  const { schemaVersion } = await memory.admin.info();
  await memory.close();
  expect(OLD_FILES.toSorted()).toEqual(
    Array.from({ length: schemaVersion }, (_, i) => `memory_v${i + 1}.omoide`),
  );
});

/** The contents of each version's file. */
const HELD: Readonly<Record<string, { units: number; queued: number }>> = {
  'memory_v1.omoide': { units: 8, queued: 1 },
  'memory_v2.omoide': { units: 11, queued: 3 },
  'memory_v3.omoide': { units: 11, queued: 3 },
  'memory_v4.omoide': { units: 11, queued: 3 },
  'memory_v5.omoide': { units: 11, queued: 3 },
  'memory_v6.omoide': { units: 11, queued: 3 },
};

/** From version 4 on, reading a memory needs its keys, which are stored next to it. */
const KEY_FILES = [
  ['keys', 'keys.db'],
  ['master', 'master.key'],
] as const;

test.each(OLD_FILES)('%s opens, verifies, recalls and takes new turns', async (name) => {
  const dataDir = temporaryFolder();
  copyFileSync(join(FIXTURES, name), join(dataDir, 'memory_default.db'));
  for (const [form, file] of KEY_FILES) {
    const kept = join(FIXTURES, name.replace(/omoide$/, form));
    if (existsSync(kept)) copyFileSync(kept, join(dataDir, file));
  }
  const memory = await openMemory({ dataDir, timeZone: 'UTC', embedder: FIXTURE_EMBEDDER, worker: false });
  onTestFinished(() => memory.close());
  const { units, queued } = HELD[name]!;
  expect(memory.timeZone).toBe('Asia/Tokyo');
  expect(await memory.admin.verify()).toMatchObject({ turns: 7, units, problems: [] });
  const turns = await Array.fromAsync(memory.conversations.turns());
  expect(turns[0]).toMatchObject({
    conversationId: '旅行',
    turnIndex: 0,
    speaker: '美咲',
    text: '那須塩原の吊り橋、すごく揺れたね。',
    occurredAt: Date.UTC(2024, 4, 1, 1),
    meta: { n: 0 },
  });
  for (const [query, text] of [
    ['吊り橋は揺れた？', '吊り橋'],
    ["Melanie's cat", 'Pebble'],
    ['颐和园划船', '颐和园'],
  ] as const) {
    const { hits } = await memory.recall(query, { now: '2024-06-02' });
    expect(hits[0]?.text).toContain(text);
  }
  expect((await memory.units.versions(7))[0]).toMatchObject({ version: 1, reason: 'remembered' });
  expect(await memory.admin.info()).toMatchObject({
    vectorModel: { id: 'fixture', count: units - 1 },
    jobs: { queued },
  });
  await internals(memory).settle();
  const after = await memory.admin.verify();
  expect(after.units).toBeGreaterThanOrEqual(units);
  expect(await memory.admin.info()).toMatchObject({
    vectorModel: { count: after.units },
    jobs: { failed: 0 },
  });
  const { conversationId, turnIndex, speaker, text } = turns[0]!;
  expect(await memory.add({ conversationId, turnIndex, speaker, text })).toMatchObject({
    turnId: 1,
    isNew: false,
  });
  expect(await memory.add({ conversationId: 'cats', speaker: 'ai', text: 'new' })).toMatchObject({
    turnIndex: 3,
  });
  expect((await memory.admin.verify()).problems).toEqual([]);
});
