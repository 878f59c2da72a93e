import type { Instant, Unit } from '../../../model/model.ts';
import { MAX_SPAN_MS, type Span } from '../../../text/text.ts';
import { dequantize } from '../../../vectors/vectors.ts';
import { passageOfUnit } from '../../rows/rows.ts';
import type {
  Adjacent,
  Passage,
  ScoredId,
  TextStatistics,
  UnitFilter,
  UnitPage,
  VectorIndex,
  VectorModel,
} from '../../store.ts';
import type { CopiedText } from './copiedText.ts';
import type { CopiedVectors } from './copiedVectors.ts';
import { passing } from './passes.ts';
import { turnsBeside } from './turnsBeside.ts';
import type { Accesses, Copy, CopySize } from './types.ts';

/** Estimated size of a unit in memory, without its text. */
const UNIT_BYTES = 1_000;

interface Contents {
  /** `text` has the same list; accesses are counted in it. */
  readonly units: Unit[];
  readonly text: CopiedText;
  /** Null when there are none. */
  readonly vectors: CopiedVectors | null;
  readonly times: ReadonlyMap<number, readonly Span[]>;
  readonly topicsOf: ReadonlyMap<number, readonly number[]>;
  readonly meanVector: Float32Array | null;
}

/** All of a small memory that recalls read, as it was at a revision. */
export class MemoryCopy implements Copy {
  readonly #text: CopiedText;
  readonly #vectors: CopiedVectors | null;
  readonly #meanVector: Float32Array | null;
  readonly #units: Unit[];
  readonly #placeOf: ReadonlyMap<number, number>;
  readonly #times: Contents['times'];
  readonly #topicsOf: Contents['topicsOf'];
  /** Places of the units, newest first. */
  readonly #newestFirst: Uint32Array;
  /** Places of the episodes of each conversation, by turn. */
  readonly #conversations = new Map<string, number[]>();

  constructor({ units, text, vectors, times, topicsOf, meanVector }: Contents) {
    this.#text = text;
    this.#vectors = vectors;
    this.#meanVector = meanVector;
    this.#times = times;
    this.#topicsOf = topicsOf;
    this.#units = units;
    this.#placeOf = new Map(units.map(({ id }, place) => [id, place]));
    const places = [...units.keys()];
    this.#newestFirst = Uint32Array.from(places.sort((a, b) => -byTime(units[a]!, units[b]!)));
    for (const [place, unit] of units.entries()) {
      if (unit.kind !== 'episode') continue;
      const turns = this.#conversations.get(unit.payload.conversationId);
      if (turns) turns.push(place);
      else this.#conversations.set(unit.payload.conversationId, [place]);
    }
    for (const turns of this.#conversations.values())
      turns.sort((a, b) => turnIndexOf(units[a]!) - turnIndexOf(units[b]!));
  }

  /** Estimated. */
  get size(): CopySize {
    const words = this.#units.reduce((sum, unit) => sum + 2 * passageOfUnit(unit).text.length, 0);
    const arrayBytes = this.#text.bytes + (this.#vectors?.bytes ?? 0);
    return { bytes: this.#units.length * UNIT_BYTES + words + arrayBytes, arrayBytes };
  }

  get(unitIds: readonly number[]): Unit[] {
    return unitIds.flatMap((id) => this.#unit(id) ?? []);
  }

  passages(unitIds: readonly number[]): Passage[] {
    return this.get(unitIds).map(passageOfUnit);
  }

  list(filter: UnitFilter, page: UnitPage): Unit[] | undefined {
    const passes = passing(filter);
    if (!passes) return undefined;
    const { limit, offset = 0, after, oldestFirst = false } = page;
    const order = oldestFirst ? this.#newestFirst.toReversed() : this.#newestFirst;
    const sign = oldestFirst ? 1 : -1;
    const found: Unit[] = [];
    for (const place of order) {
      const unit = this.#units[place]!;
      if (found.length === offset + limit) break;
      if (after && sign * byTime(unit, { id: after.unitId, occurredAt: after.occurredAt }) <= 0) continue;
      if (passes(unit)) found.push(unit);
    }
    return found.slice(offset);
  }

  filter(unitIds: readonly number[], filter: UnitFilter): number[] | undefined {
    const passes = passing(filter);
    return passes ? this.get(unitIds).flatMap((unit) => (passes(unit) ? unit.id : [])) : undefined;
  }

  adjacent(unitIds: readonly number[], filter: UnitFilter, reach: number): Adjacent[] | undefined {
    const passes = passing(filter);
    if (!passes) return undefined;
    return [...new Set(unitIds)].flatMap((unitId) => {
      const unit = this.#unit(unitId);
      if (!unit) return [];
      const turns =
        unit.kind === 'episode' ? (this.#conversations.get(unit.payload.conversationId) ?? []) : [];
      const at = turns.indexOf(this.#placeOf.get(unitId) ?? -1);
      const { before, after } = turnsBeside(turns, at, (place) => passes(this.#units[place]!), reach);
      const idOf = (place: number) => this.#units[place]!.id;
      return { unitId, before: before.map(idOf), after: after.map(idOf) };
    });
  }

  searchText(terms: readonly string[], filter: UnitFilter, limit: number): ScoredId[] | undefined {
    const passes = passing(filter);
    return passes ? this.#text.search(terms, passes, limit) : undefined;
  }

  statistics(about: { terms: readonly string[]; speakers: readonly string[] }): TextStatistics {
    return this.#text.statistics(about);
  }

  model(): VectorModel | null {
    return this.#vectors?.model ?? null;
  }

  mean(): Float32Array | null {
    return this.#meanVector;
  }

  searchVectors(vector: Float32Array, filter: UnitFilter, limit: number): ScoredId[] | undefined {
    const passes = passing(filter);
    if (!passes || !this.#fits(vector)) return undefined;
    return limit <= 0 ? [] : (this.#vectors?.search(vector, this.#units.filter(passes), limit) ?? []);
  }

  cosines(vector: Float32Array, unitIds: readonly number[]): Map<number, number> | undefined {
    return this.#fits(vector) ? (this.#vectors?.cosines(vector, unitIds) ?? new Map()) : undefined;
  }

  unitVectors(unitIds: readonly number[]): Map<number, Float32Array> {
    return new Map(
      unitIds.flatMap((unitId): [number, Float32Array][] => {
        const vector = this.#vectors?.get(unitId);
        return vector ? [[unitId, dequantize(vector)]] : [];
      }),
    );
  }

  newestWithout(modelId: string, { kinds, limit }: Parameters<VectorIndex['newestWithout']>[1]): number[] {
    if (this.#vectors && this.#vectors.model.id !== modelId) return [];
    const newest: number[] = [];
    let seen = 0;
    for (const place of this.#newestFirst) {
      const { id, kind, state } = this.#units[place]!;
      if (state === 'archived' || kinds?.includes(kind) === false) continue;
      if (seen === limit) break;
      seen += 1;
      if (!this.#vectors?.has(id)) newest.push(id);
    }
    return newest;
  }

  topicsOf(unitIds: readonly number[]): Map<number, number[]> {
    return new Map(
      unitIds.flatMap((unitId): [number, number[]][] => {
        const topics = this.#topicsOf.get(unitId);
        return topics ? [[unitId, [...topics]]] : [];
      }),
    );
  }

  timesOf(unitIds: readonly number[]): Map<number, Span[]> {
    return new Map(
      unitIds.flatMap((unitId): [number, Span[]][] => {
        const times = this.#times.get(unitId);
        return times ? [[unitId, [...times]]] : [];
      }),
    );
  }

  searchTimes(span: Span, filter: UnitFilter, limit: number): number[] | undefined {
    const passes = passing(filter);
    if (!passes) return undefined;
    const overlaps = ({ from, to }: Span) =>
      from < span.to && from > span.from - MAX_SPAN_MS && to > span.from;
    const mentioning = [...this.#times].flatMap(([id, times]) => (times.some(overlaps) ? id : []));
    return this.get(mentioning)
      .filter(passes)
      .sort((a, b) => -byTime(a, b))
      .slice(0, limit)
      .map(({ id }) => id);
  }

  /** Adds one access to each unit, as the store does. */
  countAccess(unitIds: readonly number[], at: Instant): void {
    const times = Map.groupBy(unitIds, (id) => id);
    for (const [id, { length }] of times) {
      const unit = this.#unit(id);
      if (unit) this.#replace({ ...unit, accessCount: unit.accessCount + length, lastAccessedAt: at });
    }
  }

  setAccesses(accesses: Accesses): void {
    for (const [id, accessCount, lastAccessedAt] of accesses) {
      const unit = this.#unit(id);
      if (unit) this.#replace({ ...unit, accessCount, lastAccessedAt });
    }
  }

  #replace(unit: Unit): void {
    this.#units[this.#placeOf.get(unit.id)!] = unit;
  }

  #unit(id: number): Unit | undefined {
    const place = this.#placeOf.get(id);
    return place === undefined ? undefined : this.#units[place];
  }

  /** Not for a vector of other dimensions, which the store rejects. */
  #fits(vector: Float32Array): boolean {
    return this.#vectors === null || this.#vectors.model.dimensions === vector.length;
  }
}

type Placed = Pick<Unit, 'occurredAt' | 'id'>;

function byTime(a: Placed, b: Placed): number {
  return a.occurredAt - b.occurredAt || a.id - b.id;
}

function turnIndexOf(unit: Unit): number {
  return unit.kind === 'episode' ? unit.payload.turnIndex : 0;
}
