/** Which writes wait until PostgreSQL has them on the disk. */
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { add, draft, loop } from '../conformance/samples.ts';
import { newDatabase } from './processes.ts';
import { missingForServer, TestServer } from './server.ts';
import { sharedServer, withDatabase } from './shared.ts';

/** Records how each row of turns and units was committed. */
const NOTE_COMMITS = `
  CREATE TABLE commit_mode (of_table text, operation text, mode text);
  CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO commit_mode VALUES (TG_ARGV[0], TG_OP, current_setting('synchronous_commit'));
    RETURN NULL;
  END $$;
  CREATE TRIGGER noted AFTER INSERT ON turn FOR EACH ROW EXECUTE FUNCTION note_commit('turn');
  CREATE TRIGGER noted AFTER INSERT OR UPDATE ON unit FOR EACH ROW EXECUTE FUNCTION note_commit('unit')`;

const missing = missingForServer();
describe.skipIf(missing !== null)(`commits ${missing ?? ''}`, () => {
  test('of counts of accesses do not wait for the disk; those of turns and units do, on the same connection', async () => {
    const url = await newDatabase(await sharedServer());
    const store = await openPostgresStore(`${url}?max_connections=2`, {
      memoryId: 'm',
      timeZone: 'UTC',
      partitions: 1,
      keys: { folder: tmpdir() },
    });
    onTestFinished(() => store.close());
    const [first] = await store.evidence.append([draft('first')]);
    await withDatabase(url, async (sql) => {
      await sql.unsafe(NOTE_COMMITS);
      await store.units.countAccess([first?.unitId ?? 0], 0);
      expect(await sql`SELECT * FROM commit_mode`).toEqual([
        { of_table: 'unit', operation: 'UPDATE', mode: 'off' },
      ]);
      await sql`TRUNCATE commit_mode`;
      await store.evidence.append([draft('second')]);
      await store.units.save([add({ content: loop('a task') })]);
      expect(await sql`SELECT DISTINCT of_table, mode FROM commit_mode ORDER BY 1`).toEqual([
        { of_table: 'turn', mode: 'on' },
        { of_table: 'unit', mode: 'on' },
      ]);
    });
  });

  test('are waited for: a turn is acknowledged only when the standby has it', async () => {
    const server = await TestServer.start('fsync = off');
    onTestFinished(() => server.remove());
    const options = { memoryId: 'm', timeZone: 'UTC', partitions: 1, keys: { folder: tmpdir() } };
    await (await openPostgresStore(server.url(), options)).close();
    // No standby has this name, so every commit waits.
    server.configure("synchronous_standby_names = 'none'");
    await server.end();
    await server.boot();
    const store = await openPostgresStore(server.url(), options);
    onTestFinished(() => store.close());
    await withDatabase(server.url(), async (sql) => {
      let isAcknowledged = false;
      const adding = store.evidence.append([draft('first')]).then(() => (isAcknowledged = true));
      await vi.waitFor(
        async () =>
          expect(await sql`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'`).toHaveLength(1),
        { timeout: 30_000 },
      );
      expect(isAcknowledged).toBe(false);
      await sql`ALTER SYSTEM SET synchronous_standby_names = ''`;
      await sql`SELECT pg_reload_conf()`;
      await adding;
    });
  });
});
