import type { Neighbours } from '../store.ts';
import { parseNumbers } from '../rows/rows.ts';
import type { Database } from './database.ts';
import { grown, roomFor } from './growing.ts';
import type { UnitChanges, UnitFeed, UnitFollower } from './unitFeed.ts';

/** There is no neighbour. */
const NOTHING = -1;

/**
 * The turns around units in their conversations. The direct neighbours of units are cached once they were read: a
 * recall needs those of hundreds, and they change only where a turn is added.
 */
export class NeighbourTable implements UnitFollower {
  readonly #db: Database;
  readonly #feed: UnitFeed;
  /** By unit id: the previous unit; 0 when it was not read yet. */
  #before = new Int32Array(0);
  #after = new Int32Array(0);

  constructor(db: Database, feed: UnitFeed) {
    this.#db = db;
    this.#feed = feed;
    feed.add(this);
  }

  /** For each episode the episodes around it in its conversation, and the units linked to it. In a transaction. */
  read(unitIds: readonly number[], reach: { before: number; after: number }): Neighbours[] {
    const isNext = reach.before <= 1 && reach.after <= 1;
    const around = isNext
      ? this.#readNext(unitIds, reach)
      : readAround(this.#db, JSON.stringify(unitIds), reach);
    if (!this.#db.get('SELECT 1 FROM link LIMIT 1')) return around;
    const links = readLinks(this.#db, JSON.stringify(unitIds));
    return around.map((each) => ({ ...each, linked: links.get(each.unitId) ?? [] }));
  }

  #readNext(unitIds: readonly number[], reach: { before: number; after: number }): Neighbours[] {
    this.#feed.look();
    const isKept = (id: number) => (this.#before[id] ?? 0) !== 0 && (this.#after[id] ?? 0) !== 0;
    const read = new Map<number, NextRow>();
    const missing = unitIds.filter((id) => !isKept(id));
    if (missing.length > 0) for (const row of this.#query(missing)) read.set(row.id, row);
    const side = (id: number | null | undefined, wanted: number) =>
      id === null || id === undefined || id === NOTHING || wanted < 1 ? [] : [id];
    return unitIds.flatMap((unitId) => {
      const row = read.get(unitId);
      if (!row && !isKept(unitId)) return [];
      const [before, after] = row ? [row.before, row.after] : [this.#before[unitId], this.#after[unitId]];
      return { unitId, before: side(before, reach.before), after: side(after, reach.after), linked: [] };
    });
  }

  #query(unitIds: readonly number[]): NextRow[] {
    const rows = this.#db.all<NextRow>(NEXT, JSON.stringify(unitIds));
    for (const { id, before, after } of rows) {
      this.#before[id] = before ?? NOTHING;
      this.#after[id] = after ?? NOTHING;
    }
    return rows;
  }

  /** Inserts new units between their neighbours; clears the cache when there are many. */
  follow({ knownUnitId, lastUnitId, few }: UnitChanges): void {
    if (few === null || lastUnitId >= this.#before.length) {
      const size = roomFor(lastUnitId);
      const kept = few === null ? 0 : knownUnitId + 1;
      this.#before = grown(this.#before.subarray(0, kept), new Int32Array(size));
      this.#after = grown(this.#after.subarray(0, kept), new Int32Array(size));
    }
    if (few === null) return;
    for (const { id, before, after } of this.#query(few)) {
      if (before !== null) this.#after[before] = id;
      if (after !== null) this.#before[after] = id;
    }
  }
}

interface NextRow {
  id: number;
  before: number | null;
  after: number | null;
}

function readAround(db: Database, ids: string, reach: { before: number; after: number }): Neighbours[] {
  return db
    .all<{ id: number; before: string; after: string }>(AROUND, reach.before, reach.after, ids)
    .map((row) => ({
      unitId: row.id,
      before: parseNumbers(row.before).reverse(),
      after: parseNumbers(row.after),
      linked: [],
    }));
}

function readLinks(db: Database, ids: string): Map<number, Neighbours['linked'][number][]> {
  const links = new Map<number, Neighbours['linked'][number][]>();
  for (const { id, unitId, relation } of db.all<{ id: number; unitId: number; relation: string }>(
    LINKS,
    ids,
  )) {
    links.set(id, [...(links.get(id) ?? []), { unitId, relation }]);
  }
  return links;
}

/** The id before and the id after each unit of a JSON array of ids. */
const NEXT = `
  SELECT u.id,
    (SELECT n.id FROM unit n WHERE n.conversation_id = u.conversation_id
       AND n.turn_index < u.turn_index ORDER BY n.turn_index DESC LIMIT 1) AS before,
    (SELECT n.id FROM unit n WHERE n.conversation_id = u.conversation_id
       AND n.turn_index > u.turn_index ORDER BY n.turn_index LIMIT 1) AS after
  FROM json_each(?) j CROSS JOIN unit u ON u.id = j.value ORDER BY j.key`;

/** The ids before it, nearest first, and those after it. */
const AROUND = `
  SELECT u.id,
    (SELECT json_group_array(id) FROM (SELECT n.id FROM unit n WHERE n.conversation_id = u.conversation_id
       AND n.turn_index < u.turn_index ORDER BY n.turn_index DESC LIMIT +?)) AS before,
    (SELECT json_group_array(id) FROM (SELECT n.id FROM unit n WHERE n.conversation_id = u.conversation_id
       AND n.turn_index > u.turn_index ORDER BY n.turn_index LIMIT +?)) AS after
  FROM json_each(?) j CROSS JOIN unit u ON u.id = j.value ORDER BY j.key`;

const LINKS = `
  SELECT j.value AS id, l.to_unit_id AS unitId, l.relation
    FROM json_each(?1) j CROSS JOIN link l ON l.from_unit_id = j.value
  UNION SELECT j.value, l.from_unit_id, l.relation
    FROM json_each(?1) j CROSS JOIN link l ON l.to_unit_id = j.value
  ORDER BY 1, 2, 3`;
