/** An invented word is added, learnt from, backed up and archived; the command forgets it, and each copy is examined. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { exportMemory, internals, openMemory } from '../src/engine/engine.ts';
import { runCommand } from './cli/runCommand.ts';
import { temporaryFolder } from './temporary.ts';

const OPEN = { embedder: { provider: 'hashed' }, timeZone: 'UTC', worker: false } as const;
const WORD = 'Zylophantus';
const TEXTS = [
  `My cat is called ${WORD}. I live in Vorrantheim.`,
  'I went to the harbour with Mia and we had tea.',
  'We should visit the museum of trains tomorrow.',
];

/** All readable data of a memory. */
async function everything(dataDir: string): Promise<string> {
  const memory = await openMemory({ ...OPEN, dataDir });
  const parts = [
    await Array.fromAsync(exportMemory(memory)),
    (await memory.recall(WORD, { maxSensitivity: 'secret', budgetTokens: 100_000 })).hits,
    (await memory.pack(WORD)).text,
    await memory.topics.list({}, { limit: 100 }),
  ];
  await memory.close();
  return JSON.stringify(parts);
}

test('a forgotten word is in no recall, archive or backup, and the receipt proves it', async () => {
  const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const archive = join(elsewhere, 'archive');
  const backup = join(elsewhere, 'backup');
  const receipt = join(elsewhere, 'receipt.json');
  const memory = await openMemory({ ...OPEN, dataDir, archive });
  for (const text of TEXTS) await memory.add({ conversationId: 'c', speaker: 'user', text });
  await internals(memory).settle();
  await memory.admin.archive();
  await memory.close();
  // It must have been learnt from, or the test proves nothing.
  expect((await everything(dataDir)).split(WORD).length).toBeGreaterThan(3);
  const data = ['--data', dataDir, '--embedder', 'hashed'];
  expect((await runCommand('backup', backup, '--data', dataDir)).code).toBe(0);

  const forgotten = await runCommand('forget', '--turn', '1', '--yes', '--receipt', receipt, ...data);
  expect(forgotten).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Forgotten: 1 turn/) });

  expect(await everything(dataDir)).not.toContain(WORD.slice(0, 8));
  expect(await runCommand('verify', ...data)).toMatchObject({ code: 0 });
  expect(await runCommand('verify', '--receipt', receipt, ...data)).toMatchObject({ code: 0 });
  expect(await runCommand('archive', 'write', '--archive', archive, ...data)).toMatchObject({ code: 0 });
  expect(await runCommand('archive', 'verify', '--archive', archive, ...data)).toMatchObject({ code: 0 });
  const restored = join(elsewhere, 'restored');
  const from = ['--archive', archive, '--keys', dataDir];
  expect(await runCommand('archive', 'restore', ...from, '--data', restored)).toMatchObject({ code: 0 });
  expect(await everything(restored)).not.toContain(WORD.slice(0, 8));

  // The old copy of the memory, with the current keys.
  const old = join(elsewhere, 'old');
  mkdirSync(old);
  copyFileSync(join(backup, 'memory_default.db'), join(old, 'memory_default.db'));
  for (const name of ['keys.db', 'master.key']) copyFileSync(join(dataDir, name), join(old, name));
  const reopened = await openMemory({ ...OPEN, dataDir: old });
  const turns = await internals(reopened).store.evidence.get([1, 2]);
  await reopened.close();
  expect(turns.map(({ text }) => text.includes(WORD.slice(0, 8)) || text === TEXTS[1])).toEqual([
    false,
    true,
  ]);
});

test('after the last turns were deleted, a rebuild repairs what it can, and verify names the missing turns', async () => {
  const dataDir = temporaryFolder();
  const memory = await openMemory({ ...OPEN, dataDir });
  for (const text of TEXTS) await memory.add({ conversationId: 'c', speaker: 'user', text });
  await internals(memory).settle();
  await memory.close();
  const db = new DatabaseSync(join(dataDir, 'memory_default.db'));
  db.exec('PRAGMA foreign_keys = OFF');
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${String(name)}`);
  db.exec('DELETE FROM turn WHERE id > 1');
  for (const { sql } of triggers) db.exec(String(sql));
  db.close();
  const data = ['--data', dataDir, '--embedder', 'hashed'];
  const { code, stdout } = await runCommand('rebuild', '--from', 'turns', ...data);
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/2 episodes without a turn removed/),
  });
  const verified = await runCommand('verify', ...data);
  expect(verified.code).toBe(1);
  expect(verified.stdout).toMatch(/Turn 2 is missing/);
  expect(await everything(dataDir)).toContain(WORD);
});
