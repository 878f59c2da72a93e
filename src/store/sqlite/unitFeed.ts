import type { Database } from './database.ts';

/** In `text_change`: all units were rebuilt. */
const EVERY_UNIT = 0;
/** The most changed units between two calls of `look` that are reported singly; with more, clearing caches is cheaper. */
const MAX_FEW = 400;

/** The changes of units between two calls of `look`. */
export interface UnitChanges {
  /**
   * The last unit at the previous call (0 when nothing cached is valid any more), and the last unit now: units
   * between them are new.
   */
  readonly knownUnitId: number;
  readonly lastUnitId: number;
  /** Units whose terms or filter fields may have changed. */
  readonly changed: readonly number[];
  /** Whether nothing that was cached is valid any more. */
  readonly isAllNew: boolean;
  /** The new and changed units, when they are few enough to be read one by one; else null. */
  readonly few: readonly number[] | null;
}

/** A cache of data of units. */
export interface UnitFollower {
  follow(changes: UnitChanges): void;
}

/** Reports changes of units by any process to the caches of this process. Callers hold the transaction. */
export class UnitFeed {
  readonly #db: Database;
  readonly #followers: UnitFollower[] = [];
  #lastUnitId = 0;
  #lastChange = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The last unit at the last call of `look`. */
  get lastUnitId(): number {
    return this.#lastUnitId;
  }

  add(follower: UnitFollower): void {
    this.#followers.push(follower);
  }

  /** Must be called before answering from a cache: reads what was written since the last call. */
  look(): void {
    const last = this.#db.get<{ unitId: number | null; change: number | null }>(
      'SELECT (SELECT max(id) FROM unit) AS unitId, (SELECT max(revision) FROM text_change) AS "change"',
    );
    const [lastUnitId, lastChange] = [last?.unitId ?? 0, last?.change ?? 0];
    if (lastUnitId === this.#lastUnitId && lastChange === this.#lastChange) return;
    const changed = this.#db
      .all<{ id: number }>('SELECT unit_id AS id FROM text_change WHERE revision > ?', this.#lastChange)
      .map(({ id }) => id);
    // Decreasing when changes that were seen within a transaction were rolled back.
    const isBackwards = lastUnitId < this.#lastUnitId || lastChange < this.#lastChange;
    const isAllNew = isBackwards || changed.includes(EVERY_UNIT);
    const changes = {
      knownUnitId: isAllNew ? 0 : this.#lastUnitId,
      lastUnitId,
      changed: changed.filter((id) => id !== EVERY_UNIT),
      isAllNew,
    };
    const few = fewFollowed(changes, MAX_FEW);
    this.#lastUnitId = lastUnitId;
    this.#lastChange = lastChange;
    for (const follower of this.#followers) follower.follow({ ...changes, few });
  }

  /** Records that a unit's text or filter fields have changed. */
  note(unitId: number): void {
    this.#db.run('INSERT OR REPLACE INTO text_change (unit_id) VALUES (?)', unitId);
  }

  /** Records that all units were rebuilt. */
  noteAll(): void {
    this.note(EVERY_UNIT);
  }
}

/** The new and changed units; null when they are more than `most`, or all. */
export function fewFollowed(
  { knownUnitId, lastUnitId, changed, isAllNew }: Omit<UnitChanges, 'few'>,
  most: number,
): number[] | null {
  if (isAllNew || changed.length + lastUnitId - knownUnitId > most) return null;
  const ids = new Set(changed);
  for (let id = knownUnitId + 1; id <= lastUnitId; id++) ids.add(id);
  return [...ids];
}
