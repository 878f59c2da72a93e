/** Backups of a data folder that is in use, and restoring only complete and unchanged backups. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test, vi } from 'vitest';
import { openMemory } from '../src/engine/engine.ts';
import { openSettings, settingsPath } from '../src/settings/settings.ts';
import { runCommand } from './cli/runCommand.ts';
import { temporaryFolder } from './temporary.ts';

const open = (dataDir: string, memoryId = 'default') =>
  openMemory({ dataDir, memoryId, embedder: { provider: 'hashed' }, worker: false, learn: false });
const turn = (text: string) => ({ conversationId: 'c', speaker: 'user', text });

afterEach(() => void vi.unstubAllEnvs());

/** Two memories, settings, a configuration, notes, and files that a backup leaves out. */
async function fillFolder(dataDir: string) {
  for (const memoryId of ['default', 'work']) {
    const memory = await open(dataDir, memoryId);
    await memory.add([turn('The bridge swayed.'), turn('那須塩原の吊り橋。')]);
    await memory.close();
  }
  const settings = openSettings(settingsPath(dataDir));
  const { token } = settings.tokens.create({ name: 'phone' });
  settings.close();
  writeFileSync(join(dataDir, 'omoide.json'), '{}');
  mkdirSync(join(dataDir, 'notes', 'user'), { recursive: true });
  writeFileSync(join(dataDir, 'notes', 'user', 'likes.md'), '- 抹茶\n');
  for (const name of ['trace.jsonl', 'memory_x.db.partial', '.omoide-1-0123456789ab.tmp'])
    writeFileSync(join(dataDir, name), 'x');
  return token;
}

const headOf = async (dataDir: string) => {
  const memory = await open(dataDir);
  const { chainHead, problems } = await memory.admin.verify();
  await memory.close();
  return { chainHead, problems };
};

test.each(['folder', 'file.zip'])('restores what was copied to a %s', async (name) => {
  const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const token = await fillFolder(dataDir);
  const backup = join(elsewhere, name);
  const writer = await open(dataDir);
  await writer.add(turn('Said while it was open.'));
  expect((await runCommand('backup', backup, '--data', dataDir)).code).toBe(0);
  const { chainHead } = await writer.admin.verify();
  await writer.close();
  expect(readdirSync(elsewhere)).toEqual([name]);

  expect((await runCommand('restore', backup, '--verify-only')).code).toBe(0);
  const restored = join(elsewhere, 'restored');
  const { code, stdout } = await runCommand('restore', backup, '--data', restored);
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('3 turns, all is well'),
  });
  expect(readdirSync(restored).sort()).toEqual([
    'keys.db',
    'master.key',
    'memory_default.db',
    'memory_work.db',
    'notes',
    'omoide.json',
    'settings.db',
    'signing.key',
    'witness_default.log',
    'witness_work.log',
  ]);
  expect(readFileSync(join(restored, 'notes/user/likes.md'), 'utf8')).toBe('- 抹茶\n');
  expect(statSync(join(restored, 'signing.key')).mode & 0o077).toBe(0);
  expect(await headOf(restored)).toEqual({ chainHead, problems: [] });
  const settings = openSettings(settingsPath(restored));
  expect(settings.tokens.verify(token)).toMatchObject({ name: 'phone' });
  settings.close();
});

test('does not report truncation when a checkpoint is signed during the copy', async () => {
  const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
  await fillFolder(dataDir);
  const log = join(dataDir, 'witness_default.log');
  const backup = join(elsewhere, 'copy');
  await runCommand('backup', join(elsewhere, 'first'), '--data', dataDir);
  const memory = await open(dataDir);
  await memory.add(turn('Later.'));
  await memory.close();
  // Simulates a log that is copied after the memory: it is newer than the copied memory.
  const newer = readFileSync(log, 'utf8');
  rmSync(join(dataDir, 'memory_default.db'));
  writeFileSync(
    join(dataDir, 'memory_default.db'),
    readFileSync(join(elsewhere, 'first', 'memory_default.db')),
  );
  expect(newer.trim().split('\n')).toHaveLength(2);
  await runCommand('backup', backup, '--data', dataDir);
  expect(readFileSync(join(backup, 'witness_default.log'), 'utf8').trim().split('\n')).toHaveLength(1);
  expect((await runCommand('restore', backup, '--verify-only')).code).toBe(0);
});

test('refuses to restore an incomplete backup', async () => {
  const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
  await fillFolder(dataDir);
  const damage: Record<string, (backup: string) => void> = {
    'settings.db is damaged': (backup) => appendFileSync(join(backup, 'settings.db'), 'x'),
    'signing.key is missing': (backup) => rmSync(join(backup, 'signing.key')),
    'no readable manifest.json': (backup) => rmSync(join(backup, 'manifest.json')),
  };
  for (const [message, damageIt] of Object.entries(damage)) {
    const backup = join(elsewhere, `b${Object.keys(damage).indexOf(message)}`);
    await runCommand('backup', backup, '--data', dataDir);
    damageIt(backup);
    const restored = join(elsewhere, 'restored');
    const { code, stderr } = await runCommand('restore', backup, '--data', restored);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(readdirSync(restored)).toEqual([]);
  }
});

test('refuses to restore a memory that was forged before the backup', async () => {
  const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
  await fillFolder(dataDir);
  const db = new DatabaseSync(join(dataDir, 'memory_work.db'));
  db.exec('DROP TRIGGER turn_is_never_updated; UPDATE turn SET occurred_at = occurred_at + 1 WHERE id = 1');
  db.close();
  const backup = join(elsewhere, 'copy');
  await runCommand('backup', backup, '--data', dataDir);
  const { code, stdout } = await runCommand('restore', backup, '--data', join(elsewhere, 'restored'));
  expect({ code, stdout }).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Nothing was restored'),
  });
  expect(readdirSync(join(elsewhere, 'restored'))).toEqual([]);
});

test('neither backup nor restore overwrites anything', async () => {
  const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
  await fillFolder(dataDir);
  const backup = join(elsewhere, 'copy.zip');
  expect((await runCommand('backup', backup, '--data', dataDir)).code).toBe(0);
  const before = readFileSync(backup);
  expect((await runCommand('backup', backup, '--data', dataDir)).stderr).toContain('already exists');
  expect(readFileSync(backup).equals(before)).toBe(true);
  expect((await runCommand('restore', backup, '--data', dataDir)).stderr).toContain('is not empty');
  expect(
    (await runCommand('backup', join(dataDir, 'x', 'y'), '--data', join(elsewhere, 'none'))).stderr,
  ).toContain('NOT_FOUND');
});

test('contains the files in its manifest and no others', async () => {
  const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
  await fillFolder(dataDir);
  const backup = join(elsewhere, 'copy');
  await runCommand('backup', backup, '--data', dataDir);
  const { files } = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'));
  const listed = new Set(files.map(({ path }: { path: string }) => path.split('/')[0]));
  expect(readdirSync(backup).sort()).toEqual(['manifest.json', ...listed].sort());
});

test('does not restore a file that is not in the manifest', async () => {
  const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
  await fillFolder(dataDir);
  const [backup, restored] = [join(elsewhere, 'copy'), join(elsewhere, 'restored')];
  await runCommand('backup', backup, '--data', dataDir);
  writeFileSync(join(backup, 'memory_work.db-wal'), 'x');
  expect((await runCommand('restore', backup, '--data', restored)).code).toBe(0);
  expect(readdirSync(restored)).not.toContain('memory_work.db-wal');
});

test('records a master key that is kept outside the folder, and is restored only with this key', async () => {
  const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
  // Its own folder, so that the test's own master key has no effect.
  vi.stubEnv('OMOIDE_MASTER_KEY', '');
  await fillFolder(dataDir);
  const inside = await runCommand('backup', join(elsewhere, 'inside'), '--data', dataDir);
  expect(inside.stdout).toMatch(
    /It contains the master key [0-9a-f]{16}: whoever has it can read everything/,
  );
  expect(inside.stderr).not.toContain('master key');

  const outside = join(elsewhere, 'kept.key');
  renameSync(join(dataDir, 'master.key'), outside);
  vi.stubEnv('OMOIDE_MASTER_KEY', `file:${outside}`);
  const backup = join(elsewhere, 'copy');
  const { stderr, stdout } = await runCommand('backup', backup, '--data', dataDir, '--json');
  const { masterKey } = JSON.parse(stdout);
  expect(masterKey).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{16}$/),
    isIncluded: false,
    place: outside,
  });
  expect(stderr).toContain(`can only be read with the master key ${masterKey.id}, which lies outside`);
  expect(JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))).toMatchObject({ masterKey });
  expect(readdirSync(backup)).not.toContain('master.key');

  const restored = join(elsewhere, 'restored');
  const restore = () => runCommand('restore', backup, '--data', restored);
  vi.stubEnv('OMOIDE_MASTER_KEY', '');
  expect(await restore()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      new RegExp(`^error KEY_MISSING: .*can only be read with the master key ${masterKey.id}, which it does`),
    ),
  });
  writeFileSync(join(elsewhere, 'other.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`);
  vi.stubEnv('OMOIDE_MASTER_KEY', `file:${join(elsewhere, 'other.key')}`);
  expect((await restore()).stderr).toMatch(/other\.key: the key there is another one, [0-9a-f]{16}\./);
  expect(readdirSync(restored)).toEqual([]);
  const withoutKey = await runCommand('backup', join(elsewhere, 'blind'), '--data', dataDir);
  expect(withoutKey.stderr).toContain('which is not at hand');
  expect(withoutKey.code).toBe(0);

  vi.stubEnv('OMOIDE_MASTER_KEY', `file:${outside}`);
  expect(await restore()).toMatchObject({ code: 0, stdout: expect.stringContaining('Restored.') });
});

test('copies one memory without the others and without the settings', async () => {
  const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
  await fillFolder(dataDir);
  const backup = join(elsewhere, 'copy');
  expect((await runCommand('backup', backup, '--data', dataDir, '--memory', 'work')).code).toBe(0);
  expect(readdirSync(backup)).not.toContain('settings.db');
  expect(readdirSync(backup)).not.toContain('memory_default.db');
  expect((await runCommand('restore', backup, '--verify-only', '--json')).stdout).toContain(
    '"memoryId":"work"',
  );
});
