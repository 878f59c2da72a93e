import { KINDS, SCOPES, SENSITIVITIES, STATES } from '../../model/model.ts';
import type { UnitFilter } from '../store.ts';
import type { Database } from './database.ts';
import { filterSql } from './filter.ts';
import { grown, roomFor } from './growing.ts';
import type { UnitChanges, UnitFeed, UnitFollower } from './unitFeed.ts';
import { ARCHIVED, maxSensitivity, parseColumn } from '../rows/rows.ts';

/** In `kind`: not read yet. */
const UNKNOWN = 255;
const FACT = KINDS.indexOf('fact');

interface UnitRow {
  id: number;
  kind: number;
  state: number;
  sensitivity: number;
  scope: number;
  occurredAt: number;
  expiresAt: number | null;
  turnId: number | null;
}

/**
 * A cache of the fields of units that filters use most: a recall tests hundreds of units. Callers hold the
 * transaction, unless they make only one call.
 */
export class UnitColumns implements UnitFollower {
  readonly #db: Database;
  readonly #feed: UnitFeed;
  /** By unit id. */
  #kind = new Uint8Array(0);
  #state = new Uint8Array(0);
  #sensitivity = new Uint8Array(0);
  #scope = new Uint8Array(0);
  #occurredAt = new Float64Array(0);
  /** Infinity: never. */
  #expiresAt = new Float64Array(0);
  /** Infinity: none. */
  #turnId = new Float64Array(0);

  constructor(db: Database, feed: UnitFeed) {
    this.#db = db;
    this.#feed = feed;
    feed.add(this);
  }

  /** The ids whose units pass. */
  passing(unitIds: readonly number[], filter: UnitFilter): Set<number> {
    if (unitIds.length === 0) return new Set();
    // With `asOf`, the former fields are not cached.
    if (filter.asOf !== undefined) return new Set(this.#ask(unitIds, filter));
    this.#feed.look();
    this.#readMissing(unitIds);
    const passes = this.#test(filter);
    const isAllKnown = knowsAll(filter);
    const passing = new Set<number>();
    const unsure: number[] = [];
    for (const id of unitIds) {
      if (!passes(id)) continue;
      if (isAllKnown && (filter.validAt === undefined || this.#kind[id] !== FACT)) passing.add(id);
      else unsure.push(id);
    }
    if (unsure.length > 0) for (const id of this.#ask(unsure, filter)) passing.add(id);
    return passing;
  }

  /** Tests a unit by the cached fields. */
  #test(filter: UnitFilter): (id: number) => boolean {
    const { from = -Infinity, to = Infinity, aliveAt = -Infinity, beforeTurnId = Infinity } = filter;
    const scope = filter.scope && SCOPES.indexOf(filter.scope);
    const kinds = new Set((filter.kinds ?? KINDS).map((kind) => KINDS.indexOf(kind)));
    const states = new Set((filter.states ?? STATES).map((state) => STATES.indexOf(state)));
    if (!filter.states && !filter.withArchived) states.delete(ARCHIVED);
    const except = new Set(filter.exceptUnitIds);
    const least = filter.minSensitivity ? SENSITIVITIES.indexOf(filter.minSensitivity) : 0;
    const most = maxSensitivity(filter);
    return (id) =>
      kinds.has(this.#kind[id]!) &&
      states.has(this.#state[id]!) &&
      this.#sensitivity[id]! >= least &&
      this.#sensitivity[id]! <= most &&
      (scope === undefined || this.#scope[id] === scope) &&
      this.#occurredAt[id]! >= from &&
      this.#occurredAt[id]! < to &&
      this.#expiresAt[id]! > aliveAt &&
      (beforeTurnId === Infinity || this.#turnId[id]! < beforeTurnId) &&
      !except.has(id);
  }

  /** One JSON array is read faster than rows. */
  #ask(unitIds: readonly number[], filter: UnitFilter): number[] {
    const { where, values } = filterSql(filter, this.#db.keys);
    const row = this.#db.get<{ ids: string }>(
      `SELECT json_group_array(u.id) AS ids FROM json_each(?) j CROSS JOIN unit u ON u.id = j.value WHERE ${where}`,
      JSON.stringify(unitIds),
      ...values,
    );
    return parseColumn<'ids'>(row?.ids ?? '[]');
  }

  follow({ changed, isAllNew, few }: UnitChanges): void {
    if (isAllNew) this.#kind.fill(UNKNOWN);
    else for (const id of changed) this.#kind[id] = UNKNOWN;
    this.#readMissing(few ?? []);
  }

  #readMissing(unitIds: readonly number[]): void {
    this.#makeRoom(unitIds.reduce((most, id) => Math.max(most, id), 0));
    const missing = unitIds.filter((id) => this.#kind[id] === UNKNOWN);
    if (missing.length === 0) return;
    for (const row of this.#db.all<UnitRow>(COLUMNS, JSON.stringify(missing))) {
      this.#kind[row.id] = row.kind;
      this.#state[row.id] = row.state;
      this.#sensitivity[row.id] = row.sensitivity;
      this.#scope[row.id] = row.scope;
      this.#occurredAt[row.id] = row.occurredAt;
      this.#expiresAt[row.id] = row.expiresAt ?? Infinity;
      this.#turnId[row.id] = row.turnId ?? Infinity;
    }
  }

  #makeRoom(lastId: number): void {
    if (lastId < this.#kind.length) return;
    const size = roomFor(lastId);
    const known = this.#kind.length;
    this.#kind = grown(this.#kind, new Uint8Array(size)).fill(UNKNOWN, known);
    this.#state = grown(this.#state, new Uint8Array(size));
    this.#sensitivity = grown(this.#sensitivity, new Uint8Array(size));
    this.#scope = grown(this.#scope, new Uint8Array(size));
    this.#occurredAt = grown(this.#occurredAt, new Float64Array(size));
    this.#expiresAt = grown(this.#expiresAt, new Float64Array(size));
    this.#turnId = grown(this.#turnId, new Float64Array(size));
  }
}

/** Whether the cached fields are sufficient for the filter, except for the validity of facts. */
function knowsAll(filter: UnitFilter): boolean {
  const { conversationId, uri, pinned, source, entityId, topicId, topicTag } = filter;
  const others = [conversationId, uri, pinned, source, entityId, topicId, topicTag];
  return others.every((asked) => asked === undefined);
}

const COLUMNS = `
  SELECT u.id, u.kind, u.state, u.sensitivity, u.scope, u.occurred_at AS occurredAt, u.expires_at AS expiresAt,
    u.turn_id AS turnId
  FROM json_each(?) j CROSS JOIN unit u ON u.id = j.value`;
