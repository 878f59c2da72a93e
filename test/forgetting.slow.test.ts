/** An invented word appears in turns, facts, summaries and notes; after it is forgotten, no file contains it. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exportMemory, internals, openMemory, rotateMasterKey, type Memory } from '../src/engine/engine.ts';
import type { HeapRequest } from './processes/heapAfterForgetting.ts';
import { forgetInProcess } from './forgottenInHeap.ts';
import { temporaryFolder } from './temporary.ts';

const SECRET = 'I adopted a cat called Zylophantus last week. Quermel of Vorrantheim gave it to me.';
const OTHERS = [
  'What a lovely name, Zylophantus! How is the cat, Quermel?',
  'I went to the harbour with Mia yesterday and we had tea.',
  'We should visit the museum of trains tomorrow morning.',
  'My sister Mia lives in Osaka and works as a nurse.',
  'The weather in Osaka was great, we walked along the river.',
];

async function open(dataDir: string, notes?: string): Promise<Memory> {
  const memory = await openMemory({
    dataDir,
    timeZone: 'UTC',
    embedder: { provider: 'hashed' },
    worker: false,
    ...(notes && { notes: { global: notes } }),
  });
  onTestFinished(() => memory.close());
  return memory;
}

async function fill(memory: Memory): Promise<void> {
  for (const [i, text] of [SECRET, ...OTHERS].entries()) {
    await memory.add({
      conversationId: 'c1',
      speaker: i === 1 ? 'ai' : 'user',
      text,
      occurredAt: Date.UTC(2026, 4, 1) + i * 60_000,
      meta: i === 0 ? { channel: 'Vorrantheim radio' } : {},
    });
  }
  await internals(memory).settle();
  const [first] = await memory.units.list({ kinds: ['episode'] }, { limit: 1, oldestFirst: true });
  await memory.units.update({ unitId: first?.id ?? 0, set: { notes: { reflection: SECRET } }, reason: 'r' });
  await memory.journal.reorganize();
}

/** Substrings of 8 bytes of the words that a file of the folder contains, as `grep -a` would find them. */
function piecesIn(folder: string, words: string): string[] {
  const bytes = Buffer.from(words);
  const pieces = Array.from({ length: bytes.length - 7 }, (_, i) => bytes.subarray(i, i + 8));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
  return files.flatMap((path) => {
    const content = readFileSync(path);
    return pieces.filter((piece) => content.includes(piece)).map((piece) => `${path}: ${String(piece)}`);
  });
}

async function exported(memory: Memory): Promise<string> {
  return (await Array.fromAsync(exportMemory(memory))).join('');
}

const WORDS = ['Zylophantus', 'Quermel', 'Vorrantheim'];
const holds = (text: string) => WORDS.filter((word) => text.toLowerCase().includes(word.toLowerCase()));

test('forgotten text is in no file, recall, pack, exploration or export', async () => {
  const dataDir = temporaryFolder();
  const memory = await open(dataDir);
  await fill(memory);
  // It must have been learnt from, or the test proves nothing.
  const learnt = await memory.units.list({ kinds: ['fact', 'summary'] }, { limit: 100 });
  expect(learnt.filter((unit) => holds(JSON.stringify(unit)).length > 0).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['fact', 'summary']),
  );
  const dry = await memory.forget({ unit: 1, dryRun: true });
  expect(dry).toMatchObject({ isDryRun: true, receipt: null });
  expect(dry.samples.map(({ text }) => text).join()).toContain('Quermel');
  expect((await memory.admin.verify()).forgotten).toBe(0);

  await memory.forget({ turn: 2 });
  const { receipt } = await memory.forget({ turn: 1 });
  const again = await open(dataDir);
  for (const one of [memory, again]) {
    for (const query of [...WORDS, 'cat', SECRET]) {
      const { hits } = await one.recall(query, {
        maxSensitivity: 'secret',
        budgetTokens: 100_000,
        limit: 100,
      });
      expect(holds(JSON.stringify(hits))).toEqual([]);
      expect(holds((await one.pack(query)).text)).toEqual([]);
    }
    expect(holds(await exported(one))).toEqual([]);
    expect(holds(JSON.stringify(await one.topics.list({}, { limit: 100 })))).toEqual([]);
    expect(holds(JSON.stringify(await one.entities.list({}, { limit: 100 })))).toEqual([]);
    expect(holds(JSON.stringify(await one.journal.list({ limit: 100 })))).toEqual([]);
    expect(holds(JSON.stringify(await one.jobs.list({ limit: 100 })))).toEqual([]);
    const units = await one.units.list({ withArchived: true, maxSensitivity: 'secret' }, { limit: 1_000 });
    const versions = await Promise.all(units.map(({ id }) => one.units.versions(id)));
    expect(holds(JSON.stringify([units, versions]))).toEqual([]);
  }
  await again.close();
  await internals(memory).settle();
  expect(holds(JSON.stringify(await memory.units.list({ withArchived: true }, { limit: 1_000 })))).toEqual(
    [],
  );
  const verified = await memory.admin.verify({ receipt });
  expect(verified).toMatchObject({ turns: 6, forgotten: 2, firstBadTurn: null, problems: [] });
  expect(piecesIn(dataDir, SECRET)).toEqual([]);
  await memory.close();
  for (const word of [SECRET, ...OTHERS]) expect(piecesIn(dataDir, word)).toEqual([]);
}, 300_000);

test('a receipt is valid for one memory and its own contents only, and cannot be forged', async () => {
  const dataDir = temporaryFolder();
  const memory = await open(dataDir);
  await fill(memory);
  const { receipt } = await memory.forget({ turn: 1 });
  const problems = async (given: unknown) =>
    (await memory.admin.verify({ receipt: given })).problems.map(({ code }) => code);
  expect(await problems(receipt)).toEqual([]);
  expect(await problems({ ...receipt, turns: [[2, 2]] })).toEqual(['RECEIPT_WRONG']);
  expect(await problems({ ...receipt, memoryId: 'other' })).toEqual(['RECEIPT_WRONG']);
  expect(await problems('nothing')).toEqual(['RECEIPT_WRONG']);
}, 300_000);

test.each([
  ['a conversation', { conversation: 'c1' }, 6],
  ['a person', { person: 'Mia' }, 2],
  ['a period', { period: { from: Date.UTC(2026, 4, 1), to: Date.UTC(2026, 4, 1) + 60_001 } }, 2],
  ['everything', { everything: true }, 6],
] as const)(
  '%s',
  async (_, request, turns) => {
    const memory = await open(temporaryFolder());
    await fill(memory);
    const erased = await memory.forget(request);
    expect(erased.counts.episode).toBe(turns);
    expect(await memory.admin.verify({ receipt: erased.receipt })).toMatchObject({
      forgotten: turns,
      problems: [],
    });
    expect((await memory.admin.info()).turns).toBe(6 - turns);
  },
  300_000,
);

test('a note with the forgotten text stays, and is reported', async () => {
  const [dataDir, notes] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(notes, 'user'), { recursive: true });
  writeFileSync(join(notes, 'user', 'pets.md'), '# Pets\n\n- The kitten is Zylophantus Quermel.\n');
  const memory = await open(dataDir, notes);
  await fill(memory);
  await memory.forget({ turn: 2 });
  const erased = await memory.forget({ turn: 1 });
  expect(erased.notes.map(({ text }) => text).join()).toContain('Quermel');
  expect(readFileSync(join(notes, 'user', 'pets.md'), 'utf8')).toContain('Quermel');
}, 300_000);

test.each(['after', 'before'])(
  'what a note said is erased when it was removed from the file, %s the turns were forgotten',
  async (when) => {
    const [dataDir, notes] = [temporaryFolder(), temporaryFolder()];
    const path = join(notes, 'user', 'pets.md');
    mkdirSync(join(notes, 'user'), { recursive: true });
    writeFileSync(path, '# Pets\n\n- A kitten: Zylophantus.\n\n# Shops\n\n- Quermel of Vorrantheim.\n');
    let memory = await open(dataDir, notes);
    await fill(memory);
    const edit = async () => {
      await memory.close();
      writeFileSync(path, '# Pets\n\n- A kitten: the grey one.\n');
      memory = await open(dataDir, notes);
    };
    const remembered = async () => {
      const units = await memory.units.list({ withArchived: true, kinds: ['note'] }, { limit: 100 });
      return JSON.stringify(await Promise.all(units.map(({ id }) => memory.units.versions(id))));
    };
    if (when === 'before') await edit();
    expect(holds(await remembered())).toEqual(WORDS);
    const erased = await memory.forget({ conversation: 'c1' });
    expect(erased.notes).toHaveLength(when === 'after' ? 2 : 0);
    if (when === 'after') {
      await edit();
      for (const { unitId } of erased.notes) await memory.forget({ unit: unitId });
    }
    expect(holds(await remembered())).toEqual([]);
    expect(holds(await exported(memory))).toEqual([]);
    expect(await remembered()).toContain('the grey one');
    expect((await memory.recall('kitten')).hits).toHaveLength(1);
    expect((await memory.admin.verify()).problems).toEqual([]);
  },
  300_000,
);

test('after the master key is rotated the memory is readable, and an old copy of the keys is useless', async () => {
  const dataDir = temporaryFolder();
  const memory = await open(dataDir);
  await fill(memory);
  await memory.close();
  const old = readFileSync(join(dataDir, 'keys.db'));
  const oldKey = readFileSync(join(dataDir, 'master.key'), 'utf8');
  rotateMasterKey(dataDir);
  expect(readFileSync(join(dataDir, 'master.key'), 'utf8')).not.toBe(oldKey);
  const again = await open(dataDir);
  expect((await again.admin.verify()).problems).toEqual([]);
  await again.close();
  writeFileSync(join(dataDir, 'keys.db'), old);
  await expect(open(dataDir).then((one) => one.admin.verify())).rejects.toMatchObject({
    code: 'KEY_MISSING',
  });
}, 300_000);

test('a memory without its keys does not open, and the error says what is missing', async () => {
  const dataDir = temporaryFolder();
  const memory = await open(dataDir);
  await fill(memory);
  await memory.close();
  const keys = readFileSync(join(dataDir, 'keys.db'));
  writeFileSync(join(dataDir, 'keys.db'), '');
  await expect(open(dataDir)).rejects.toMatchObject({ code: 'KEY_MISSING' });
  writeFileSync(join(dataDir, 'keys.db'), keys);
  expect((await (await open(dataDir)).recall('harbour')).hits.length).toBeGreaterThan(0);
}, 300_000);

test('an added fact is erased alone, though others share its words', async () => {
  const memory = await open(temporaryFolder());
  const payload = { subject: 'user', predicate: 'likes' };
  const add = (object: string) =>
    memory.units.add({ content: { kind: 'fact', payload: { ...payload, object } } });
  const tea = await add('green tea');
  const coffee = await add('black coffee');
  expect((await memory.forget({ unit: tea.id, dryRun: true })).counts.fact).toBe(1);
  await memory.forget({ unit: tea.id });
  expect((await memory.units.list()).map(({ id }) => id)).toEqual([coffee.id]);
});

test('what a job of another process writes after it read the text is erased, too', async () => {
  const dataDir = temporaryFolder();
  const memory = await open(dataDir);
  await fill(memory);
  const other = await open(dataDir);
  const { store } = internals(other);
  const now = Date.now();
  await store.jobs.enqueue([{ kind: 'summarize', key: 'late', conversationId: null, input: {} }], now);
  const [job] = await store.jobs.claim({
    kinds: ['summarize'],
    limit: 1,
    now,
    owner: 'other',
    leaseMs: 60_000,
  });
  const forgetting = memory.forget({ turn: 1 });
  while (!(await store.evidence.get([1]))[0]?.isForgotten)
    await new Promise((resolve) => setTimeout(resolve, 5));
  await other.units.add({
    content: {
      kind: 'loop',
      payload: { text: `Somebody spoke of ${WORDS.join(', ')} and a museum of trains.` },
    },
  });
  await other.units.add({ content: { kind: 'loop', payload: { text: 'Visit the museum of trains.' } } });
  await store.jobs.settle('other', [{ jobId: job?.id ?? 0, result: 'done' }]);
  await forgetting;
  await Promise.all([memory.close(), other.close()]);
  expect(piecesIn(dataDir, SECRET)).toEqual([]);
  const again = await open(dataDir);
  const loops = await again.units.list({ kinds: ['loop'], withArchived: true }, { limit: 100 });
  expect(loops.filter((unit) => holds(JSON.stringify(unit)).length > 0)).toEqual([]);
  expect(JSON.stringify(loops)).toContain('Visit the museum of trains.');
  expect((await again.admin.verify()).problems).toEqual([]);
  expect(await internals(again).store.forgetting.receipts()).toHaveLength(2);
});

test.each(['library', 'server', 'other library', 'other server', 'worker'] satisfies HeapRequest['role'][])(
  'what was forgotten is in no string of a running process: %s',
  async (role) => {
    const forgotten = await forgetInProcess({ role, dataDir: temporaryFolder() });
    expect(forgotten).toEqual({ neverLearnt: [], left: [] });
  },
  300_000,
);
