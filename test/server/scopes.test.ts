/** A token allows what its scope says until it expires, and its use is recorded. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSettings, settingsPath } from '../../src/settings/settings.ts';
import { runCommand } from '../cli/runCommand.ts';
import { temporaryFolder } from '../temporary.ts';
import { openTestServer, type TestServer } from './testServer.ts';

const MEMORY = { memoryId: 'default' };
const FORBIDDEN = { code: 'FORBIDDEN' };
const SAID = { turns: [{ conversationId: 'c', speaker: 'user', text: 'The bridge swayed.' }] };

test('each scope allows its own operations and those of lower scopes, and no others', async () => {
  const server = openTestServer();
  await server.client.ingestTurns({ ...MEMORY, body: SAID });
  const clientOf = (scope: 'read' | 'write' | 'manage') =>
    server.clientOf(server.settings.tokens.create({ name: scope, scope }).token);
  const [read, write, manage] = [clientOf('read'), clientOf('write'), clientOf('manage')];
  expect((await read.recall({ ...MEMORY, body: { utterance: 'bridge' } })).hits).not.toEqual([]);
  await expect(read.ingestTurns({ ...MEMORY, body: SAID })).rejects.toMatchObject(FORBIDDEN);
  await write.ingestTurns({ ...MEMORY, body: SAID });
  await expect(write.rebuildMemory({ ...MEMORY, body: {} })).rejects.toMatchObject(FORBIDDEN);
  await manage.rebuildMemory({ ...MEMORY, body: {} });
  for (const client of [read, write, manage])
    await expect(client.readSettings({})).rejects.toMatchObject(FORBIDDEN);
  await expect(Array.fromAsync(write.exportMemory(MEMORY))).rejects.toMatchObject(FORBIDDEN);
});

/** The answer to an agent with a token of this scope. */
async function askAgent(server: TestServer, scope: 'read' | 'write' | 'manage', method: string, params = {}) {
  const response = await server.request('/mcp', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.settings.tokens.create({ name: 'agent', scope }).token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const [, json = '{}'] = /^data: (.*)$/m.exec(await response.text()) ?? [];
  return (JSON.parse(json) as { result: { tools: { name: string }[]; isError?: true } }).result;
}

test('an agent has the tools that its token may use', async () => {
  const server = openTestServer();
  await server.client.ingestTurns({ ...MEMORY, body: SAID });
  const toolsOf = async (scope: 'read' | 'write') =>
    (await askAgent(server, scope, 'tools/list')).tools.map(({ name }) => name);
  expect(await toolsOf('read')).toEqual(['recall', 'pack', 'explore', 'list_notes', 'read_note']);
  expect(await toolsOf('write')).toEqual(
    expect.arrayContaining(['recall', 'remember', 'ingest_turns', 'forget']),
  );
  const recalled = await askAgent(server, 'read', 'tools/call', {
    name: 'recall',
    arguments: { utterance: 'bridge' },
  });
  expect(JSON.stringify(recalled)).toContain('The bridge swayed.');
  const forgetting = { name: 'forget', arguments: { unitId: 1, forGood: true } };
  const refused = await askAgent(server, 'write', 'tools/call', forgetting);
  expect(JSON.stringify(refused)).toContain('FORBIDDEN');
  expect((await server.client.recall({ ...MEMORY, body: { utterance: 'bridge' } })).hits).toHaveLength(1);
  const previewed = JSON.stringify(await askAgent(server, 'manage', 'tools/call', forgetting));
  const [, confirm] = /with confirm: ([\w-]+)/.exec(previewed) ?? [];
  const confirmed = { name: 'forget', arguments: { ...forgetting.arguments, confirm } };
  const refusedAgain = await askAgent(server, 'write', 'tools/call', confirmed);
  expect(JSON.stringify(refusedAgain)).toContain('FORBIDDEN');
  expect((await server.client.recall({ ...MEMORY, body: { utterance: 'bridge' } })).hits).toHaveLength(1);
  expect(JSON.stringify(await askAgent(server, 'manage', 'tools/call', confirmed))).toContain(
    'Erased for good',
  );
  const noted = server.settings.audit.list({ limit: 100 }).filter(({ action }) => action === 'forget');
  expect(noted.map(({ outcome }) => outcome)).toEqual(['done', 'FORBIDDEN', 'done', 'FORBIDDEN']);
  expect((await server.client.recall({ ...MEMORY, body: { utterance: 'bridge' } })).hits).toEqual([]);
});

test('an expired token is rejected', () => {
  let now = 1_000;
  const settings = openSettings(settingsPath(temporaryFolder()), { now: () => now });
  const { token } = settings.tokens.create({ name: 'guest', expiresAt: 2_000 });
  expect(settings.tokens.verify(token)).toMatchObject({ scope: 'operate', expiresAt: 2_000 });
  now = 2_000;
  expect(settings.tokens.verify(token)).toBeNull();
  const late = () => settings.tokens.create({ name: 'late', expiresAt: 1_500 });
  expect(late).toThrow('expiry time');
  const bound = () => settings.tokens.create({ name: 'x', memoryId: 'm', scope: 'operate' });
  expect(bound).toThrow('cannot have the scope operate');
  settings.close();
});

test('what a token did or was denied is recorded without text, and the record is not changed', async () => {
  const server = openTestServer();
  await server.client.ingestTurns({ ...MEMORY, body: SAID });
  const reader = server.clientOf(server.settings.tokens.create({ name: 'reader', scope: 'read' }).token);
  await expect(reader.ingestTurns({ ...MEMORY, body: SAID })).rejects.toMatchObject(FORBIDDEN);
  await reader.recall({ ...MEMORY, body: { utterance: 'bridge' } });
  const entries = server.settings.audit.list({ limit: 10 });
  expect(entries).toMatchObject([
    { tokenName: 'reader', action: 'recall', memoryId: 'default', outcome: 'done' },
    { tokenName: 'reader', action: 'ingestTurns', memoryId: 'default', outcome: 'FORBIDDEN' },
    { tokenName: 'test', action: 'ingestTurns', memoryId: 'default', outcome: 'done' },
  ]);
  expect(JSON.stringify(entries)).not.toContain('bridge');
  expect(server.settings.audit.removeBefore(Date.now() + 1)).toBe(0);
  const db = new DatabaseSync(settingsPath(server.dataDir));
  expect(() => db.exec("UPDATE audit SET outcome = 'x'")).toThrow('append-only');
  expect(() => db.exec('DELETE FROM audit')).toThrow('append-only');
  db.close();
  const { stdout } = await runCommand('audit', '--data', server.dataDir, '--memory', 'default', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ entries: [{ action: 'recall' }, {}, {}] });
});

test('commands that copy or erase are recorded, too, also those that failed', async () => {
  const server = openTestServer();
  await server.client.ingestTurns({ ...MEMORY, body: SAID });
  server.settings.audit.flush();
  const [dataDir, elsewhere] = [server.dataDir, temporaryFolder()];
  await runCommand('export', join(elsewhere, 'out.jsonl'), '--data', dataDir);
  await runCommand('backup', join(elsewhere, 'backup'), '--data', dataDir);
  await runCommand('forget', '--turn', '1', '--dry-run', '--data', dataDir);
  await runCommand('forget', '--turn', '9', '--yes', '--data', dataDir);
  await runCommand('key', 'rotate', '--data', dataDir);
  await runCommand('token', 'new', '--memory', 'default', '--data', dataDir);
  await runCommand('token', 'revoke', 'unknown', '--data', dataDir);
  await runCommand('token', 'list', '--data', dataDir);
  const entries = server.settings.audit.list({ limit: 10 });
  expect(entries).toMatchObject([
    { tokenId: 'cli', action: 'token revoke', memoryId: null, outcome: 'NOT_FOUND' },
    { tokenId: 'cli', action: 'token new', memoryId: 'default', outcome: 'done' },
    { tokenId: 'cli', action: 'key rotate', memoryId: null, outcome: 'done' },
    { tokenId: 'cli', action: 'forget', memoryId: 'default', outcome: 'NOT_FOUND' },
    { tokenId: 'cli', action: 'backup', memoryId: null, outcome: 'done' },
    { tokenId: 'cli', action: 'export', memoryId: 'default', outcome: 'done' },
    { tokenName: 'test', action: 'ingestTurns' },
  ]);
  const restored = join(elsewhere, 'restored');
  await runCommand('restore', join(elsewhere, 'backup'), '--data', restored);
  const { stdout } = await runCommand('audit', '--data', restored, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ entries: [{ action: 'restore', outcome: 'done' }, {}, {}] });
});
