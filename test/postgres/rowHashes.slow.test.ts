/** Memories of versions before rows had hashes: their keys say so, and nothing else does. */
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import type postgres from 'postgres';
import { keyBytes, KeyWrapping } from '../../src/keys/keys.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import type { Types } from '../../src/store/postgres/session.ts';
import type { Store } from '../../src/store/store.ts';
import { assign, derived, draft, person, say, START, topic } from '../conformance/samples.ts';
import { missingForServer } from './server.ts';
import { sharedServer, withDatabase } from './shared.ts';

const MEMORY = 'row-hashes';
const KEYS = { folder: tmpdir() };
const TABLES = ['link', 'entity', 'unit_entity', 'edge', 'topic_member'];

async function open(url: string): Promise<Store> {
  const options = { memoryId: MEMORY, timeZone: 'UTC', now: () => START, keys: KEYS };
  const store = await openPostgresStore(url, options);
  onTestFinished(() => store.close());
  return store;
}

async function fill(store: Store): Promise<void> {
  await say(store, draft('one', { turnIndex: 0 }), draft('two', { turnIndex: 1 }));
  await store.units.link(1, 2, 'contextual');
  const relations = [{ from: 0, to: 1, relation: 'knows', weight: 0.5 }];
  await store.units.applyDerivation(derived(1, { mentions: [person('Ken'), person('Sarah')], relations }));
  await store.topics.assign([assign(1, topic('first'))]);
}

async function removeHashes(sql: postgres.Sql<Types>): Promise<void> {
  for (const table of TABLES) {
    const sqlText = `UPDATE ${table} SET mac = '' WHERE memory_id = (SELECT id FROM memory WHERE name = $1)`;
    expect((await sql.unsafe(sqlText, [MEMORY])).count).toBeGreaterThan(0);
  }
}

/** The key as an earlier version stored it. */
async function removeNote(sql: postgres.Sql<Types>): Promise<void> {
  const wrapping = new KeyWrapping(KEYS);
  wrapping.open({ isUsed: true });
  const [memory] = await sql<{ wrapped_key: Uint8Array }[]>`
    SELECT wrapped_key FROM memory WHERE name = ${MEMORY}`;
  const key = wrapping.wrap(keyBytes(wrapping.unwrap(memory?.wrapped_key ?? new Uint8Array())));
  await sql`UPDATE memory SET wrapped_key = ${key} WHERE name = ${MEMORY}`;
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`PostgreSQL ${missing ?? ''}`, () => {
  test('the rows of a memory of an earlier version get their hashes when it is opened, and only then', async () => {
    const url = (await sharedServer()).url();
    const store = await open(url);
    await fill(store);
    expect((await store.admin.verify()).problems).toEqual([]);
    await store.close();
    await withDatabase(url, async (sql) => {
      await removeHashes(sql);
      await removeNote(sql);
    });
    const updated = await open(url);
    expect((await updated.admin.verify()).problems).toEqual([]);
    await updated.close();
    await withDatabase(url, removeHashes);
    const { problems } = await (await open(url)).admin.verify();
    const messages = problems.map(({ message }) => message).join('\n');
    for (const table of TABLES) expect(messages).toMatch(new RegExp(`row of ${table} with .* has no hash`));
  });
});
