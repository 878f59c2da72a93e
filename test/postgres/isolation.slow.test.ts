/** Memories in one database are isolated from each other, and turns cannot be changed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSettings, settingsPath } from '../../src/settings/settings.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { terms } from '../../src/text/text.ts';
import { assign, derived, draft, person, receiptOf, topic } from '../conformance/samples.ts';
import { seededRandom } from '../seededRandom.ts';
import { startKillable } from '../server/killable.ts';
import { newDatabase } from './processes.ts';
import { missingForServer } from './server.ts';
import { sharedServer, withDatabase } from './shared.ts';

const MEMORIES = 50;
const OPERATIONS = { owner: 8_000, app: 2_000 };
const KINDS = 14;
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

  test('are separated in every table', async () => {
    const { owner } = await twoRoles();
    const unprotected = await withDatabase(
      owner,
      (sql) => sql<{ name: string }[]>`
        SELECT c.relname AS name FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'memory_id'
        WHERE c.relkind IN ('p', 'r') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
          AND NOT (c.relrowsecurity AND (
            SELECT count(*) = 1 AND bool_and(p.polname = 'own_memory' AND p.polcmd = '*'
              AND pg_get_expr(p.polqual, p.polrelid) LIKE '%memory_id = %omoide.memory%')
            FROM pg_policy p WHERE p.polrelid = c.oid))`,
    );
    expect(unprotected).toEqual([]);
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
      const used = stores.map((store, i) => new UsedMemory(store, i));
      const leaks: string[] = [];
      const answers = Array.from({ length: KINDS }, () => 0);
      for (let done = 0; done < operations; done += 4) {
        const batch = Array.from({ length: 4 }, () => ({
          i: Math.floor(random() * MEMORIES),
          kind: Math.floor(random() * KINDS),
          id: 1 + Math.floor(random() * 12),
        }));
        await Promise.all(
          batch.map(async ({ i, kind, id }) => {
            const found = (await used[i]?.operate(kind, id)) ?? [];
            answers[kind] = (answers[kind] ?? 0) + found.length;
            leaks.push(
              ...found.filter((text) => !text.includes(markOf(i))).map((text) => `${kind}: ${text}`),
            );
          }),
        );
      }
      expect(leaks).toEqual([]);
      // The other kinds write, or look for words of another memory.
      for (const kind of [1, 2, 3, 4, 5, 6, 9, 10]) expect(answers[kind]).toBeGreaterThan(operations / 2_000);
      for (const memory of used) expect(await memory.differences()).toEqual({});
    },
    1_200_000,
  );
});

/** A word that only this memory contains. */
function markOf(memory: number): string {
  return `mark${String(memory).padStart(3, '0')}x`;
}

/** One of the memories, and what was done in it. Ids of turns, units, entities, topics and jobs are the same numbers in all. */
class UsedMemory {
  readonly #store: Store;
  readonly #mark: string;
  readonly #otherMark: string;
  /** A value that only this memory sets. */
  readonly #salience: number;
  #turns = 0;
  #claimed = 0;
  #forgotten = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Store, i: number) {
    this.#store = store;
    this.#mark = markOf(i);
    this.#otherMark = markOf((i + 1) % MEMORIES);
    this.#salience = (i + 1) / 1_000;
  }

  /** The answers as texts, each of which must contain the mark of this memory. Calls run one after another. */
  async operate(kind: number, id: number): Promise<string[]> {
    const answers = this.#last.then(() => this.#operate(kind, id));
    this.#last = answers.catch(() => {});
    return answers;
  }

  async #operate(kind: number, id: number): Promise<string[]> {
    const { units, indexes, evidence, jobs, topics, entities } = this.#store;
    switch (kind) {
      case 0:
        await this.#say(id);
        return [];
      case 1:
        return this.#textsOf((await indexes.text.search(terms('tea cake'), {}, 20)).map((hit) => hit.unitId));
      case 2: {
        const query = new Float32Array(DIMENSIONS).fill(1);
        const hits = this.#turns > 0 ? await indexes.vectors.query(query, {}, 20) : [];
        return this.#textsOf(hits.map((hit) => hit.unitId));
      }
      case 3:
        return (await evidence.get([id, id + 1]))
          .filter(({ isForgotten }) => !isForgotten)
          .map(({ text }) => text);
      case 4:
        return (await evidence.recent('shared', 10)).map(({ text }) => text);
      case 5:
        return (await units.list({}, { limit: 20 })).map((unit) =>
          unit.kind === 'episode' ? unit.payload.text : '',
        );
      case 6: {
        const [other] = await units.neighbours([id], { before: 2, after: 2 });
        return other ? this.#textsOf([other.unitId]) : [];
      }
      case 7:
        return this.#textsOf(
          (await indexes.text.search(terms(this.#otherMark), {}, 5)).map((hit) => hit.unitId),
        );
      case 8:
        await this.#learn(id);
        return [];
      case 9:
        return [
          ...(await entities.list({}, { limit: 20 })).map(({ name }) => name),
          ...(await topics.list({}, { limit: 20 })).map(({ title }) => title),
          ...(await entities.ofUnits([id])).map(({ surface }) => surface),
        ];
      case 10: {
        if (!(await this.#has(id))) return [];
        await units.save([
          { type: 'update', unitId: id, set: { salience: this.#salience }, reason: this.#mark },
        ]);
        return (await units.versions(id)).map(({ snapshot }) => JSON.stringify(snapshot));
      }
      case 11: {
        const [first, second] = await entities.list({}, { limit: 2 });
        if (first && second) await entities.merge(first.id, second.id);
        return [];
      }
      case 12:
        if (id === 1) await this.#forgetFirst();
        return [];
      default: {
        const claim = { kinds: ['embed'], owner: this.#mark, leaseMs: 3_600_000, limit: 2 };
        this.#claimed += (await jobs.claim({ ...claim, now: NOW })).length;
        return [];
      }
    }
  }

  /** What is not as it was left. */
  async differences(): Promise<object> {
    const { admin, units, jobs } = this.#store;
    const all = await units.list({}, { limit: 10_000 });
    const { running, queued } = await jobs.count();
    const { problems, turns, forgotten } = await admin.verify();
    const foreign = all.filter(({ salience, version }) => version > 1 && salience !== this.#salience);
    const differences = {
      turns: turns - this.#turns,
      forgotten: forgotten - this.#forgotten,
      running: running - this.#claimed,
      jobs: running + queued - (this.#turns - this.#forgotten),
    };
    return {
      ...Object.fromEntries(Object.entries(differences).filter(([, difference]) => difference !== 0)),
      ...(problems.length > 0 && { problems }),
      ...(foreign.length > 0 && { foreign }),
    };
  }

  async #say(seed: number): Promise<void> {
    this.#turns += 1;
    const added = await say(this.#store, `tea ${this.#mark} and cake`, ['embed']);
    const vector = new Float32Array(DIMENSIONS).map((_, j) => Math.sin(this.#salience * 31_000 + j + seed));
    await this.#store.indexes.vectors.upsert('m', [{ unitId: added, vector }]);
  }

  async #learn(unitId: number): Promise<void> {
    if (!(await this.#has(unitId))) return;
    const name = `${this.#mark} ${unitId % 5}`;
    await this.#store.units.applyDerivation(derived(unitId, { mentions: [person(name)] }));
    await this.#store.topics.assign([assign(unitId, topic(name))]);
  }

  /** Erases the first turn and its job. */
  async #forgetFirst(): Promise<void> {
    if (this.#forgotten > 0 || !(await this.#has(1))) return;
    const { forgetting, jobs } = this.#store;
    const running = await jobs.list({ status: 'running', limit: 1_000 });
    if (running.some(({ input }) => input['unitId'] === 1)) this.#claimed -= 1;
    const nothing = { unitIds: [], reworded: [], topics: [], jobs: [] };
    await forgetting.erase({ ...nothing, turnIds: [1], receipt: receiptOf(this.#store.memoryId) });
    this.#forgotten += 1;
  }

  async #has(unitId: number): Promise<boolean> {
    return (await this.#store.units.get([unitId])).length > 0;
  }

  async #textsOf(ids: readonly number[]): Promise<string[]> {
    return (await this.#store.units.passages(ids)).map(({ text }) => text);
  }
}

async function say(store: Store, text: string, jobKinds: readonly string[] = []): Promise<number> {
  const [added] = await store.evidence.append([draft(text, { conversationId: 'shared', jobKinds })]);
  return added?.unitId ?? 0;
}
