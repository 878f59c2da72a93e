import type { WordKeys } from '../../keys/keys.ts';
import { KINDS, SCOPES, SENSITIVITIES, STATES } from '../../model/model.ts';
import { ARCHIVED, FACT, maxSensitivity, NOTE } from '../rows/rows.ts';
import type { UnitFilter } from '../store.ts';

/** The topics at and below one, as a `WITH RECURSIVE` table `below`. Bound: the topic's id. */
export const TOPICS_BELOW = `below (id) AS (SELECT ?::bigint
  UNION SELECT p.topic_id FROM below JOIN topic_parent p ON p.memory_id = $1 AND p.parent_id = below.id)`;

/** The state of `u` at an instant, from its versions; null if it had not changed by then. */
const STATE_AT = `(SELECT v.snapshot ->> 'state' FROM unit_version v
  WHERE v.memory_id = $1 AND v.unit_id = u.id AND v.at <= ? ORDER BY v.version DESC LIMIT 1)`;

/** The payload of `u` at an instant; the current one if the unit did not exist yet. */
const PAYLOAD_AT = `coalesce((SELECT v.snapshot -> 'payload' FROM unit_version v
  WHERE v.memory_id = $1 AND v.unit_id = u.id AND v.at <= ? ORDER BY v.version DESC LIMIT 1), u.payload)`;

/** Whether the fact in a payload is valid at an instant, which is bound twice. */
const holds = (payload: string) => `(u.kind <> ${FACT} OR EXISTS (SELECT 1 FROM (SELECT ${payload} AS fact) f
  WHERE coalesce((fact ->> 'validFrom')::numeric <= ?, TRUE) AND coalesce((fact ->> 'validTo')::numeric > ?, TRUE)))`;

const OF_TOPIC = `u.id IN (WITH RECURSIVE ${TOPICS_BELOW}
  SELECT m.unit_id FROM below JOIN topic_member m ON m.memory_id = $1 AND m.topic_id = below.id)`;

type FilterValue = string | number | readonly number[];

/** A UnitFilter as conditions on `unit u`, including the memory, to be joined by AND. */
export function filterSql(filter: UnitFilter, keys: WordKeys): { where: string; values: FilterValue[] } {
  const conditions = ['u.memory_id = $1'];
  const values: FilterValue[] = [];
  const add = (condition: string, ...given: FilterValue[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  // Where few units are of other kinds, the plus prevents SQLite from reading all units of each kind and sorting them; also in
  // a conversation, whose units are stored together.
  const isMost = filter.kinds?.includes('episode') && filter.kinds.length > 1;
  const kind = filter.conversationId === undefined && !isMost ? 'u.kind' : '+u.kind';
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
    add('u.id IN (SELECT unit_id FROM unit_entity WHERE memory_id = $1 AND entity_id = ?)', filter.entityId);
  }
  if (filter.topicId !== undefined) add(OF_TOPIC, filter.topicId);
  // Encrypted tags are base64, in a JSON array: with its quotes, one is no part of another.
  if (filter.topicTag !== undefined) add('strpos(u.topic_tags, ?) > 0', `"${keys.seal(filter.topicTag)}"`);
  if (filter.exceptUnitIds?.length) add('u.id <> ALL (?::bigint[])', filter.exceptUnitIds);
  return { where: conditions.join(' AND '), values };
}

type Add = (condition: string, ...given: FilterValue[]) => void;

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
  else add(`(u.state <> ${ARCHIVED} OR ${STATE_AT} IS DISTINCT FROM 'archived')`, filter.asOf);
}
