import {
  SENSITIVITIES,
  type Edge,
  type Entity,
  type Job,
  type Turn,
  type Unit,
  type UnitEntity,
  type UnitVersion,
} from '../../src/model/model.ts';
import type { ScoredId, Store, UnitFilter } from '../../src/store/store.ts';

/** The part of a store that the model implements. The conformance suite tests the properties of topics and the journal. */
export type ModelledStore = Omit<Store, 'topics' | 'journal' | 'noteFiles' | 'forgetting' | 'evidence'> & {
  readonly evidence: Omit<Store['evidence'], 'head' | 'addCheckpoint' | 'checkpoints'>;
};

/** Everything a memory contains. */
export interface State {
  turns: Turn[];
  units: Unit[];
  versions: UnitVersion[];
  /** Episodes as created from their turns. */
  said: Map<number, Unit>;
  links: { from: number; to: number; relation: string }[];
  jobs: (Job & { againAfter?: number | undefined })[];
  lastJobId: number;
  entities: (Omit<Entity, 'salience'> & { salience: number | null })[];
  lastEntityId: number;
  mentions: UnitEntity[];
  /** The relations of entities in each unit. */
  relations: (Omit<Edge, 'evidence'> & { unitId: number })[];
  /** Marks of completed derivations, as JSON. */
  marks: Set<string>;
  vectors: Vectors | null;
  /** `done`: units with a vector, or for which the model has none. `stale`: units whose text changed after the request. */
  next: (Vectors & { done: Set<number>; stale: Set<number> }) | null;
}

export interface Vectors {
  modelId: string;
  dimensions: number;
  byUnit: Map<number, Float32Array>;
}

/** Runs a call; an error restores the previous state. */
export type Transact = <T>(body: (state: State) => T) => T;

export function passes(state: State, unit: Unit, filter: UnitFilter): boolean {
  const { kinds, scope, conversationId, from, to, asOf, aliveAt, beforeTurnId, uri } = filter;
  const episode = unit.kind === 'episode' ? unit.payload : undefined;
  if (kinds && !kinds.includes(unit.kind)) return false;
  if (SENSITIVITIES.indexOf(unit.sensitivity) < SENSITIVITIES.indexOf(filter.minSensitivity ?? 'normal'))
    return false;
  if (SENSITIVITIES.indexOf(unit.sensitivity) > SENSITIVITIES.indexOf(filter.maxSensitivity ?? 'private'))
    return false;
  if (scope && unit.scope !== scope) return false;
  if (conversationId !== undefined && episode?.conversationId !== conversationId) return false;
  if (from !== undefined && unit.occurredAt < from) return false;
  if (to !== undefined && unit.occurredAt >= to) return false;
  if (asOf !== undefined && unit.occurredAt > asOf) return false;
  if (aliveAt !== undefined && unit.expiresAt !== null && unit.expiresAt <= aliveAt) return false;
  if (beforeTurnId !== undefined && !(episode && episode.turnId < beforeTurnId)) return false;
  if (uri !== undefined && !(unit.kind === 'note' && unit.payload.uri === uri)) return false;
  if (filter.validAt !== undefined && !holds(state, unit, filter.validAt, asOf)) return false;
  if (filter.pinned !== undefined && unit.pinned !== filter.pinned) return false;
  if (filter.source !== undefined && unit.source !== filter.source) return false;
  if (filter.topicTag !== undefined && !unit.topicTags.includes(filter.topicTag)) return false;
  if (filter.exceptUnitIds?.includes(unit.id)) return false;
  const isMentioned = (entityId: number) =>
    state.mentions.some((mention) => mention.unitId === unit.id && mention.entityId === entityId);
  if (filter.entityId !== undefined && !isMentioned(filter.entityId)) return false;
  if (filter.states) return filter.states.includes(unit.state);
  if (filter.withArchived || unit.state !== 'archived') return true;
  const then = state.versions.findLast(
    (version) => version.unitId === unit.id && version.at <= (asOf ?? Infinity),
  );
  return asOf !== undefined && then?.snapshot.state !== 'archived';
}

/** Whether a unit, if it is a fact, is valid at one instant as known at another. */
function holds(state: State, unit: Unit, at: number, asOf = Infinity): boolean {
  const versions = state.versions.filter((version) => version.unitId === unit.id && version.at <= asOf);
  const then = versions.at(-1)?.snapshot ?? unit;
  if (then.kind !== 'fact') return true;
  const { validFrom, validTo } = then.payload;
  return (validFrom ?? -Infinity) <= at && at < (validTo ?? Infinity);
}

export function bestFirst(a: ScoredId, b: ScoredId): number {
  return b.score - a.score || a.unitId - b.unitId;
}
