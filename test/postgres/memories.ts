/** Direct changes to memories for tests, without a store. */
import type { Damage } from '../conformance/conformance.ts';
import { tmpdir } from 'node:os';
import type postgres from 'postgres';
import { KeyWrapping } from '../../src/keys/keys.ts';
import { PostgresKeys } from '../../src/store/postgres/keys.ts';
import { Session, type Types } from '../../src/store/postgres/session.ts';
import {
  CHAIN_START,
  chainHash,
  contentHash,
  formatWords,
  type SealedTurnRow,
  type TurnWords,
} from '../../src/store/rows/rows.ts';
import { withParts, type Store } from '../../src/store/store.ts';
import { withDatabase } from './shared.ts';

/** Frees a memory's name: data of an earlier test stays and must have no effect. */
export async function freeName(url: string, memoryId: string): Promise<void> {
  await withDatabase(url, async (sql) => {
    const [table] = await sql<{ name: string | null }[]>`SELECT to_regclass('memory')::text AS name`;
    if (table?.name) await sql`UPDATE memory SET name = 'before ' || id WHERE name = ${memoryId}`;
  });
}

/** Tables without content of their own, or indexes. */
const NOT_DUMPED = new Set([
  'counter',
  'job',
  'journal',
  'journal_image',
  'journal_touch',
  'key_page',
  'unit_text',
  'posting',
  'unit_vector',
  'vector_set',
  'vector_pending',
]);

/** All stored data of a memory in a canonical form. */
export async function dumpMemory(url: string, memoryId: string): Promise<string> {
  return withDatabase(url, async (sql) => {
    const tables = await sql<{ name: string }[]>`
      SELECT relname AS name FROM pg_class WHERE relkind = 'p' AND relnamespace = 'public'::regnamespace ORDER BY 1`;
    const lines: string[] = [];
    for (const { name } of tables.filter((table) => !NOT_DUMPED.has(table.name))) {
      const rows = await sql.unsafe(
        `SELECT to_jsonb(x) - 'memory_id' - 'revision' ${name === 'term' ? "- 'id'" : ''} AS row FROM ${name} x
         WHERE memory_id = (SELECT id FROM memory WHERE name = $1)`,
        [memoryId],
      );
      const said = rows
        .map(({ row }) => JSON.parse(row as string) as Record<string, unknown>)
        .filter((row) => !isEmptyRow(name, row));
      lines.push(`-- ${name}`, ...said.map((row) => JSON.stringify(row)).sort());
    }
    return lines.join('\n');
  });
}

/** Counters at 0 are left out. */
function isEmptyRow(table: string, row: Record<string, unknown>): boolean {
  return (table === 'indexed' && row['documents'] === 0) || (table === 'speaker' && row['turns'] === 0);
}

/** Changes stored data, past all triggers. */
export async function applyDamage(url: string, memoryId: string, damage: Damage): Promise<void> {
  await withDatabase(url, async (sql) => {
    const session = await openSession(sql, memoryId);
    await sql`ALTER TABLE turn DISABLE TRIGGER USER`;
    const words = forgedWords(damage);
    const changed =
      words && 'turnId' in damage
        ? await forgeTurn(session, damage.turnId, words)
        : await runDamage(sql, session, damage);
    if (damage.type === 'history rewritten') await rewriteHashes(session);
    await sql`ALTER TABLE turn ENABLE TRIGGER USER`;
    if (changed === 0) throw new Error(`Nothing was there to damage: ${JSON.stringify(damage)}`);
  });
}

/** With the master key. */
async function openSession(sql: postgres.Sql<Types>, memoryId: string): Promise<Session> {
  const [memory] = await sql<{ id: number; wrapped_key: Uint8Array }[]>`
    SELECT id, wrapped_key FROM memory WHERE name = ${memoryId}`;
  if (!memory) throw new Error(`There is no memory ${memoryId}.`);
  const wrapping = new KeyWrapping({ folder: tmpdir() });
  wrapping.open({ isUsed: true });
  const keys = new PostgresKeys(wrapping, memory.wrapped_key);
  return new Session(sql, { id: memory.id, keys }, { isPrepared: true });
}

async function runDamage(sql: postgres.Sql<Types>, session: Session, damage: Damage): Promise<number> {
  const [statement, ...values] = damageSql(damage, session.keys);
  return (await sql.unsafe(statement, [session.memory, ...values])).count;
}

function forgedWords({ type }: Damage): Partial<TurnWords> | null {
  if (type === 'turn had other meta') return { meta: '{"a":1}' };
  return type === 'turn said something else' || type === 'history rewritten'
    ? { text: 'something else' }
    : null;
}

async function forgeTurn(session: Session, turnId: number, words: Partial<TurnWords>): Promise<number> {
  const [turn] = await readTurns(session, [turnId]);
  if (!turn) return 0;
  const [sealed] = await session.keys.sealTurns(session, [formatWords({ ...turn, ...words })]);
  return session.run('UPDATE turn SET sealed = ? WHERE memory_id = $1 AND id = ?', sealed ?? null, turnId);
}

async function rewriteHashes(session: Session): Promise<void> {
  let chain: Uint8Array = CHAIN_START;
  for (const row of await readTurns(session)) {
    const content = contentHash(row);
    chain = chainHash(chain, content);
    const sql = 'UPDATE turn SET content_hash = ?, chain_hash = ? WHERE memory_id = $1 AND id = ?';
    await session.run(sql, content, chain, row.id);
  }
}

async function readTurns(session: Session, ids: readonly number[] | null = null) {
  const rows = await session.all<SealedTurnRow & object>(
    `SELECT id::float8 AS id, conversation_id, turn_index::float8 AS turn_index, occurred_at::float8 AS occurred_at, sealed
     FROM turn WHERE memory_id = $1 AND coalesce(id = ANY (?::bigint[]), TRUE) ORDER BY turn.id`,
    ids,
  );
  return session.keys.withWords(session, rows);
}

const SERVING = "(SELECT id FROM vector_set WHERE memory_id = $1 AND role = 'serving')";
const NEXT = "(SELECT id FROM vector_set WHERE memory_id = $1 AND role = 'next')";
const OTHER_VECTOR = `('[' || repeat('0,', 15) || '1]')::halfvec`;

function damageSql(damage: Damage, keys: PostgresKeys): [sql: string, ...values: (string | number)[]] {
  switch (damage.type) {
    case 'turn said something else':
    case 'turn had other meta':
    case 'history rewritten':
      throw new Error('The words of turns are forged.');
    case 'turn gone':
      return ['DELETE FROM turn WHERE memory_id = $1 AND id = $2', damage.turnId];
    case 'checkpoint forged':
      return ["UPDATE checkpoint SET chain_hash = 'ab' WHERE memory_id = $1 AND turn_id = $2", damage.turnId];
    case 'episode gone':
      return ['DELETE FROM unit WHERE memory_id = $1 AND id = $2', damage.unitId];
    case 'episode moved':
      return ['UPDATE unit SET turn_index = 77 WHERE memory_id = $1 AND id = $2', damage.unitId];
    case 'episode at another time':
      return [
        'UPDATE unit SET occurred_at = occurred_at + 1 WHERE memory_id = $1 AND id = $2',
        damage.unitId,
      ];
    case 'not in text index':
      return [
        `WITH gone AS (DELETE FROM unit_text WHERE memory_id = $1 AND unit_id = $2)
         DELETE FROM posting WHERE memory_id = $1 AND unit_id = $2`,
        damage.unitId,
      ];
    case 'other terms in text index':
      return [
        `UPDATE posting SET term_id = (SELECT max(id) + 1 FROM term WHERE memory_id = $1)
         WHERE memory_id = $1 AND unit_id = $2 AND term_id = (SELECT min(term_id) FROM posting WHERE memory_id = $1 AND unit_id = $2)`,
        damage.unitId,
      ];
    case 'times gone':
      return ['DELETE FROM unit_time WHERE memory_id = $1 AND unit_id = $2', damage.unitId];
    case 'vector gone':
      return [
        `DELETE FROM unit_vector WHERE memory_id = $1 AND set_id = ${SERVING} AND unit_id = $2`,
        damage.unitId,
      ];
    case 'vector changed':
      return [
        `UPDATE unit_vector SET embedding = ${OTHER_VECTOR} WHERE memory_id = $1 AND set_id = ${SERVING} AND unit_id = $2`,
        damage.unitId,
      ];
    case 'vector with another state':
      return ['UPDATE unit_vector SET state = 3 WHERE memory_id = $1 AND unit_id = $2', damage.unitId];
    case 'next vector gone':
      return [
        `DELETE FROM unit_vector WHERE memory_id = $1 AND set_id = ${NEXT} AND unit_id = $2`,
        damage.unitId,
      ];
    case 'next vector changed':
      return [
        `UPDATE unit_vector SET embedding = ${OTHER_VECTOR} WHERE memory_id = $1 AND set_id = ${NEXT} AND unit_id = $2`,
        damage.unitId,
      ];
    case 'mentions gone':
      return ['DELETE FROM unit_entity WHERE memory_id = $1 AND unit_id = $2', damage.unitId];
    case 'topics gone':
      return ['DELETE FROM topic_member WHERE memory_id = $1 AND unit_id = $2', damage.unitId];
    case 'versions gone':
      return ['DELETE FROM unit_version WHERE memory_id = $1 AND unit_id = $2', damage.unitId];
    case 'row changed':
      return [`UPDATE ${damage.table} SET ${damage.set} WHERE memory_id = $1 AND ${damage.where}`];
    case 'entity gone':
      return ['DELETE FROM entity WHERE memory_id = $1 AND id = $2', damage.entityId];
    case 'keys gone':
      return ['DELETE FROM entity_key WHERE memory_id = $1 AND entity_id = $2', damage.entityId];
    case 'aliases gone':
      return ['DELETE FROM entity_alias WHERE memory_id = $1 AND entity_id = $2', damage.entityId];
    case 'key of another':
      return ["INSERT INTO entity_key VALUES ($1, 'other', $2)", damage.entityId];
    case 'alias unknown':
      return [
        "UPDATE entity_alias SET folded = 'other' WHERE memory_id = $1 AND entity_id = $2 AND folded = $3",
        damage.entityId,
        keys.hashTerm('ken'),
      ];
    case 'mentions miscounted':
      return ['UPDATE entity SET mentions = mentions + 1 WHERE memory_id = $1 AND id = $2', damage.entityId];
    case 'members miscounted':
      return ['UPDATE topic SET members = members + 1 WHERE memory_id = $1 AND id = $2', damage.topicId];
    case 'members at another time':
      return ['UPDATE topic SET last_at = last_at + 1 WHERE memory_id = $1 AND id = $2', damage.topicId];
    case 'archived with members':
      return ["UPDATE topic SET state = 'archived' WHERE memory_id = $1 AND id = $2", damage.topicId];
    case 'too strong':
      return ['UPDATE topic SET strength = 1.5 WHERE memory_id = $1 AND id = $2', damage.topicId];
    case 'topic gone':
      return ['DELETE FROM topic WHERE memory_id = $1 AND id = $2', damage.topicId];
    case 'topic below itself':
      return [
        'INSERT INTO topic_parent SELECT memory_id, parent_id, topic_id, mac FROM topic_parent WHERE memory_id = $1 AND topic_id = $2',
        damage.topicId,
      ];
    case 'other words of topic':
      return [
        'UPDATE topic SET title = $3 WHERE memory_id = $1 AND id = $2',
        damage.topicId,
        keys.seal('other'),
      ];
    case 'terms of topic gone':
      return ['DELETE FROM topic_term WHERE memory_id = $1 AND topic_id = $2', damage.topicId];
    case 'conversation forgotten':
      return ['DELETE FROM conversation WHERE memory_id = $1 AND id = $2', damage.conversationId];
    case 'conversation miscounted':
      return [
        'UPDATE conversation SET turns = turns + 1 WHERE memory_id = $1 AND id = $2',
        damage.conversationId,
      ];
    case 'term miscounted':
      return [
        'UPDATE term SET documents = documents + 1 WHERE memory_id = $1 AND term = $2',
        keys.hashTerm(damage.term),
      ];
    case 'speaker forgotten':
      return ['DELETE FROM speaker WHERE memory_id = $1 AND name = $2', keys.seal(damage.speaker)];
    case 'kinds forgotten':
      return ['DELETE FROM indexed WHERE memory_id = $1'];
  }
}

/** Makes a memory of any size copied as a large one, at its first recall. */
export const AS_LARGE = { whole: 0, recalls: 0 };

/** The store, each of whose calls may be answered from its copy of the memory. */
export function withReadsFromCopy(store: Store): Store {
  const together = <Group extends object>(group: Group): Group =>
    Object.fromEntries(
      Object.entries(group).map(([name, part]) => [
        name,
        typeof part === 'function'
          ? (...given: unknown[]) => store.together(() => part.apply(group, given))
          : together(part as object),
      ]),
    ) as Group;
  return withParts(store, {
    units: together(store.units),
    topics: together(store.topics),
    indexes: together(store.indexes),
  });
}
