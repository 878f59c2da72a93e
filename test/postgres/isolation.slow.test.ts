/** Memories in one database are isolated from each other, and turns cannot be changed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSettings, settingsPath } from '../../src/settings/settings.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { terms } from '../../src/text/text.ts';
import { draft, receiptOf } from '../conformance/samples.ts';
import { seededRandom } from '../seededRandom.ts';
import { startKillable } from '../server/killable.ts';
import { newDatabase } from './processes.ts';
import { missingForServer } from './server.ts';
import { sharedServer, withDatabase } from './shared.ts';

const MEMORIES = 50;
const OPERATIONS = { owner: 8_000, app: 2_000 };
const DIMENSIONS = 16;
const NOW = Date.UTC(2026, 0, 1);

/** Records each unit that is read: the role, the memory of the transaction, and the memory of the unit. */
const NOTE_READS = `
  CREATE TABLE row_read (as_role text, for_memory text, of_row integer);
  CREATE FUNCTION note_read(of_row integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    IF current_setting('transaction_read_only') = 'off' THEN
      INSERT INTO row_read VALUES (session_user, current_setting('omoide.memory', true), of_row);
    END IF;
    RETURN true;
  END $$;
  CREATE POLICY noted ON unit AS RESTRICTIVE USING (note_read(memory_id))`;

async function openStore(url: string, memoryId: string): Promise<Store> {
  const store = await openPostgresStore(url, {
    memoryId,
    timeZone: 'UTC',
    now: () => NOW,
    partitions: 4,
    keys: { folder: tmpdir() },
  });
  onTestFinished(() => store.close());
  return store;
}

/** A database whose memories are also opened by the role of servers. Returns the URLs of both roles. */
async function twoRoles(): Promise<{ owner: string; app: string }> {
  const server = await sharedServer();
  const owner = await newDatabase(server);
  const role = `app_${Math.random().toString(36).slice(2)}`;
  await (await openStore(owner, 'first')).close();
  await withDatabase(owner, async (sql) => {
    await sql.unsafe(`CREATE ROLE ${role} LOGIN`);
    await sql.unsafe(`SELECT omoide_grant('${role}')`);
  });
  return { owner, app: owner.replace('postgres@', `${role}@`) };
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`memories in one database ${missing ?? ''}`, () => {
  test('are separated by the database itself, and their turns are protected from change, for the role of servers', async () => {
    const { app } = await twoRoles();
    for (const name of ['a', 'b']) await say(await openStore(app, name), name);
    await withDatabase(app, async (sql) => {
      const [a, b] = await sql<
        { id: number }[]
      >`SELECT id FROM memory WHERE name IN ('a', 'b') ORDER BY name`;
      expect(await sql`SELECT 1 FROM turn`).toHaveLength(0);
      expect(await sql`SELECT 1 FROM unit`).toHaveLength(0);
      await sql.begin(async (tx) => {
        await tx`SELECT set_config('omoide.memory', ${String(a?.id)}, true)`;
        const rows = await tx<{ memory_id: number }[]>`SELECT memory_id FROM turn`;
        expect(rows.map((row) => row.memory_id)).toEqual([a?.id]);
        expect((await tx`DELETE FROM unit WHERE memory_id = ${b?.id ?? 0}`).count).toBe(0);
      });
      const denied = { code: '42501' };
      await expect(sql`UPDATE turn SET sealed = ''`).rejects.toMatchObject(denied);
      await expect(sql`DELETE FROM turn`).rejects.toMatchObject(denied);
      await expect(sql`TRUNCATE turn`).rejects.toMatchObject(denied);
      await expect(sql`DELETE FROM checkpoint`).rejects.toMatchObject(denied);
      await expect(sql`SELECT * FROM turn_0`).rejects.toMatchObject(denied);
      await expect(sql`SELECT omoide_forget_turn(${b?.id ?? 0}, 1, '/forgotten/x')`).rejects.toMatchObject(
        denied,
      );
      await expect(sql`INSERT INTO link VALUES (${b?.id ?? 0}, 1, 2, 'quote')`).rejects.toMatchObject(denied);
    });
  });

  test('hide their keys and events from a transaction of another memory', async () => {
    const { app } = await twoRoles();
    for (const name of ['a', 'b']) await openStore(app, name);
    await withDatabase(app, async (sql) => {
      const [a, b] = await sql<
        { id: number }[]
      >`SELECT id FROM memory WHERE name IN ('a', 'b') ORDER BY name`;
      const ids = [a?.id ?? 0, b?.id ?? 0];
      await sql`INSERT INTO outbox (memory_id, kind) SELECT unnest(${ids}::integer[]), 'erased'`;
      await sql.begin(async (tx) => {
        await tx`SELECT set_config('omoide.memory', ${String(a?.id)}, true)`;
        expect(await tx`SELECT id FROM memory`).toEqual([{ id: a?.id }]);
        expect(await tx`SELECT memory_id FROM outbox`).toEqual([{ memory_id: a?.id }]);
        expect((await tx`UPDATE memory SET wrapped_key = '' WHERE id = ${b?.id ?? 0}`).count).toBe(0);
        expect((await tx`DELETE FROM outbox WHERE memory_id = ${b?.id ?? 0}`).count).toBe(0);
        await expect(
          tx.savepoint((sp) => sp`INSERT INTO outbox (memory_id, kind) VALUES (${b?.id ?? 0}, 'erased')`),
        ).rejects.toMatchObject({ code: '42501' });
      });
      expect(await sql`SELECT memory_id FROM outbox ORDER BY 1`).toHaveLength(2);
    });
  });

  test('are reached one at a time by a token bound to one, under row-level security', async () => {
    const { owner, app } = await twoRoles();
    for (const name of ['a', 'b']) await say(await openStore(app, name), `a garden of ${name}`);
    await withDatabase(owner, (sql) => sql.unsafe(NOTE_READS));
    const dataDir = mkdtempSync(join(tmpdir(), 'omoide-token-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const settings = openSettings(settingsPath(dataDir));
    const { token } = settings.tokens.create({ name: 'bound', memoryId: 'a' });
    settings.close();
    const server = await startKillable(dataDir, ['--no-worker', '--store', app]);
    const recall = async (memoryId: string) =>
      fetch(`${server.url}/api/memories/${memoryId}/recall`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ utterance: 'garden' }),
      });
    const answer = await recall('a');
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('a garden of a')]);
    expect((await recall('b')).status).toBe(403);
    await withDatabase(owner, async (sql) => {
      const [a] = await sql<{ id: number }[]>`SELECT id FROM memory WHERE name = 'a'`;
      const role = new URL(app).username;
      expect(await sql`SELECT DISTINCT as_role, for_memory, of_row FROM row_read`).toEqual([
        { as_role: role, for_memory: String(a?.id), of_row: a?.id },
      ]);
    });
  });

  test('can be forgotten from and verified by the role of servers', async () => {
    const { app } = await twoRoles();
    const store = await openStore(app, 'a');
    await say(store, 'one');
    await say(store, 'two');
    const nothing = { unitIds: [], reworded: [], topics: [], jobs: [] };
    await store.forgetting.erase({ ...nothing, turnIds: [1], receipt: receiptOf('a') });
    expect(await store.admin.verify()).toMatchObject({ turns: 2, forgotten: 1, problems: [] });
  });

  test('do not let owners change a turn either', async () => {
    const { owner } = await twoRoles();
    await say(await openStore(owner, 'a'), 'a');
    await withDatabase(owner, async (sql) => {
      await expect(sql`UPDATE turn SET sealed = 'x'`).rejects.toThrow('append-only');
      await expect(sql`DELETE FROM turn`).rejects.toThrow('append-only');
      await expect(sql`TRUNCATE turn`).rejects.toThrow('append-only');
    });
  });

  test.each(['owner', 'app'] as const)(
    'see nothing of each other in any sequence of calls: %s',
    async (role) => {
      const url = `${(await twoRoles())[role]}?max_connections=4`;
      const stores = await Promise.all(
        Array.from({ length: MEMORIES }, (_, i) => openStore(url, `memory-${i}`)),
      );
      const random = seededRandom();
      const operations = OPERATIONS[role];
      const counts = stores.map(() => 0);
      let leaks = 0;
      let answers = 0;
      for (let done = 0; done < operations; done += 4) {
        const batch = Array.from({ length: 4 }, () => ({
          i: Math.floor(random() * MEMORIES),
          kind: Math.floor(random() * 8),
          id: 1 + Math.floor(random() * 40),
        }));
        await Promise.all(
          batch.map(async ({ i, kind, id }) => {
            const store = stores[i];
            if (!store) return;
            const found = await operate(store, i, { kind, id });
            if (kind === 0) counts[i] = (counts[i] ?? 0) + 1;
            answers += found.length;
            leaks += found.filter((text) => !text.includes(markOf(i))).length;
          }),
        );
      }
      expect(leaks).toBe(0);
      expect(answers).toBeGreaterThan(operations / 4);
      for (const [i, store] of stores.entries()) {
        expect((await store.admin.info()).turns).toBe(counts[i]);
      }
    },
    1_200_000,
  );
});

/** A word that only this memory contains. */
function markOf(memory: number): string {
  return `mark${String(memory).padStart(3, '0')}x`;
}

/** Its answers as texts, each of which must contain the mark of its memory. */
async function operate(
  store: Store,
  i: number,
  { kind, id }: { kind: number; id: number },
): Promise<string[]> {
  const unitTexts = async (ids: readonly number[]) =>
    (await store.units.passages(ids)).map(({ text }) => text);
  switch (kind) {
    case 0: {
      const added = await say(store, `tea ${markOf(i)} and cake`);
      const vector = new Float32Array(DIMENSIONS).map((_, j) => Math.sin(i * 31 + j + added));
      await store.indexes.vectors.upsert('m', [{ unitId: added, vector }]);
      return [];
    }
    case 1:
      return unitTexts((await store.indexes.text.search(terms('tea cake'), {}, 20)).map((hit) => hit.unitId));
    case 2: {
      const query = new Float32Array(DIMENSIONS).fill(1);
      const hits = await store.indexes.vectors.query(query, {}, 20).catch(() => []);
      return unitTexts(hits.map((hit) => hit.unitId));
    }
    case 3:
      return (await store.evidence.get([id, id + 1])).map(({ text }) => text);
    case 4:
      return (await store.evidence.recent('shared', 10)).map(({ text }) => text);
    case 5:
      return (await store.units.list({}, { limit: 20 })).map((unit) =>
        unit.kind === 'episode' ? unit.payload.text : '',
      );
    case 6: {
      const [other] = (await store.units.neighbours([id], { before: 2, after: 2 })).slice(0, 1);
      return other ? unitTexts([other.unitId]) : [];
    }
    default: {
      const other = terms(markOf((i + 1) % MEMORIES));
      return unitTexts((await store.indexes.text.search(other, {}, 5)).map((hit) => hit.unitId));
    }
  }
}

async function say(store: Store, text: string): Promise<number> {
  const [added] = await store.evidence.append([draft(text, { conversationId: 'shared' })]);
  return added?.unitId ?? 0;
}
