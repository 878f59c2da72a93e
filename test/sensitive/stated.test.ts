/** Personal data in added units, notes, names of speakers and imports. */
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  exportMemory,
  internals,
  openExport,
  openMemory,
  type Memory,
  type MemoryOptions,
} from '../../src/engine/engine.ts';
import { MASK } from '../../src/model/model.ts';
import { temporaryFolder } from '../temporary.ts';

const PHONE = '090-1234-5678';
const PASSWORD = 'Neko4711!';
const TAKING = ['off', 'mark', 'mask'] as const;
const POLICIES = [...TAKING, 'refuse'] as const;
type Policy = (typeof POLICIES)[number];

async function open(sensitive: Policy, options: MemoryOptions = {}): Promise<Memory> {
  const embedder = { provider: 'hashed' } as const;
  return openMemory({ dataDir: temporaryFolder(), embedder, worker: false, sensitive, ...options });
}

const loop = (text: string) => ({
  content: { kind: 'loop' as const, payload: { text, dueAt: null, status: 'open' as const, evidence: [] } },
});

describe('an added unit', () => {
  test('refuse', async () => {
    const memory = await open('refuse');
    await expect(memory.units.add(loop(`Call the ferry office on ${PHONE}`))).rejects.toMatchObject({
      code: 'SENSITIVE_TEXT',
      message: expect.not.stringContaining(PHONE) as unknown,
    });
    await expect(memory.remember(`The password is ${PASSWORD}`)).rejects.toMatchObject({
      code: 'SENSITIVE_TEXT',
    });
    expect((await memory.units.list()).length).toBe(0);
    await memory.close();
  });

  test.each(TAKING)('%s', async (policy) => {
    const memory = await open(policy);
    const unit = await memory.units.add(loop(`Call the ferry office on ${PHONE}`));
    expect(unit.sensitivity).toBe(policy === 'off' ? 'normal' : 'private');
    const shown = async (maxSensitivity?: 'private') =>
      (await memory.recall('ferry office', maxSensitivity ? { maxSensitivity } : {})).hits[0]?.text;
    expect(await shown()).toBe(`Call the ferry office on ${policy === 'mask' ? MASK : PHONE}`);
    expect(await shown('private')).toBe(`Call the ferry office on ${PHONE}`);
    const found = await internals(memory).store.indexes.text.search(['1234'], {}, 5);
    expect(found.length).toBe(policy === 'mask' ? 0 : 1);
    expect((await memory.pack('ferry office')).text.includes(PHONE)).toBe(policy !== 'mask');
    await memory.close();
  });
});

test('remembered text with a secret is stored once, and returned only on request', async () => {
  const memory = await open('mask');
  const said = `The password of the bridge camera is ${PASSWORD}`;
  const { unitId } = await memory.remember(said);
  expect(await memory.remember(said)).toMatchObject({ outcome: 'reinforced', unitId });
  expect(await memory.remember(said.replace(PASSWORD, 'Fidelio99'))).toMatchObject({ outcome: 'added' });
  expect((await memory.recall('bridge camera')).hits).toEqual([]);
  const { hits } = await memory.recall('bridge camera', { maxSensitivity: 'secret' });
  expect(hits.map(({ text }) => text)).toContain(said);
  const listed = (await memory.units.sensitive()).find((one) => one.unitId === unitId);
  expect(listed).toMatchObject({ kind: 'note', text: said, places: [{ kind: 'password', text: PASSWORD }] });
  await memory.close();
});

test('masks of a unit can be corrected, and are kept when it is edited', async () => {
  const memory = await open('mask');
  const { id: unitId } = await memory.units.add(loop(`Call ${PHONE}, ask for room 12`));
  const shown = async () => (await memory.units.get([unitId]))[0];
  await memory.units.update({ unitId, set: { content: loop(`Call ${MASK} tonight`).content } });
  expect(await shown()).toMatchObject({ payload: { text: `Call ${MASK} tonight` }, sensitivity: 'private' });
  expect(await memory.units.sensitive()).toMatchObject([{ unitId, text: `Call ${PHONE} tonight` }]);
  await memory.units.mask({ unitId, places: [] });
  expect(await shown()).toMatchObject({ payload: { text: `Call ${PHONE} tonight` }, sensitivity: 'normal' });
  await memory.units.update({ unitId, set: { content: loop(`Call ${PHONE}, or a@example.com`).content } });
  expect(await shown()).toMatchObject({ payload: { text: `Call ${PHONE}, or ${MASK}` } });
  await memory.units.mask({ unitId, places: [{ kind: 'password', from: 0, to: 4 }] });
  expect(await shown()).toMatchObject({
    payload: { text: `${MASK} ${PHONE}, or a@example.com` },
    sensitivity: 'secret',
  });
  expect(await memory.units.maskOld()).toBe(0);
  await memory.close();
});

test('the fields of a fact are examined together', async () => {
  const memory = await open('mask');
  const payload = { subject: 'wifi', predicate: 'password', object: PASSWORD };
  const unit = await memory.units.add({ content: { kind: 'fact', payload } });
  expect(unit).toMatchObject({ sensitivity: 'secret', payload: { ...payload, object: MASK } });
  expect(await memory.units.sensitive()).toMatchObject([{ text: `wifi password ${PASSWORD}` }]);
  await memory.close();
});

describe('a note file', () => {
  test.each(POLICIES)('%s', async (policy) => {
    const global = temporaryFolder();
    mkdirSync(join(global, 'user'));
    const path = join(global, 'user/ferry.md');
    const text = `# Ferry\n\nThe office has the number ${PHONE}.\n\n# Camera\n\nIts password is ${PASSWORD}\n`;
    writeFileSync(path, text);
    const dataDir = temporaryFolder();
    const memory = await open(policy, { dataDir, notes: { global } });
    const isMasked = policy === 'mask' || policy === 'refuse';
    const unitsOf = async () =>
      (await memory.units.list({ kinds: ['note'], maxSensitivity: 'secret' }))
        .filter(({ state }) => state !== 'archived')
        .toSorted((a, b) => a.id - b.id);
    const units = await unitsOf();
    expect(units.map(({ sensitivity }) => sensitivity)).toEqual(
      policy === 'off' ? ['normal', 'normal'] : ['private', 'secret'],
    );
    const told = JSON.stringify(units.map(({ payload }) => ('text' in payload ? payload.text : '')));
    expect(told.includes(PHONE)).toBe(!isMasked);
    expect(JSON.stringify(units).includes(PHONE)).toBe(policy !== 'refuse');
    const find = async () => JSON.stringify((await memory.notes?.find('number of the ferry office'))?.hits);
    expect((await find()).includes(PHONE)).toBe(!isMasked);
    expect(readFileSync(path, 'utf8')).toBe(text);
    // An edit of one section keeps the other section and its masks.
    writeFileSync(path, text.replace('office', 'harbour office'));
    await memory.close();
    const again = await open(policy, { dataDir, notes: { global } });
    const now = (await again.units.list({ kinds: ['note'], maxSensitivity: 'secret' })).toSorted(
      (a, b) => a.id - b.id,
    );
    expect(now.map(({ id, version }) => [id, version])).toEqual([
      [units[0]?.id, 2],
      [units[1]?.id, 1],
    ]);
    expect(now[0]?.payload).toMatchObject({
      text: `The harbour office has the number ${isMasked ? MASK : PHONE}.`,
    });
    await again.close();
  });

  test('a removed mask stays removed after an edit, and a file marked as normal is not examined', async () => {
    const global = temporaryFolder();
    mkdirSync(join(global, 'user'));
    const path = join(global, 'user/ferry.md');
    writeFileSync(path, `# Ferry\n\nThe office has the number ${PHONE}.\n`);
    writeFileSync(join(global, 'user/shop.md'), `---\nsensitivity: normal\n---\n# Shop\n\nCall ${PHONE}.\n`);
    const dataDir = temporaryFolder();
    const memory = await open('mask', { dataDir, notes: { global } });
    const [listed, ...others] = await memory.units.sensitive();
    expect(others).toEqual([]);
    await memory.units.mask({ unitId: listed?.unitId ?? 0, places: [] });
    await memory.close();
    writeFileSync(path, `# Ferry\n\nThe office still has the number ${PHONE}.\n`);
    const again = await open('mask', { dataDir, notes: { global } });
    expect(await again.units.sensitive()).toEqual([]);
    await again.close();
  });
});

describe('the name of a speaker', () => {
  const speakersOf = async (memory: Memory) =>
    (await memory.units.get([1, 2])).map((unit) => (unit.kind === 'episode' ? unit.payload.speaker : ''));

  test('the name of a speaker', async () => {
    const memory = await open('refuse');
    const add = memory.add({ conversationId: 'c', speaker: PHONE, text: 'The ferry leaves at nine.' });
    await expect(add).rejects.toMatchObject({ code: 'SENSITIVE_TEXT' });
    await memory.close();
  });

  test.each(TAKING)('%s', async (policy) => {
    const memory = await open(policy);
    await memory.add({ conversationId: 'c', speaker: PHONE, text: 'The ferry leaves at nine.' });
    await memory.add({ conversationId: 'c', speaker: PHONE, text: 'I bring the tickets for the ferry.' });
    await internals(memory).settle();
    const everything = JSON.stringify([
      await memory.recall('ferry'),
      await memory.pack('ferry'),
      await memory.units.list({ maxSensitivity: 'secret' }),
      await memory.entities.list({}, { limit: 50 }),
      await memory.topics.list({}, { limit: 50 }),
    ]);
    expect(everything.includes(PHONE)).toBe(policy !== 'mask');
    const [first] = await memory.units.get([1]);
    expect(first?.sensitivity).toBe(policy === 'off' ? 'normal' : 'private');
    const [name, other] = await speakersOf(memory);
    expect(other).toBe(name);
    const turns = await Array.fromAsync(memory.conversations.turns());
    expect(turns.map(({ speaker }) => speaker)).toEqual([PHONE, PHONE]);
    const text = (await Array.fromAsync(exportMemory(memory))).join('');
    const copy = await open('off');
    const opened = await openExport(new Blob([text]).stream() as AsyncIterable<Uint8Array>, 'It');
    expect(await opened.importInto(copy)).toMatchObject({ added: 2, problems: [] });
    expect(await speakersOf(copy)).toEqual([name, name]);
    await Promise.all([memory.close(), copy.close()]);
  });
});

describe('an import of derived data', () => {
  test.each(POLICIES)('%s', async (policy) => {
    const source = await open('off');
    await source.add({ conversationId: 'c', speaker: 'user', text: 'The ferry leaves at nine.' });
    await source.units.add(loop(`Call the ferry office on ${PHONE}`));
    const text = (await Array.fromAsync(exportMemory(source))).join('');
    const copy = await open(policy);
    const opened = await openExport(new Blob([text]).stream() as AsyncIterable<Uint8Array>, 'It');
    expect(await opened.importInto(copy)).toMatchObject({ added: 1, problems: [] });
    const [unit] = await copy.units.list({ kinds: ['loop'], maxSensitivity: 'secret' });
    const isMasked = policy === 'mask' || policy === 'refuse';
    expect(unit).toMatchObject({
      sensitivity: policy === 'off' ? 'normal' : 'private',
      payload: { text: `Call the ferry office on ${isMasked ? MASK : PHONE}` },
    });
    expect(JSON.stringify(unit).includes(PHONE)).toBe(policy !== 'refuse');
    await Promise.all([source.close(), copy.close()]);
  });

  test('an export with masks is imported unchanged', async () => {
    const source = await open('mask');
    await source.add({ conversationId: 'c', speaker: 'user', text: 'The ferry leaves at nine.' });
    await source.units.add(loop(`Call the ferry office on ${PHONE}`));
    const text = (await Array.fromAsync(exportMemory(source))).join('');
    expect(text).toContain(PHONE);
    const copy = await open('mask');
    const opened = await openExport(new Blob([text]).stream() as AsyncIterable<Uint8Array>, 'It');
    await opened.importInto(copy);
    expect((await Array.fromAsync(exportMemory(copy))).join('')).toBe(text);
    await Promise.all([source.close(), copy.close()]);
  });
});
