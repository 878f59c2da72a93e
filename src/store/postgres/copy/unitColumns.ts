import { KINDS, SCOPES, SENSITIVITIES, STATES } from '../../../model/model.ts';
import { leavesOutArchived, maxSensitivity } from '../../rows/rows.ts';
import type { Adjacent, UnitFilter } from '../../store.ts';
import { turnsBeside } from './turnsBeside.ts';

/** The fields of a unit by which searches filter, as its row has them. */
export interface UnitFields {
  readonly id: number;
  readonly kind: number;
  readonly turnId: number | null;
  readonly conversationId: string | null;
  readonly turnIndex: number | null;
  readonly occurredAt: number;
  readonly state: number;
  readonly sensitivity: number;
  readonly scope: number;
  readonly pinned: number;
  readonly expiresAt: number | null;
  /** Of a fact. */
  readonly validFrom: number | null;
  readonly validTo: number | null;
}

/** Conditions on columns that are not kept. */
const ELSEWHERE = [
  'asOf',
  'conversationId',
  'entityId',
  'source',
  'topicId',
  'topicTag',
  'uri',
] as const satisfies (keyof UnitFilter)[];

/** Estimated size of what is kept of a unit, in typed arrays and elsewhere. */
const ARRAY_BYTES = 26;
const OTHER_BYTES = 16;
const NO_CONVERSATION = 0;

/** The fields of many units, in arrays by unit id. */
export class UnitColumns {
  /** The units of each conversation by turn; none at 0. */
  readonly #conversations: number[][] = [[]];
  readonly #numbers = new Map<string, number>();
  readonly #expiresAt = new Map<number, number>();
  readonly #validity = new Map<number, { readonly from: number; readonly to: number }>();
  #occurredAt = new Float64Array(0);
  #turnId = new Float64Array(0);
  #turnIndex = new Uint32Array(0);
  #conversation = new Uint32Array(0);
  /** One more than its kind; 0: there is no such unit. */
  #kind = new Uint8Array(0);
  /** State, sensitivity, scope and whether it is pinned; see `markOf`. */
  #marks = new Uint8Array(0);

  get arrayBytes(): number {
    return ARRAY_BYTES * this.#kind.length;
  }

  get bytes(): number {
    return (ARRAY_BYTES + OTHER_BYTES) * this.#kind.length;
  }

  /** Adds or replaces a unit. */
  put(unit: UnitFields): void {
    const { id } = unit;
    if (id >= this.#kind.length) this.#grow(id);
    this.#place(unit);
    this.#kind[id] = unit.kind + 1;
    this.#occurredAt[id] = unit.occurredAt;
    this.#turnId[id] = unit.turnId ?? Infinity;
    this.#marks[id] = markOf(unit);
    if (unit.expiresAt === null) this.#expiresAt.delete(id);
    else this.#expiresAt.set(id, unit.expiresAt);
    if (unit.validFrom === null && unit.validTo === null) this.#validity.delete(id);
    else this.#validity.set(id, { from: unit.validFrom ?? -Infinity, to: unit.validTo ?? Infinity });
  }

  has(unitId: number): boolean {
    return unitId < this.#kind.length && this.#kind[unitId]! > 0;
  }

  /** The condition of a filter, as `filterSql` states it, for ids of these units; null where these fields do not suffice. */
  passing(filter: UnitFilter): ((unitId: number) => boolean) | null {
    if (ELSEWHERE.some((name) => filter[name] !== undefined)) return null;
    const { from = -Infinity, to = Infinity, aliveAt, validAt, beforeTurnId = Infinity } = filter;
    const [kinds, marks] = [passingKinds(filter), passingMarks(filter)];
    const excepted = new Set(filter.exceptUnitIds);
    const [kind, mark, occurredAt, turnId] = [this.#kind, this.#marks, this.#occurredAt, this.#turnId];
    return (unitId) => {
      const at = occurredAt[unitId]!;
      return (
        kinds[kind[unitId]!] === 1 &&
        marks[mark[unitId]!] === 1 &&
        at >= from &&
        at < to &&
        (beforeTurnId === Infinity || turnId[unitId]! < beforeTurnId) &&
        (aliveAt === undefined || (this.#expiresAt.get(unitId) ?? Infinity) > aliveAt) &&
        (validAt === undefined || this.#isValid(unitId, validAt)) &&
        !excepted.has(unitId)
      );
    };
  }

  /** See `UnitTable.adjacent`. */
  adjacent(unitIds: readonly number[], passes: (unitId: number) => boolean, reach: number): Adjacent[] {
    return [...new Set(unitIds)]
      .filter((unitId) => this.has(unitId))
      .map((unitId) => {
        // A unit of no conversation is in the empty one.
        const turns = this.#conversations[this.#conversation[unitId]!]!;
        return { unitId, ...turnsBeside(turns, this.#find(turns, unitId), passes, reach) };
      });
  }

  #isValid(unitId: number, at: number): boolean {
    const validity = this.#validity.get(unitId);
    return validity === undefined || (validity.from <= at && validity.to > at);
  }

  /** Into its conversation. */
  #place({ id, conversationId, turnIndex }: UnitFields): void {
    const conversation = conversationId === null ? NO_CONVERSATION : this.#numberOf(conversationId);
    const [before, index] = [this.#conversation[id]!, turnIndex ?? 0];
    if (before === conversation && this.#turnIndex[id] === index && this.has(id)) return;
    if (before !== NO_CONVERSATION) {
      const left = this.#conversations[before]!;
      left.splice(left.indexOf(id), 1);
    }
    this.#conversation[id] = conversation;
    this.#turnIndex[id] = index;
    if (conversation === NO_CONVERSATION) return;
    const turns = this.#conversations[conversation]!;
    turns.splice(this.#find(turns, id), 0, id);
  }

  #numberOf(conversationId: string): number {
    const known = this.#numbers.get(conversationId);
    if (known !== undefined) return known;
    const number = this.#conversations.push([]) - 1;
    this.#numbers.set(conversationId, number);
    return number;
  }

  /** Where the unit is among turns in order, or would be. */
  #find(turns: readonly number[], unitId: number): number {
    const index = this.#turnIndex[unitId]!;
    let [low, high] = [0, turns.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#turnIndex[turns[middle]!]! < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #grow(unitId: number): void {
    const size = Math.max(1_024, Math.ceil(unitId * 1.25));
    this.#occurredAt = grown(Float64Array, this.#occurredAt, size);
    this.#turnId = grown(Float64Array, this.#turnId, size);
    this.#turnIndex = grown(Uint32Array, this.#turnIndex, size);
    this.#conversation = grown(Uint32Array, this.#conversation, size);
    this.#kind = grown(Uint8Array, this.#kind, size);
    this.#marks = grown(Uint8Array, this.#marks, size);
  }
}

type Marks = Pick<UnitFields, 'state' | 'sensitivity' | 'scope' | 'pinned'>;

/** One number for each combination. */
function markOf({ state, sensitivity, scope, pinned }: Marks): number {
  return ((state * SENSITIVITIES.length + sensitivity) * SCOPES.length + scope) * 2 + pinned;
}

/** 1 for each kind that passes, at one more than its number. */
function passingKinds({ kinds }: UnitFilter): Uint8Array {
  const passing = new Uint8Array(KINDS.length + 1);
  for (const kind of kinds ?? KINDS) passing[KINDS.indexOf(kind) + 1] = 1;
  return passing;
}

/** 1 for each mark that passes. */
function passingMarks(filter: UnitFilter): Uint8Array {
  const passing = new Uint8Array(STATES.length * SENSITIVITIES.length * SCOPES.length * 2);
  const hidesArchived = leavesOutArchived(filter) && filter.states === undefined;
  const lowest = filter.minSensitivity ? SENSITIVITIES.indexOf(filter.minSensitivity) : 0;
  for (const [state, name] of STATES.entries()) {
    if (filter.states ? !filter.states.includes(name) : hidesArchived && name === 'archived') continue;
    for (let sensitivity = lowest; sensitivity <= maxSensitivity(filter); sensitivity += 1) {
      for (const [scope, scopeName] of SCOPES.entries()) {
        if (filter.scope !== undefined && filter.scope !== scopeName) continue;
        for (const pinned of [0, 1]) {
          if (filter.pinned === undefined || filter.pinned === (pinned === 1))
            passing[markOf({ state, sensitivity, scope, pinned })] = 1;
        }
      }
    }
  }
  return passing;
}

/** The same numbers in an array of that length. */
export function grown<Kept extends Float64Array | Uint32Array | Uint16Array | Uint8Array>(
  make: new (length: number) => Kept,
  array: Kept,
  length: number,
): Kept {
  const longer = new make(length);
  longer.set(array);
  return longer;
}
