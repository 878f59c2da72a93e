/** Derived data in exports is imported unchanged. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportMemory, internals, openExport, openMemory, type Memory } from '../src/engine/engine.ts';
import { runCommand } from './cli/runCommand.ts';
import { temporaryFolder } from './temporary.ts';

async function exported(memory: Memory): Promise<string> {
  return (await Array.fromAsync(exportMemory(memory))).join('');
}

async function imported(text: string, dataDir = temporaryFolder()) {
  const opened = await openExport(new Blob([text]).stream() as AsyncIterable<Uint8Array>, 'It');
  const memory = await openMemory({
    dataDir,
    timeZone: opened.header.timeZone,
    embedder: { provider: 'hashed' },
    worker: false,
  });
  return { memory, report: await opened.importInto(memory) };
}

/** A memory with facts learnt by rules, and with every kind of correction by hand. */
async function filledMemory(samples: readonly string[] = []): Promise<Memory> {
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    timeZone: 'Asia/Tokyo',
    embedder: { provider: 'hashed' },
    worker: false,
  });
  for (const sample of samples) await memory.admin.importFile(join('examples/conversations', sample));
  await memory.add([
    { conversationId: 'me', speaker: 'user', text: 'My name is Aoi and I live in Kyoto with my cat Miso.' },
    { conversationId: 'me', speaker: 'user', text: 'I have to call the dentist tomorrow.' },
    { conversationId: 'me', speaker: 'user', text: 'A secret of mine.', sensitivity: 'secret' },
  ]);
  await internals(memory).settle();
  const [episode, other] = await memory.units.list({ kinds: ['episode'] }, { limit: 2 });
  await memory.units.update({
    unitId: episode?.id ?? 0,
    set: {
      pinned: true,
      sensitivity: 'private',
      topicTags: ['home'],
      notes: { reflection: 'A day at home.' },
    },
  });
  await memory.units.update({ unitId: other?.id ?? 0, set: { state: 'archived' } });
  const evidence = [episode?.id ?? 0];
  const later = await memory.units.add({
    content: { kind: 'fact', payload: { subject: 'user', predicate: 'likes', object: '抹茶', evidence } },
  });
  await memory.units.update({ unitId: later.id, set: { reinforcement: 3 } });
  await memory.remember('Answer briefly.');
  await memory.units.add({
    sensitivity: 'secret',
    content: { kind: 'loop', payload: { text: 'The gift.' } },
  });
  const [topic] = await memory.topics.list({}, { limit: 1 });
  await memory.topics.update(topic?.id ?? 0, { title: '旅の話', strength: 0.75 });
  const [entity] = await memory.entities.list({}, { limit: 1 });
  await memory.entities.update(entity?.id ?? 0, { aliases: ['A', 'B'], salience: 0.9 });
  return memory;
}

test('export → import → export gives the same file, and nothing is learnt again', async () => {
  const memory = await filledMemory(['ja.jsonl']);
  const text = await exported(memory);
  for (const kind of [
    '"omoide":"entity"',
    '"omoide":"topic"',
    '"kind":"fact"',
    '"kind":"note"',
    '"kind":"loop"',
  ])
    expect(text).toContain(kind);
  const { memory: copy, report } = await imported(text);
  expect(report).toMatchObject({ problems: [], remarks: [] });
  expect(await exported(copy)).toBe(text);
  expect((await copy.jobs.list({ limit: 1_000 })).map(({ kind }) => kind)).not.toContain('extract_facts');
  await internals(copy).settle();
  expect(await exported(copy)).toBe(text);
  const { problems, chainHead } = await copy.admin.verify();
  expect({ problems, chainHead }).toEqual({
    problems: [],
    chainHead: (await memory.admin.verify()).chainHead,
  });
  const facts = await copy.facts.list();
  expect(facts.map(({ payload }) => payload.object)).toContain('抹茶');
  // The evidence belongs to the copy.
  const [cited] = facts.find(({ payload }) => payload.object === '抹茶')?.payload.evidence ?? [];
  expect(await copy.units.get([cited ?? 0])).toMatchObject([{ pinned: true, sensitivity: 'private' }]);
  await Promise.all([memory.close(), copy.close()]);
});

test('a memory that already has derived data imports the turns alone, and says so', async () => {
  const memory = await filledMemory();
  const text = await exported(memory);
  const { memory: copy } = await imported(text);
  await copy.add({ conversationId: 'later', speaker: 'user', text: 'More.' });
  const before = await copy.admin.info();
  const opened = await openExport(new Blob([text]).stream() as AsyncIterable<Uint8Array>, 'It');
  const report = await opened.importInto(copy);
  expect(report).toMatchObject({ added: 0, remarks: [expect.stringContaining('left out')] });
  expect((await copy.admin.info()).units).toEqual(before.units);
  await Promise.all([memory.close(), copy.close()]);
});

test('a damaged line of derived data is reported with its line number', async () => {
  const text = await exported(await filledMemory());
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.includes('"omoide":"topic"'));
  lines[at] = (lines[at] ?? '').replace('"strength":', '"strength":"');
  const { report } = await imported(lines.join('\n'));
  expect(report.problems).toMatchObject([{ line: at + 1, code: 'INVALID_INPUT' }]);
});

test('the command overwrites a file only with --force', async () => {
  const dataDir = temporaryFolder();
  const memory = await openMemory({ dataDir, embedder: null, worker: false });
  await memory.add({ conversationId: 'c', speaker: 'user', text: 'One.' });
  await memory.close();
  const file = join(temporaryFolder(), 'life.jsonl');
  const run = (...more: string[]) => runCommand('export', file, '--data', dataDir, ...more);
  expect((await run()).code).toBe(0);
  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
  expect((await run('--force')).code).toBe(0);
});
