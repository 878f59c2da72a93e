/** Personal data and secrets are masked in search, derivations and recall; masks can be corrected. */
import { expect, test } from 'vitest';
import {
  exportMemory,
  internals,
  openExport,
  openMemory,
  type Embedder,
  type Memory,
  type MemoryOptions,
} from '../../src/engine/engine.ts';
import { MASK } from '../../src/model/model.ts';
import { temporaryFolder } from '../temporary.ts';

const PASSWORD = 'Neko4711!';
const PHONE = '090-1234-5678';
const SECRET = `The password of the bridge camera is ${PASSWORD}`;
const PRIVATE = `Mia from the bridge club has a new number, call her on ${PHONE} tomorrow.`;

const turn = (text: string) => ({ conversationId: 'c', speaker: 'user', text });

async function open(options: MemoryOptions = {}): Promise<Memory> {
  return openMemory({
    dataDir: temporaryFolder(),
    embedder: { provider: 'hashed' },
    worker: false,
    ...options,
  });
}

/** All derived data as one text. */
async function derivedText(memory: Memory): Promise<string> {
  const units = await memory.units.list({ maxSensitivity: 'secret', withArchived: true });
  const episodes = units.map((unit) => (unit.kind === 'episode' ? { ...unit.payload, text: '' } : unit));
  return JSON.stringify([
    episodes,
    await memory.topics.list({}, { limit: 50 }),
    await memory.entities.list({}, { limit: 50 }),
  ]);
}

test('found values are in no vector, term, fact, summary or topic; the turn keeps them', async () => {
  const embedded: string[] = [];
  const embedder: Embedder = {
    id: 'spy',
    dimensions: 2,
    batchSize: 8,
    async embed(texts) {
      embedded.push(...texts);
      return texts.map((text) => new Float32Array([text.length % 7, 1]));
    },
  };
  const memory = await open({ embedder });
  await memory.add([turn(SECRET), turn(PRIVATE), turn(`I live in Kyoto. My e-mail is aoi@example.com.`)]);
  await internals(memory).settle();
  expect(embedded.join('\n')).toContain(`bridge camera is ${MASK}`);
  for (const value of [PASSWORD, PHONE, 'aoi@example.com']) {
    expect(embedded.join('\n')).not.toContain(value);
    expect(await derivedText(memory)).not.toContain(value);
  }
  expect((await memory.facts.list()).map(({ payload }) => payload.object)).toContain('Kyoto');
  const found = await memory.explore({ keywords: ['5678'] }, { maxSensitivity: 'secret' });
  expect(found).toMatchObject({ quotes: [], nothing: { reason: 'nothing_found' } });
  const said = await memory.conversations.recent('c', 3);
  expect(said.map(({ text }) => text)).toMatchObject([SECRET, PRIVATE, /aoi@example\.com/]);
  expect((await memory.admin.verify()).problems).toEqual([]);
  await memory.close();
});

test('they are recalled only on request, each level by its name', async () => {
  const memory = await open({ learn: false });
  await memory.add([turn(SECRET), turn(PRIVATE)]);
  await internals(memory).settle();
  const ways = {
    recall: async (options: object) =>
      JSON.stringify(
        (await memory.recall('the bridge camera, the bridge club', options)).hits.map(({ text, passage }) => [
          text,
          passage.text,
        ]),
      ),
    bundle: async (options: object) =>
      JSON.stringify((await memory.recall('the bridge club', { ...options, view: 'bundle' })).highlights),
    explore: async (options: object) =>
      JSON.stringify(await memory.explore({ text: 'bridge' }, { ...options, view: 'quote' })),
  };
  for (const way of Object.values(ways)) {
    const [unasked, personal, all] = [
      await way({}),
      await way({ maxSensitivity: 'private' }),
      await way({ maxSensitivity: 'secret' }),
    ];
    expect(unasked).toContain(MASK);
    expect(unasked).not.toContain(PHONE);
    expect(personal).toContain(PHONE);
    for (const shown of [unasked, personal]) expect(shown).not.toContain(PASSWORD);
    expect(all).toContain(PHONE);
  }
  expect(await ways.recall({ maxSensitivity: 'secret' })).toContain(PASSWORD);
  const about = 'Do you remember the new number of Mia from the bridge club?';
  expect((await memory.pack(about)).text).not.toContain(PHONE);
  expect((await memory.pack(about, { maxSensitivity: 'private' })).text).toContain(PHONE);
  await memory.close();
});

test('values that the rules missed can be masked later, also in derived data', async () => {
  const memory = await open();
  const words = 'marzipan lighthouse';
  const text = `My hobby is ${words}, and I live in Kyoto.`;
  const { unitId } = await memory.add(turn(text));
  await internals(memory).settle();
  await memory.units.add({
    content: {
      kind: 'summary',
      payload: { scope: 'weekly', scopeKey: '2026-W47', text: `Spoke of ${words}.`, evidence: [unitId] },
    },
  });
  expect(await derivedText(memory)).toContain(words);
  const from = text.indexOf(words);
  const corrected = await memory.units.mask({
    unitId,
    places: [{ kind: 'password', from, to: from + words.length }],
  });
  expect(corrected).toMatchObject({ sensitivity: 'secret', isMasked: true, places: [{ text: words }] });
  await internals(memory).settle();
  expect(await derivedText(memory)).not.toContain(words);
  const [summary] = await memory.units.list({ kinds: ['summary'], maxSensitivity: 'secret' });
  expect(summary).toMatchObject({ sensitivity: 'secret', payload: { text: `Spoke of ${MASK}.` } });
  const found = await memory.explore({ keywords: ['marzipan'] }, { maxSensitivity: 'secret' });
  expect(found).toMatchObject({ quotes: [] });
  await memory.close();
});

test('a false match can be unmasked, and is then found and learnt from again', async () => {
  const memory = await open();
  const text = 'The password of the film is Fidelio99, which I love.';
  const { unitId } = await memory.add(turn(text));
  const [listed] = await memory.units.sensitive();
  expect(listed).toMatchObject({
    unitId,
    text,
    isMasked: true,
    places: [{ kind: 'password', text: 'Fidelio99' }],
  });
  expect((await memory.recall('Fidelio99')).hits).toEqual([]);
  await memory.units.mask({ unitId, places: [] });
  await internals(memory).settle();
  expect((await memory.recall('Fidelio99')).hits).toMatchObject([{ unitId, text }]);
  expect(await memory.units.sensitive()).toEqual([]);
  expect(await memory.units.maskOld()).toBe(0);
  const wrong = { unitId, places: [{ kind: 'phone' as const, from: 3, to: 400 }] };
  await expect(memory.units.mask(wrong)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await expect(memory.units.mask({ unitId: 999, places: [] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await memory.close();
});

test('earlier turns are masked on request, and masks survive a rebuild and an export', async () => {
  const memory = await open({ sensitive: 'mark' });
  await memory.add([turn(SECRET), turn(PRIVATE), { ...turn(SECRET), sensitivity: 'normal' }]);
  expect(await memory.units.sensitive()).toMatchObject([{ isMasked: false }, { isMasked: false }]);
  expect((await memory.recall('bridge club')).hits[0]?.text).toContain(PHONE);
  expect(await memory.units.maskOld()).toBe(3);
  expect(await memory.units.maskOld()).toBe(0);
  expect((await memory.recall('bridge club')).hits[0]?.text).not.toContain(PHONE);
  await memory.close();

  const masking = await open();
  await masking.add([turn(SECRET), turn(PRIVATE), { ...turn(SECRET), sensitivity: 'normal' }]);
  await internals(masking).settle();
  await masking.units.mask({ unitId: 2, places: [] });
  const text = (await Array.fromAsync(exportMemory(masking))).join('');
  const opened = await openExport(new Blob([text]).stream() as AsyncIterable<Uint8Array>, 'It');
  const copy = await open();
  expect(await opened.importInto(copy)).toMatchObject({ added: 3, problems: [] });
  const shown = async (of: Memory) =>
    (await of.units.sensitive()).map(({ unitId, places, isMasked }) => ({ unitId, places, isMasked }));
  expect(await shown(copy)).toEqual(await shown(masking));
  expect(await shown(copy)).toMatchObject([{ unitId: 1, isMasked: true }]);
  expect((await Array.fromAsync(exportMemory(copy))).join('')).toBe(text);
  await masking.admin.rebuild('units');
  expect(await shown(masking)).toMatchObject([{ unitId: 1, isMasked: true }]);
  await Promise.all([copy.close(), masking.close()]);
});
