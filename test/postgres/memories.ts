/** What tests do to memories behind a store's back. */
import type { Damage } from '../conformance/conformance.ts';
import { CHAIN_START, chainHash, contentHash, type TurnRow } from '../../src/store/rows/rows.ts';
import { withDatabase } from './shared.ts';

/** Frees a memory's name for another: what an earlier test kept stays beside it, and must make no difference. */
export async function forgetName(url: string, memoryId: string): Promise<void> {
  await withDatabase(url, async (sql) => {
    const [table] = await sql<{ name: string | null }[]>`SELECT to_regclass('memory')::text AS name`;
    if (table?.name) await sql`UPDATE memory SET name = 'before ' || id WHERE name = ${memoryId}`;
  });
}

/** What tells nothing, or what only serves to find things. */
const NOT_DUMPED = new Set([
  'counter',
  'job',
  'journal',
  'journal_image',
  'journal_touch',
  'unit_text',
  'posting',
  'unit_vector',
  'vector_set',
  'vector_pending',
]);

/** All that is kept of a memory, the same text for the same. */
export async function dumpMemory(url: string, memoryId: string): Promise<string> {
  return withDatabase(url, async (sql) => {
    const tables = await sql<{ name: string }[]>`
      SELECT relname AS name FROM pg_class WHERE relkind = 'p' AND relnamespace = 'public'::regnamespace ORDER BY 1`;
    const lines: string[] = [];
    for (const { name } of tables.filter((table) => !NOT_DUMPED.has(table.name))) {
      const rows = await sql.unsafe(
        `SELECT to_jsonb(x) - 'memory_id' ${name === 'term' ? "- 'id'" : ''} AS row FROM ${name} x
         WHERE memory_id = (SELECT id FROM memory WHERE name = $1)`,
        [memoryId],
      );
      const said = rows
        .map(({ row }) => row as Record<string, unknown>)
        .filter((row) => !isNothing(name, row));
      lines.push(`-- ${name}`, ...said.map((row) => JSON.stringify(row)).sort());
    }
    return lines.join('\n');
  });
}

/** Counters that stand at nothing say nothing. */
function isNothing(table: string, row: Record<string, unknown>): boolean {
  return (table === 'indexed' && row['documents'] === 0) || (table === 'speaker' && row['turns'] === 0);
}

/** Changes what is kept, whatever guards it. */
export async function spoil(url: string, memoryId: string, damage: Damage): Promise<void> {
  await withDatabase(url, async (sql) => {
    const [memory] = await sql<{ id: number }[]>`SELECT id FROM memory WHERE name = ${memoryId}`;
    const id = memory?.id ?? 0;
    await sql`ALTER TABLE turn DISABLE TRIGGER USER`;
    const [statement, ...values] = damageSql(damage);
    const result = await sql.unsafe(statement, [id, ...values]);
    if (damage.type === 'history rewritten') {
      let chain: Uint8Array = CHAIN_START;
      const rows = await sql.unsafe(
        `SELECT id::float8 AS id, conversation_id, turn_index::float8 AS turn_index, speaker, text,
           occurred_at::float8 AS occurred_at, meta, origin, salt, content_hash, chain_hash
         FROM turn WHERE memory_id = $1 ORDER BY id`,
        [id],
      );
      for (const row of rows as unknown as TurnRow[]) {
        const content = contentHash(row);
        chain = chainHash(chain, content);
        await sql`UPDATE turn SET content_hash = ${content}, chain_hash = ${chain} WHERE memory_id = ${id} AND id = ${row.id}`;
      }
    }
    await sql`ALTER TABLE turn ENABLE TRIGGER USER`;
    if (result.count === 0) throw new Error(`Nothing was there to damage: ${JSON.stringify(damage)}`);
  });
}

const SERVING = "(SELECT id FROM vector_set WHERE memory_id = $1 AND role = 'serving')";
const NEXT = "(SELECT id FROM vector_set WHERE memory_id = $1 AND role = 'next')";
const OTHER_VECTOR = `('[' || repeat('0,', 15) || '1]')::halfvec`;

function damageSql(damage: Damage): [sql: string, ...values: (string | number)[]] {
  switch (damage.type) {
    case 'turn said something else':
    case 'history rewritten':
      return ["UPDATE turn SET text = text || '!' WHERE memory_id = $1 AND id = $2", damage.turnId];
    case 'turn had other meta':
      return [`UPDATE turn SET meta = '{"a":1}' WHERE memory_id = $1 AND id = $2`, damage.turnId];
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
        "UPDATE entity_alias SET folded = 'other' WHERE memory_id = $1 AND entity_id = $2 AND folded = 'ken'",
        damage.entityId,
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
        'INSERT INTO topic_parent SELECT memory_id, parent_id, topic_id FROM topic_parent WHERE memory_id = $1 AND topic_id = $2',
        damage.topicId,
      ];
    case 'other words of topic':
      return ["UPDATE topic SET title = 'other' WHERE memory_id = $1 AND id = $2", damage.topicId];
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
      return ['UPDATE term SET documents = documents + 1 WHERE memory_id = $1 AND term = $2', damage.term];
    case 'speaker forgotten':
      return ['DELETE FROM speaker WHERE memory_id = $1 AND name = $2', damage.speaker];
    case 'kinds forgotten':
      return ['DELETE FROM indexed WHERE memory_id = $1'];
  }
}
