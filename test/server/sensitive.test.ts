/** Personal data over HTTP: the policy of a memory, what was found, and its correction. */
import { expect, test } from 'vitest';
import { MASK } from '../../src/model/model.ts';
import { openTestServer, type TestServer } from './testServer.ts';

const MEMORY = { memoryId: 'default' };
const FORBIDDEN = { code: 'FORBIDDEN' };
const PHONE = '090-1234-5678';
const PASSWORD = 'Neko4711!';
const turn = (text: string) => ({ turns: [{ conversationId: 'c', speaker: 'user', text }] });
const SAID = [`My number is ${PHONE}`, `The password is ${PASSWORD}`, 'The bridge swayed.'];

async function openWith(options: Parameters<typeof openTestServer>[0] = {}): Promise<TestServer> {
  const server = openTestServer(options);
  for (const text of SAID) await server.client.ingestTurns({ ...MEMORY, body: turn(text) });
  return server;
}

const clientOf = (server: TestServer, scope: 'read' | 'write' | 'manage') =>
  server.clientOf(server.settings.tokens.create({ name: scope, scope }).token);

test('what was found is listed masked, and word for word for those who may manage', async () => {
  const server = await openWith();
  const [read, manage] = [clientOf(server, 'read'), clientOf(server, 'manage')];
  const masked = await read.listSensitive(MEMORY);
  expect(masked.items).toMatchObject([
    { text: `The password is ${MASK}`, isShown: false, places: [{ kind: 'password', from: 16, to: 25 }] },
    { text: `My number is ${MASK}`, isShown: false, sensitivity: 'private' },
  ]);
  expect(JSON.stringify(masked)).not.toMatch(/1234|4711/);
  const query = { maxSensitivity: 'private' } as const;
  await expect(read.listSensitive({ ...MEMORY, query })).rejects.toMatchObject(FORBIDDEN);
  const shown = async (maxSensitivity: 'private' | 'secret') =>
    (await manage.listSensitive({ ...MEMORY, query: { maxSensitivity } })).items.map(({ text }) => text);
  expect(await shown('private')).toEqual([`The password is ${MASK}`, SAID[0]]);
  expect(await shown('secret')).toEqual([SAID[1], SAID[0]]);
});

test('the list is filtered by what was found and by level, and paged', async () => {
  const { client } = await openWith();
  const ids = async (query: {
    found?: 'phone' | 'card';
    level?: 'secret';
    limit?: number;
    cursor?: string;
  }) => client.listSensitive({ ...MEMORY, query });
  expect((await ids({ found: 'phone' })).items).toMatchObject([{ places: [{ kind: 'phone' }] }]);
  expect((await ids({ found: 'card' })).items).toEqual([]);
  expect((await ids({ level: 'secret' })).items).toMatchObject([{ sensitivity: 'secret' }]);
  const first = await ids({ limit: 1 });
  expect(first.items).toMatchObject([{ sensitivity: 'secret' }]);
  const second = await ids({ limit: 1, cursor: first.nextCursor ?? '' });
  expect(second).toMatchObject({ items: [{ sensitivity: 'private' }], nextCursor: null });
});

test('a turn that somebody called secret without a place in it shows none of its words', async () => {
  const { client } = await openWith();
  const { items } = await client.listUnits({ ...MEMORY, query: { kinds: ['episode'] } });
  const unitId = items.find(({ sensitivity }) => sensitivity === 'normal')?.id ?? 0;
  await client.changeUnit({ ...MEMORY, unitId, body: { sensitivity: 'secret' } });
  expect((await client.listSensitive(MEMORY)).items[0]).toMatchObject({ unitId, text: MASK, places: [] });
});

test('masks of a turn are seen, removed and added', async () => {
  const server = await openWith();
  const [read, manage] = [clientOf(server, 'read'), clientOf(server, 'manage')];
  const { items } = await read.listSensitive({ ...MEMORY, query: { found: 'phone' } });
  const unitId = items[0]?.unitId ?? 0;
  const at = { ...MEMORY, unitId };
  expect(await read.readMasks(at)).toEqual(items[0]);
  await expect(read.readMasks({ ...at, query: { maxSensitivity: 'secret' } })).rejects.toMatchObject(
    FORBIDDEN,
  );
  expect(await manage.readMasks({ ...at, query: { maxSensitivity: 'secret' } })).toMatchObject({
    text: SAID[0],
    places: [{ text: PHONE }],
  });
  for (const client of [read, clientOf(server, 'write')])
    await expect(client.maskUnit({ ...at, body: { places: [] } })).rejects.toMatchObject(FORBIDDEN);
  await manage.maskUnit({ ...at, body: { places: [] } });
  expect(await read.readMasks(at)).toMatchObject({ text: SAID[0], isShown: true, sensitivity: 'normal' });
  await manage.maskUnit({ ...at, body: { places: [{ kind: 'address', from: 0, to: 2 }] } });
  expect(await read.readMasks(at)).toMatchObject({
    text: `${MASK} number is ${PHONE}`,
    places: [{ kind: 'address', text: MASK }],
  });
});

test('the policy of a memory applies at once, to this memory alone', async () => {
  const server = await openWith();
  const [read, manage] = [clientOf(server, 'read'), clientOf(server, 'manage')];
  expect(await read.readSensitivePolicy(MEMORY)).toEqual({ policy: 'mask', own: null });
  const choose = (policy: 'refuse' | 'off' | null) =>
    manage.changeSensitivePolicy({ ...MEMORY, body: { policy } });
  await expect(
    clientOf(server, 'write').changeSensitivePolicy({ ...MEMORY, body: { policy: 'off' } }),
  ).rejects.toMatchObject(FORBIDDEN);
  const said = turn(`Call me at ${PHONE}`);
  expect(await choose('refuse')).toEqual({ policy: 'refuse', own: 'refuse' });
  await expect(manage.ingestTurns({ ...MEMORY, body: said })).rejects.toMatchObject({
    code: 'SENSITIVE_TEXT',
  });
  await manage.ingestTurns({ memoryId: 'other', body: said });
  expect((await manage.listSensitive({ memoryId: 'other' })).items).toHaveLength(1);
  expect(await choose('off')).toEqual({ policy: 'off', own: 'off' });
  await manage.ingestTurns({ ...MEMORY, body: said });
  expect((await manage.listSensitive(MEMORY)).items).toHaveLength(2);
  expect(await choose(null)).toEqual({ policy: 'mask', own: null });
  expect(server.settings.get().memories).toEqual({});
});

test('the policy of the server holds for memories without their own, which keep it', async () => {
  const server = await openWith({ sensitive: 'mark' });
  const { client, settings } = server;
  expect(await client.readSensitivePolicy(MEMORY)).toEqual({ policy: 'mark', own: null });
  await settings.change({ memories: { default: { language: 'ja' } } });
  await client.changeSensitivePolicy({ ...MEMORY, body: { policy: 'mask' } });
  expect(settings.get().memories).toEqual({ default: { language: 'ja', sensitive: 'mask' } });
  expect(await client.readSensitivePolicy(MEMORY)).toEqual({ policy: 'mask', own: 'mask' });
});
