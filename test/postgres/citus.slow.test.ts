/**
 * Which tables are distributed when the extension Citus is installed. Citus cannot be installed here: functions with
 * the same names record the calls. What Citus does with the tables is not tested.
 */
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { draft } from '../conformance/samples.ts';
import { AS_LARGE } from './memories.ts';
import { newDatabase } from './processes.ts';
import { missingForServer } from './server.ts';
import { sharedServer, withDatabase } from './shared.ts';

const STAND_IN = `
  CREATE TABLE pg_dist_partition (logicalrelid oid);
  CREATE TABLE call (n serial, of_table text, by_column text, colocate_with text, triggers text);
  CREATE FUNCTION create_distributed_table(table_name regclass, distribution_column text,
    distribution_type text DEFAULT 'hash', colocate_with text DEFAULT 'default') RETURNS void LANGUAGE sql AS $$
    INSERT INTO call (of_table, by_column, colocate_with, triggers) VALUES ($1::text, $2, $4,
      current_setting('citus.enable_unsafe_triggers'));
    INSERT INTO pg_dist_partition VALUES ($1);
  $$`;

async function open(url: string) {
  const keys = { folder: tmpdir() };
  return openPostgresStore(url, { memoryId: 'm', timeZone: 'UTC', keys, copies: AS_LARGE });
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`with Citus ${missing ?? ''}`, () => {
  test('every table of memories is distributed by memory, and the rows of a memory are colocated', async () => {
    const url = await newDatabase(await sharedServer());
    await withDatabase(url, (sql) => sql.unsafe(STAND_IN));
    const store = await open(url);
    await store.evidence.append([draft('tea')]);
    expect((await store.admin.verify()).problems).toEqual([]);
    expect(await store.together(() => store.indexes.text.search(['tea'], {}, 1))).toHaveLength(1);
    // The triggers on other servers do not know the revision of a write.
    expect(store.copiedBytes).toBe(0);
    await store.close();
    await (await open(url)).close();
    await withDatabase(url, async (sql) => {
      const calls = await sql`SELECT of_table, by_column, colocate_with, triggers FROM call ORDER BY n`;
      const partitioned = await sql`SELECT relname FROM pg_class WHERE relkind = 'p' ORDER BY 1`;
      expect(calls.map((call) => call['of_table']).toSorted()).toEqual(
        partitioned.map((row) => row['relname']),
      );
      const [first, ...others] = calls;
      const alike = { by_column: 'memory_id', triggers: 'on' };
      expect(first).toMatchObject({ ...alike, of_table: 'turn', colocate_with: 'none' });
      for (const call of others) expect(call).toMatchObject({ ...alike, colocate_with: 'turn' });
      expect(await sql`SELECT 1 FROM pg_class WHERE relname = 'turn_1'`).toHaveLength(0);
      expect(await sql`SELECT omoide_distribute() AS done`).toEqual([{ done: 0 }]);
    });
  });

  test('distributed tables have only triggers that change their row or reject it', async () => {
    const url = await newDatabase(await sharedServer());
    await (await open(url)).close();
    await withDatabase(url, async (sql) => {
      const triggers = await sql`SELECT DISTINCT tgfoid::regproc::text AS runs FROM pg_trigger
        WHERE NOT tgisinternal ORDER BY 1`;
      expect(triggers).toEqual([{ runs: 'omoide_note_revision' }, { runs: 'omoide_refuse' }]);
    });
  });
});
