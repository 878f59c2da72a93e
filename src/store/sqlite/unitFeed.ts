import type { Database } from './database.ts';

/** In `text_change`: all were made anew. */
const EVERY_UNIT = 0;
/** Units that come or change between two looks, beyond which it is cheaper to read anew what is asked for. */
const MAX_FEW = 400;

/** What has been written of units between two looks. */
export interface UnitChanges {
  /**
   * The last unit there was at the look before, 0 where nothing of it holds any more, and the last there is now: those
   * after the one have come.
   */
  readonly knownUnitId: number;
  readonly lastUnitId: number;
  /** Those that may be found by other words than before, or filtered otherwise. */
  readonly changed: readonly number[];
  /** Whether nothing that was known of any unit need hold any more. */
  readonly isAllNew: boolean;
  /** The units that have come or changed, when they are few enough to be read one by one; else null. */
  readonly few: readonly number[] | null;
}

/** Keeps something of units in memory. */
export interface UnitFollower {
  follow(changes: UnitChanges): void;
}

/**
 * Tells those who keep something of units in this process's memory what any process has written. Callers hold the
 * transaction.
 */
export class UnitFeed {
  readonly #db: Database;
  readonly #followers: UnitFollower[] = [];
  #lastUnitId = 0;
  #lastChange = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The last unit there was when `look` was called last. */
  get lastUnitId(): number {
    return this.#lastUnitId;
  }

  add(follower: UnitFollower): void {
    this.#followers.push(follower);
  }

  /** Called before anything is answered from memory: takes note of what was written since the last look. */
  look(): void {
    const last = this.#db.get<{ unitId: number | null; change: number | null }>(
      'SELECT (SELECT max(id) FROM unit) AS unitId, (SELECT max(revision) FROM text_change) AS "change"',
    );
    const [lastUnitId, lastChange] = [last?.unitId ?? 0, last?.change ?? 0];
    if (lastUnitId === this.#lastUnitId && lastChange === this.#lastChange) return;
    const changed = this.#db
      .all<{ id: number }>('SELECT unit_id AS id FROM text_change WHERE revision > ?', this.#lastChange)
      .map(({ id }) => id);
    // Backwards when what was seen within a transaction was undone.
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

  /** A unit's words, or what it is filtered by, are others than before. */
  note(unitId: number): void {
    this.#db.run('INSERT OR REPLACE INTO text_change (unit_id) VALUES (?)', unitId);
  }

  /** All units were made anew. */
  noteAll(): void {
    this.note(EVERY_UNIT);
  }
}

/** The units that have come or changed; null when they are more than `most`, or all. */
export function fewFollowed(
  { knownUnitId, lastUnitId, changed, isAllNew }: Omit<UnitChanges, 'few'>,
  most: number,
): number[] | null {
  if (isAllNew || changed.length + lastUnitId - knownUnitId > most) return null;
  const ids = new Set(changed);
  for (let id = knownUnitId + 1; id <= lastUnitId; id++) ids.add(id);
  return [...ids];
}
