import { isDeepStrictEqual } from 'node:util';
import { KINDS, type Episode, type Instant, type Unit } from '../../model/model.ts';
import {
  firstEpisode,
  isForgotten,
  isReadable,
  openVersion,
  readSnapshot,
  sealSnapshot,
  type VersionRow,
} from '../rows/rows.ts';
import type { Verification } from '../store.ts';
import type { TableParts } from './parts.ts';
import type { Sql } from './sql.ts';
import type { Steps } from './steps.ts';

type Problem = Verification['problems'][number];

const EPISODE = KINDS.indexOf('episode');
const PAGE_SIZE = 500;

/** What a version says of its unit. Accesses are counted without a version. */
const COVERED = [
  'kind',
  'version',
  'occurredAt',
  'createdAt',
  'updatedAt',
  'source',
  'state',
  'confidence',
  'salience',
  'sensitivity',
  'pinned',
  'topicTags',
  'scope',
  'expiresAt',
  'reinforcement',
  'emotion',
  'payload',
] as const satisfies readonly (keyof Unit)[];

/**
 * Every unit must be what its last version says; an episode without versions, what its turn says. Each version must fit
 * its hash. At most about `max` problems.
 */
export function* unitProblems(parts: TableParts, max: number): Steps<Problem[]> {
  const messages: string[] = [];
  for (let afterId = 0; messages.length < max;) {
    const page = yield* versionPage(parts.tx, afterId);
    if (!page) break;
    afterId = page.lastId;
    messages.push(...page.damaged.map(({ version, unit_id: id }) => describeMismatch(version, id)));
    for (const unit of yield* parts.reading.getMany([...page.latest.keys()])) {
      messages.push(...difference(unit, page.latest.get(unit.id), 'its last version'));
    }
  }
  for (let afterId = 0; messages.length < max;) {
    const page = yield* firstEpisodePage(parts, afterId);
    if (!page) break;
    afterId = page.lastTurnId;
    for (const unit of yield* parts.reading.getMany([...page.turnOf.keys()])) {
      const first = page.firstOf(unit.id, unit.createdAt);
      messages.push(...(first ? difference(unit, first, 'its turn') : []));
    }
  }
  for (const { id } of yield* parts.tx.all<{ id: number }>(`${LOST_VERSIONS} LIMIT ${max}`)) {
    messages.push(`The versions of unit ${id} are missing.`);
  }
  return messages.map((message) => ({ code: 'UNIT_WRONG', message }));
}

function describeMismatch(version: number, id: number): string {
  return `Version ${version} of unit ${id} does not match its hash.`;
}

function difference(unit: Unit, then: Unit | undefined, says: string): string[] {
  if (then && unit.version !== then.version) {
    return [`Unit ${unit.id} has version ${unit.version}, but its stored versions end at ${then.version}.`];
  }
  const fields = then ? differingFields(unit, then) : [];
  return fields.length > 0 ? [`Unit ${unit.id} differs from ${says}: ${fields.join(', ')}.`] : [];
}

/** Fields that differ. A field that an older version of Omoide did not know is not compared. */
function differingFields(unit: Unit, then: Unit): string[] {
  return COVERED.filter((field) =>
    field === 'payload'
      ? !isDeepStrictEqual(given(unit.payload), given(then.payload))
      : then[field] !== undefined && !isDeepStrictEqual(unit[field], then[field]),
  );
}

/** Fields of a payload that an older version of Omoide did not know are null. */
function given(payload: object): object {
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null));
}

/** The last readable version of some units, and versions that do not fit their hash; null after the last. */
function* versionPage(tx: Sql, afterId: number) {
  const rows = yield* tx.all<VersionRow>(
    `SELECT * FROM unit_version WHERE memory_id = $1 AND unit_id IN (
       SELECT DISTINCT unit_id FROM unit_version WHERE memory_id = $1 AND unit_id > ? ORDER BY 1 LIMIT ${PAGE_SIZE})
     ORDER BY unit_id, version`,
    afterId,
  );
  const lastId = rows.at(-1)?.unit_id;
  if (lastId === undefined) return null;
  const damaged: VersionRow[] = [];
  const latest = new Map<number, Unit>();
  for (const row of rows) {
    const unit = readVersionRow(tx, row);
    if (unit) latest.set(row.unit_id, unit);
    else damaged.push(row);
  }
  return { lastId, damaged, latest };
}

/** The unit of a version; null when the row is damaged. */
function readVersionRow({ keys }: Sql, row: VersionRow): Unit | null {
  try {
    const opened = openVersion(keys, row);
    const unit = readSnapshot(opened, (words) => keys.hashWords(words));
    // The fields that are not encrypted must agree with the others.
    return unit && isDeepStrictEqual(JSON.parse(sealSnapshot(keys, unit)), JSON.parse(row.snapshot))
      ? unit
      : null;
  } catch {
    return null;
  }
}

/** Episodes without versions, by some turns; null after the last turn. */
function* firstEpisodePage({ tx, turns: table }: TableParts, afterId: number) {
  const turns = yield* table.rows({ afterId, limit: PAGE_SIZE });
  const lastTurnId = turns.at(-1)?.id;
  if (lastTurnId === undefined) return null;
  const readable = turns.filter((turn) => !isForgotten(turn) && isReadable(turn));
  const turnsById = new Map(readable.map((turn) => [turn.id, turn]));
  const rows = yield* tx.all<{ id: number; turnId: number }>(
    `SELECT u.id, u.turn_id AS "turnId" FROM unit u WHERE u.memory_id = $1 AND u.turn_id > ? AND u.turn_id <= ?
       AND NOT EXISTS (SELECT 1 FROM unit_version v WHERE v.memory_id = $1 AND v.unit_id = u.id)`,
    afterId,
    lastTurnId,
  );
  const turnOf = new Map(rows.flatMap(({ id, turnId }) => (turnsById.has(turnId) ? [[id, turnId]] : [])));
  const firstOf = (unitId: number, createdAt: Instant): Episode | null => {
    const turn = turnsById.get(turnOf.get(unitId) ?? 0);
    return turn ? firstEpisode(turn, unitId, createdAt) : null;
  };
  return { lastTurnId, turnOf, firstOf };
}

/** Only an episode as its turn made it has no versions. */
const LOST_VERSIONS = `SELECT u.id FROM unit u WHERE u.memory_id = $1 AND (u.kind <> ${EPISODE} OR u.version > 1)
  AND NOT EXISTS (SELECT 1 FROM unit_version v WHERE v.memory_id = $1 AND v.unit_id = u.id)`;

/**
 * Gives units that differ what their last version, or their turn, says; removes versions that do not fit their hash,
 * and writes one where it is missing. The caller rebuilds the indexes.
 */
export function* reconcileUnits(parts: TableParts, now: Instant): Steps<void> {
  for (let afterId = 0; ;) {
    const page = yield* versionPage(parts.tx, afterId);
    if (!page) break;
    afterId = page.lastId;
    for (const { unit_id: id, version } of page.damaged) {
      const sql = 'DELETE FROM unit_version WHERE memory_id = $1 AND unit_id = ? AND version = ?';
      yield* parts.tx.run(sql, id, version);
    }
    const units = yield* readableUnits(parts, [...page.latest.keys()]);
    for (const then of page.latest.values()) {
      const unit = units.get(then.id);
      const isLastLost = page.damaged.some((row) => row.unit_id === then.id && row.version > then.version);
      if (unit && isLastLost) yield* parts.units.writeLostVersion(unit, now);
      else if (!unit || difference(unit, then, '').length > 0) yield* parts.units.writeBack(then);
    }
  }
  for (let afterId = 0; ;) {
    const page = yield* firstEpisodePage(parts, afterId);
    if (!page) break;
    afterId = page.lastTurnId;
    const units = yield* readableUnits(parts, [...page.turnOf.keys()]);
    for (const id of page.turnOf.keys()) {
      const unit = units.get(id);
      // Of an episode with another version, the versions are missing.
      if (unit && unit.version > 1) continue;
      const first = page.firstOf(id, unit?.createdAt ?? now);
      if (first && (!unit || difference(unit, first, '').length > 0)) yield* parts.units.writeBack(first);
    }
  }
  const lost = yield* parts.tx.all<{ id: number }>(LOST_VERSIONS);
  for (const unit of (yield* readableUnits(
    parts,
    lost.map(({ id }) => id),
  )).values()) {
    yield* parts.units.writeLostVersion(unit, now);
  }
}

/** Without units that cannot be decrypted. */
function* readableUnits({ reading }: TableParts, ids: readonly number[]): Steps<Map<number, Unit>> {
  const units: Unit[] = [];
  try {
    units.push(...(yield* reading.getMany(ids)));
  } catch {
    for (const id of ids) {
      try {
        units.push(...(yield* reading.getMany([id])));
      } catch {
        // It is written back.
      }
    }
  }
  return new Map(units.map((unit) => [unit.id, unit]));
}
