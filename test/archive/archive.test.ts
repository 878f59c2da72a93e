/** Archives of turns in a folder: completeness, resuming, verification, restoring and forgetting. */
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openMemory, restoreArchive } from '../../src/engine/engine.ts';
import { runCommand } from '../cli/runCommand.ts';
import { temporaryFolder } from '../temporary.ts';
import { losePointers, openArchived, pointers, SECRET, turns } from './rig.ts';

const FIRST = 'default/00000001.jsonl';

function change(path: string, to: (text: string) => string): void {
  const text = readFileSync(path, 'utf8');
  chmodSync(path, 0o600);
  writeFileSync(path, to(text));
}

test('copies every turn encrypted, notes its copy, and copies nothing twice', async () => {
  const [dataDir, archive] = [temporaryFolder(), temporaryFolder()];
  const memory = await openArchived(dataDir, archive);
  await memory.add(turns(510));
  expect(await memory.admin.archive()).toEqual({ turns: 510, objects: 2 });
  expect(new Set(await pointers(memory))).toEqual(new Set([FIRST, 'default/00000002.jsonl']));
  expect(readdirSync(join(archive, 'default'))).toEqual(['00000001.jsonl', '00000002.jsonl']);
  const content = readFileSync(join(archive, FIRST), 'utf8');
  expect(content.split('\n')).toHaveLength(502);
  for (const words of ['Zylophantus', '那須塩原', '"c1"', 'user']) expect(content).not.toContain(words);
  expect(statSync(join(archive, FIRST)).mode & 0o777).toBe(0o400);
  expect(await memory.admin.archive()).toEqual({ turns: 0, objects: 0 });
  const check = await memory.admin.verifyArchive();
  expect(check).toEqual({ archived: 510, pending: 0, objects: 2, unlocked: null, problems: [] });
});

test('finds again what a killed process wrote, and writes nothing twice', async () => {
  const [dataDir, archive] = [temporaryFolder(), temporaryFolder()];
  const memory = await openArchived(dataDir, archive);
  await memory.add(turns(20));
  await memory.admin.archive();
  await memory.close();
  losePointers(dataDir);
  const again = await openArchived(dataDir, archive);
  await again.add(turns(5, 'c2'));
  expect(await again.admin.archive()).toEqual({ turns: 25, objects: 1 });
  expect((await again.admin.verifyArchive()).problems).toEqual([]);
  expect((await pointers(again)).slice(0, 20)).toEqual(Array.from({ length: 20 }, () => FIRST));
});

test('leaves every turn with one copy when two processes archive at the same time', async () => {
  const [dataDir, archive] = [temporaryFolder(), temporaryFolder()];
  const [one, other] = [await openArchived(dataDir, archive), await openArchived(dataDir, archive)];
  for (let round = 0; round < 4; round += 1) {
    await one.add(turns(10, `c${round}`));
    await Promise.all([one.admin.archive(), other.admin.archive()]);
  }
  const check = await one.admin.verifyArchive();
  expect(check).toMatchObject({ archived: 40, pending: 0, problems: [] });
});

test('the process that runs background work archives by itself, at the latest when it closes the memory', async () => {
  const [dataDir, archive] = [temporaryFolder(), temporaryFolder()];
  const memory = await openMemory({ dataDir, archive, embedder: null, learn: false });
  await memory.add(turns(3));
  await memory.close();
  expect(readdirSync(join(archive, 'default'))).toEqual(['00000001.jsonl']);
});

test.each([
  ['changed', (path: string) => change(path, (text) => text.replace(/"sealed":"..../, '"sealed":"AAAA'))],
  ['cut off', (path: string) => change(path, (text) => text.slice(0, -30))],
  ['gone', (path: string) => rmSync(path)],
])('verify names a copy that was %s and exits with code 1', async (_what, damage) => {
  const [dataDir, archive] = [temporaryFolder(), temporaryFolder()];
  const memory = await openArchived(dataDir, archive);
  await memory.add(turns(3));
  await memory.admin.archive();
  const flags = ['--data', dataDir, '--archive', archive];
  expect((await runCommand('archive', 'verify', ...flags)).code).toBe(0);
  damage(join(archive, FIRST));
  const { code, stdout } = await runCommand('archive', 'verify', ...flags);
  expect(code).toBe(1);
  expect(stdout).toContain(FIRST);
});

test('restores a memory into an empty folder with the same chain head; forgotten turns stay forgotten', async () => {
  const [dataDir, archive, elsewhere] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const memory = await openArchived(dataDir, archive);
  await memory.add([...turns(40), ...turns(6, 'c2')]);
  await memory.admin.archive();
  await memory.forget({ conversation: 'c1' });
  await memory.admin.archive();
  const { chainHead } = await memory.admin.verify();
  await memory.close();

  const restored = join(elsewhere, 'restored');
  const restoreFlags = ['archive', 'restore', '--archive', archive, '--data', restored, '--keys', dataDir];
  const { code, stdout, stderr } = await runCommand(...restoreFlags, '--expect', chainHead, '--json');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ turns: 46, forgotten: 40, chainHead, problems: [] });
  const back = await openArchived(restored, archive);
  expect(await back.admin.verify()).toMatchObject({ turns: 46, forgotten: 40, chainHead, problems: [] });
  expect((await back.admin.verifyArchive()).problems).toEqual([]);
  expect(await back.conversations.list({ limit: 9 })).toMatchObject([{ conversationId: 'c2', turns: 6 }]);
  const { hits } = await back.recall('the cat Zylophantus');
  expect(JSON.stringify(hits)).not.toContain(`${SECRET} (c1)`);
  expect(JSON.stringify(hits)).toContain(`${SECRET} (c2)`);
});

test('restores what is there when an object is missing, and reports the missing object', async () => {
  const [dataDir, archive, elsewhere] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const memory = await openArchived(dataDir, archive);
  for (const conversation of ['a', 'b', 'c']) {
    await memory.add(turns(4, conversation));
    await memory.admin.archive();
  }
  await memory.close();
  rmSync(join(archive, 'default/00000002.jsonl'));
  const flags = ['--archive', archive, '--data', join(elsewhere, 'r'), '--keys', dataDir];
  const { code, stdout } = await runCommand('archive', 'restore', ...flags);
  expect(code).toBe(1);
  expect(stdout).toMatch(/Object 2 of the archive is missing/);
  expect(stdout).toMatch(/8 turns/);
});

test('rejects a restore without keys, over an existing memory, or of an unknown memory', async () => {
  const [dataDir, archive, elsewhere] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const memory = await openArchived(dataDir, archive);
  await memory.add(turns(4));
  await memory.admin.archive();
  await memory.close();
  await expect(restoreArchive({ archive, dataDir: elsewhere })).rejects.toThrow(/keys\.db/);
  await expect(restoreArchive({ archive, dataDir, keys: dataDir })).rejects.toThrow(/not empty|empty folder/);
  const other = { archive, dataDir: elsewhere, keys: dataDir, memoryId: 'work' };
  await expect(restoreArchive(other)).rejects.toThrow(/nothing of the memory work/);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('leaves the archive of another memory with the same name unchanged', async () => {
  const archive = temporaryFolder();
  const [one, other] = [
    await openArchived(temporaryFolder(), archive),
    await openArchived(temporaryFolder(), archive),
  ];
  for (const memory of [one, other]) await memory.add(turns(1, 'c'));
  await one.admin.archive();
  await expect(other.admin.archive()).rejects.toThrow(/of another memory/);
});

test.each([
  ['s3://bucket?days=0', 'days'],
  ['s3://bucket?dayz=3', 'dayz'],
  ['s3://bucket?endpoint=nowhere', 'endpoint'],
  ['s3://bucket', 'AWS_ACCESS_KEY_ID'],
])('rejects %s as an archive', async (archive, reason) => {
  await expect(openArchived(temporaryFolder(), archive)).rejects.toThrow(reason);
});

test('loses nothing and reports once when the archive cannot be written', async () => {
  const [dataDir, blocked] = [temporaryFolder(), temporaryFolder()];
  const archive = join(blocked, 'file');
  writeFileSync(archive, '');
  const memory = await openArchived(dataDir, archive);
  await memory.add(turns(3));
  await expect(memory.admin.archive()).rejects.toThrow(/cannot be/);
  rmSync(archive);
  expect(await memory.admin.archive()).toEqual({ turns: 3, objects: 1 });
});
