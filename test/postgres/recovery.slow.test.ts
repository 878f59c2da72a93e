/** The steps of docs/postgres.md: archived WAL, a base backup, and recovery to a point in time. */
import { chownSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openMemory } from '../../src/engine/engine.ts';
import { temporaryFolder } from '../temporary.ts';
import { missingForServer, SERVER_USER, TestServer } from './server.ts';
import { withDatabase } from './shared.ts';

const PAGE = fileURLToPath(new URL('../../docs/postgres.md', import.meta.url));

/** A folder owned by the server's user, in place of the page's `/backup`. */
function backupFolder(): string {
  const folder = temporaryFolder();
  for (const path of [folder, join(folder, 'wal')]) {
    mkdirSync(path, { recursive: true });
    if (SERVER_USER.uid !== undefined) chownSync(path, SERVER_USER.uid, SERVER_USER.gid);
  }
  return folder;
}

/** The page's value of a setting, with our folder. */
function settingOf(name: string, folder: string): string {
  const [, value] = new RegExp(`${name} = '([^']+(?:''[^']*)*)'`).exec(readFileSync(PAGE, 'utf8')) ?? [];
  if (value === undefined) throw new Error(`docs/postgres.md does not give ${name}.`);
  return value.replaceAll('/backup', folder);
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`point-in-time recovery ${missing ?? ''}`, () => {
  test('restores every turn up to a time, and the chain verifies', async () => {
    const backup = backupFolder();
    const primary = await TestServer.start('wal_level = replica');
    onTestFinished(() => primary.remove());
    primary.configure(`archive_mode = on\narchive_command = '${settingOf('archive_command', backup)}'`);
    await primary.end();
    await primary.boot();

    const dataDir = temporaryFolder();
    const openAt = (server: TestServer, folder = dataDir) =>
      openMemory({ dataDir: folder, store: server.url(), embedder: null, learn: false, worker: false });
    const memory = await openAt(primary);
    const say = (text: string) => memory.add({ conversationId: 'c', speaker: 'user', text });
    await say('Before the backup.');
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'];
    await primary.runLater(
      'pg_basebackup',
      '-D',
      join(backup, 'base'),
      '-X',
      'stream',
      '-c',
      'fast',
      ...from,
    );
    await say('After the backup.');
    const { chainHead } = await memory.admin.verify();
    await pause(50);
    const [{ now } = { now: '' }] = await withDatabase(primary.url(), (sql) =>
      sql.unsafe<{ now: string }[]>('SELECT clock_timestamp()::text AS now'),
    );
    await pause(50);
    await say('A mistake.');
    await memory.close();
    await withDatabase(primary.url(), (sql) => sql.unsafe('SELECT pg_switch_wal()'));
    await primary.end();

    const recovered = await TestServer.prepare();
    onTestFinished(() => recovered.remove());
    recovered.runShell(`cp -a ${backup}/base/. ${recovered.folder}/ && chmod 700 ${recovered.folder}`);
    recovered.configure(
      `port = ${recovered.port}\nrestore_command = '${settingOf('restore_command', backup)}'\n` +
        `recovery_target_time = '${now}'\nrecovery_target_action = 'promote'`,
    );
    recovered.runShell(`touch ${recovered.folder}/recovery.signal`);
    await recovered.boot();
    const again = await openAt(recovered);
    onTestFinished(() => again.close());
    const unaware = await openAt(recovered, temporaryFolder());
    onTestFinished(() => unaware.close());
    expect(await unaware.admin.verify()).toMatchObject({ turns: 2, chainHead, problems: [] });
    const turns = await Array.fromAsync(again.conversations.turns());
    expect(turns.map(({ text }) => text)).toEqual(['Before the backup.', 'After the backup.']);
    // The witness log in the data folder lists the turn that was added later, as the page says.
    const { problems } = await again.admin.verify();
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['CHAIN_BROKEN']));
    expect(readdirSync(join(backup, 'wal')).length).toBeGreaterThan(1);
  });
});
