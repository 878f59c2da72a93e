import type { MemoryKeys } from '../../keys/keys.ts';
import { KINDS, SCOPES, SENSITIVITIES, STATES } from '../../model/model.ts';
import { TOPICS_BELOW } from '../tables/tables.ts';
import { toSqlite } from './dialect.ts';
import type { ScoredId, UnitFilter } from '../store.ts';
import { ARCHIVED, FACT, maxSensitivity, NOTE, type Value } from '../rows/rows.ts';

/** The state of `u` at an instant, from its versions; null if it had not changed by then. */
const STATE_AT = `(SELECT v.snapshot ->> 'state' FROM unit_version v
  WHERE v.unit_id = u.id AND v.at <= ? ORDER BY v.version DESC LIMIT 1)`;

/** The payload of `u` at an instant; the current one when the unit was not stored yet. */
const PAYLOAD_AT = `ifnull((SELECT v.snapshot -> 'payload' FROM unit_version v
  WHERE v.unit_id = u.id AND v.at <= ? ORDER BY v.version DESC LIMIT 1), u.payload)`;

/** Whether the fact in a payload is true at an instant, which is given twice. */
const holds = (payload: string) => `(u.kind <> ${FACT} OR EXISTS (SELECT 1 FROM (SELECT ${payload} AS fact)
  WHERE ifnull(fact ->> 'validFrom' <= ?, TRUE) AND ifnull(fact ->> 'validTo' > ?, TRUE)))`;

/** The encrypted tag, given twice: the first condition quickly excludes most units. */
const HAS_TAG = `instr(u.topic_tags, ?) > 0 AND EXISTS (SELECT 1 FROM json_each(u.topic_tags) WHERE value = ?)`;

const OF_TOPIC = `u.id IN (WITH RECURSIVE ${toSqlite(TOPICS_BELOW)}
  SELECT m.unit_id FROM below CROSS JOIN topic_member m ON m.topic_id = below.id)`;

/** A UnitFilter as conditions on `unit u`, to be joined by AND; never empty. */
export function filterSql(filter: UnitFilter, keys: MemoryKeys): { where: string; values: Value[] } {
  const conditions: string[] = [];
  const values: Value[] = [];
  const add = (condition: string, ...given: Value[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  // A conversation's units are stored together; the plus prevents SQLite from scanning all units of a kind.
  const kind = filter.conversationId === undefined ? 'u.kind' : '+u.kind';
  if (filter.kinds)
    add(`${kind} IN (${filter.kinds.map((kind) => KINDS.indexOf(kind)).join(', ') || 'NULL'})`);
  add('u.sensitivity <= ?', maxSensitivity(filter));
  if (filter.minSensitivity) add('u.sensitivity >= ?', SENSITIVITIES.indexOf(filter.minSensitivity));
  if (filter.scope) add('u.scope = ?', SCOPES.indexOf(filter.scope));
  if (filter.conversationId !== undefined) add('u.conversation_id = ?', filter.conversationId);
  if (filter.from !== undefined) add('u.occurred_at >= ?', filter.from);
  if (filter.to !== undefined) add('u.occurred_at < ?', filter.to);
  if (filter.asOf !== undefined) add('u.occurred_at <= ?', filter.asOf);
  addStates(filter, add);
  if (filter.aliveAt !== undefined) add('(u.expires_at IS NULL OR u.expires_at > ?)', filter.aliveAt);
  addValid(filter, add);
  if (filter.beforeTurnId !== undefined) add('u.turn_id < ?', filter.beforeTurnId);
  if (filter.uri !== undefined) add(`u.kind = ${NOTE} AND u.payload ->> 'uri' = ?`, filter.uri);
  if (filter.pinned !== undefined) add(`u.pinned = ${filter.pinned ? 1 : 0}`);
  if (filter.source !== undefined) add('u.source = ?', filter.source);
  if (filter.entityId !== undefined) {
    add('u.id IN (SELECT unit_id FROM unit_entity WHERE entity_id = ?)', filter.entityId);
  }
  if (filter.topicId !== undefined) add(OF_TOPIC, filter.topicId);
  if (filter.topicTag !== undefined) {
    const tag = keys.seal(filter.topicTag);
    add(HAS_TAG, tag, tag);
  }
  if (filter.exceptUnitIds?.length) {
    add('u.id NOT IN (SELECT value FROM json_each(?))', JSON.stringify(filter.exceptUnitIds));
  }
  return { where: conditions.join(' AND '), values };
}

type Add = (condition: string, ...given: Value[]) => void;

function addStates(filter: UnitFilter, add: Add): void {
  if (filter.states) {
    add(`u.state IN (${filter.states.map((state) => STATES.indexOf(state)).join(', ') || 'NULL'})`);
  } else if (!filter.withArchived) addNotArchived(filter, add);
}

function addValid({ validAt, asOf }: UnitFilter, add: Add): void {
  if (validAt === undefined) return;
  if (asOf === undefined) add(holds('u.payload'), validAt, validAt);
  else add(holds(PAYLOAD_AT), asOf, validAt, validAt);
}

function addNotArchived(filter: UnitFilter, add: Add): void {
  if (filter.asOf === undefined) add(`u.state <> ${ARCHIVED}`);
  else add(`(u.state <> ${ARCHIVED} OR ${STATE_AT} IS NOT 'archived')`, filter.asOf);
}

/** Filters unit ids. */
interface Sieve {
  passing(unitIds: readonly number[], filter: UnitFilter): ReadonlySet<number>;
}

/** The hits whose units pass, in order. */
export function passingHits(sieve: Sieve, filter: UnitFilter, hits: readonly ScoredId[]): ScoredId[] {
  const unitIds = hits.map((hit) => hit.unitId);
  const passing = sieve.passing(unitIds, filter);
  return hits.filter((hit) => passing.has(hit.unitId));
}

/** Hits read in addition to those requested, to replace those that the filter excludes. */
const SPARE_HITS = 20;

/**
 * The first `limit` hits that pass, for a search that does not support the whole filter: reads more, in steps,
 * until enough pass or there are no more.
 * @param most the most hits that the search can return
 * @param find returns the given number of best hits, best first
 */
export function firstPassing(
  sieve: Sieve,
  filter: UnitFilter,
  { limit, most }: { limit: number; most: number },
  find: (wanted: number) => ScoredId[],
): ScoredId[] {
  for (let wanted = limit + SPARE_HITS; ; wanted *= 4) {
    const hits = find(Math.min(wanted, most));
    const passing = passingHits(sieve, filter, hits);
    const isAll = hits.length < wanted || wanted >= most;
    if (passing.length >= limit || isAll) return passing.slice(0, limit);
  }
}
