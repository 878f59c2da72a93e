/** Text in the database is encrypted with keys that only the master key decrypts. */
import { describe, expect, test } from 'vitest';
import { join } from 'node:path';
import { openMemory, rotateStoreKeys, type Memory } from '../../src/engine/engine.ts';
import { temporaryFolder } from '../temporary.ts';
import { missingForServer } from './server.ts';
import { sharedServer, withDatabase } from './shared.ts';

const WORD = 'zylophant';

async function open(memoryId: string, masterKey?: string): Promise<Memory> {
  return openMemory({
    dataDir: temporaryFolder(),
    store: (await sharedServer()).url(),
    memoryId,
    timeZone: 'UTC',
    embedder: null,
    worker: false,
    ...(masterKey !== undefined && { masterKey }),
  });
}

async function say(memory: Memory, text: string): Promise<void> {
  await memory.add({ conversationId: 'c', speaker: 'Mia', text, occurredAt: Date.UTC(2026, 0, 1) });
}

/** All stored data of all memories, as text. */
async function everything(url: string): Promise<string> {
  return withDatabase(url, async (sql) => {
    const tables = await sql<{ name: string }[]>`SELECT relname AS name FROM pg_class
      WHERE relkind IN ('p', 'r') AND NOT relispartition AND relnamespace = 'public'::regnamespace`;
    const parts: string[] = [];
    for (const { name } of tables) {
      const rows = await sql.unsafe<{ row: string }[]>(`SELECT to_jsonb(x)::text AS row FROM ${name} x`);
      for (const { row } of rows) {
        parts.push(
          row.replaceAll(/\\\\x([0-9a-f]+)/g, (_, hex: string) => Buffer.from(hex, 'hex').toString('latin1')),
        );
      }
    }
    return parts.join('\n');
  });
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`PostgreSQL ${missing ?? ''}`, () => {
  test('contains no readable text', async () => {
    const memory = await open('sealed');
    await say(memory, `I saw a ${WORD} with Bartholomew`);
    await memory.remember(`Mia likes the ${WORD}`);
    await memory.close();
    const kept = await everything((await sharedServer()).url());
    expect(kept).toContain('sealed');
    expect(kept.toLowerCase()).not.toContain(WORD);
    expect(kept).not.toContain('Bartholomew');
  });

  test('does not open with another master key, or with none', async () => {
    await (await open('locked')).close();
    const other = `file:${join(temporaryFolder(), 'other.key')}`;
    await expect(open('locked', other)).rejects.toMatchObject({ code: 'KEY_MISSING' });
    await expect(open('new', other)).rejects.toMatchObject({ code: 'KEY_MISSING' });
  });

  test('destroys the keys of forgotten turns', async () => {
    const url = (await sharedServer()).url();
    const memory = await open('forgetting');
    await say(memory, `I saw a ${WORD}`);
    await say(memory, 'and a fox');
    await memory.forget({ turn: 1 });
    expect(await memory.admin.verify()).toMatchObject({ turns: 2, forgotten: 1, problems: [] });
    await memory.close();
    await withDatabase(url, async (sql) => {
      const turns = await sql`SELECT length(sealed) AS length FROM turn t JOIN memory m ON m.id = t.memory_id
        WHERE m.name = 'forgetting' ORDER BY t.id`;
      expect(turns).toMatchObject([{ length: 0 }, { length: expect.any(Number) as number }]);
      const pages = await sql`SELECT 1 FROM key_page k JOIN memory m ON m.id = k.memory_id
        WHERE m.name = 'forgetting'`;
      expect(pages).toHaveLength(1);
    });
  });

  test('accepts another master key, also while it is open', async () => {
    const [store, dataDir] = [(await sharedServer()).url(), temporaryFolder()];
    const memory = await open('rotated');
    await say(memory, `I saw a ${WORD}`);
    const next = `file:${join(dataDir, 'next.key')}`;
    await rotateStoreKeys({ store, dataDir }, { to: next });
    await expect(say(memory, 'lost')).rejects.toMatchObject({ code: 'KEY_MISSING' });
    await memory.close();
    await rotateStoreKeys({ store, dataDir }, { masterKey: next });
    const again = await open('rotated', next);
    await say(again, 'and a fox');
    await rotateStoreKeys({ store, dataDir }, { masterKey: next });
    await say(again, 'and an owl');
    expect((await again.admin.verify()).problems).toEqual([]);
    expect((await again.recall(WORD)).hits.map(({ text }) => text)).toContain(`I saw a ${WORD}`);
    await again.close();
    await rotateStoreKeys({ store, dataDir }, { masterKey: next, to: 'env:OMOIDE_TEST_MASTER_KEY' });
    await (await open('rotated')).close();
  });
});
