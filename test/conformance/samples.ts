/** Sample data for the tests of stores. */
import {
  newUnitSchema,
  type EntityMention,
  type Instant,
  type NewUnit,
  type Receipt,
  type Unit,
} from '../../src/model/model.ts';
import { terms } from '../../src/text/text.ts';
import type {
  DerivationResult,
  Store,
  TopicAssignment,
  TurnDraft,
  UnitChange,
  UnitFilter,
} from '../../src/store/store.ts';
import type { OpenStore, StoreUnderTest } from './storeUnderTest.ts';

/** 2024-05-01T00:00Z: the initial time of test clocks. */
export const START: Instant = Date.UTC(2024, 4, 1);

export interface Clock {
  now: Instant;
}

/** A new memory with a clock that only moves when it is set. */
export async function openMemory(open: OpenStore): Promise<StoreUnderTest & { clock: Clock }> {
  const clock = { now: START };
  const opened = await open({ memoryId: 'm1', timeZone: 'Asia/Tokyo', now: () => clock.now });
  return { ...opened, clock };
}

export function draft(text: string, more: Partial<TurnDraft> = {}): TurnDraft {
  return {
    conversationId: 'c1',
    turnIndex: null,
    speaker: 'user',
    text,
    occurredAt: START,
    meta: {},
    source: 'chat',
    sensitivity: 'normal',
    scope: 'global',
    imageSummary: null,
    jobKinds: [],
    ...more,
  };
}

export function add(unit: NewUnit, reason = 'test'): UnitChange {
  return { type: 'add', unit: newUnitSchema.parse(unit), reason };
}

export function loop(text: string): NewUnit['content'] {
  return { kind: 'loop', payload: { text } };
}

export function note(text: string, uri = 'user/preferences.md'): NewUnit['content'] {
  return { kind: 'note', payload: { uri, section: '', memoryType: 'preferences', text, tokenCount: 1 } };
}

export function fact(subject: string, predicate: string, object: string): NewUnit['content'] {
  return { kind: 'fact', payload: { subject, predicate, object } };
}

/** A mentioned person, known or (`entityId` null) new. */
export function person(name: string, more: Partial<EntityMention> = {}): EntityMention {
  return { entityId: null, type: 'person', name, aliases: [], surface: name, confidence: 1, ...more };
}

/** The first result of the derivation `extract` of a unit. */
export function derived(unitId: number, made: Partial<DerivationResult> = {}): DerivationResult {
  return { mark: { unitId, kind: 'extract', fingerprint: '1' }, changes: [], ...made };
}

/** Applies mentions, each as a derivation. */
export async function mention(store: Store, unitId: number, ...mentions: EntityMention[]): Promise<void> {
  const mark = { unitId, kind: 'mention', fingerprint: JSON.stringify(mentions) };
  await store.units.applyDerivation({ mark, changes: [], mentions });
}

export async function saveOne(store: Store, change: UnitChange): Promise<Unit> {
  const [unit] = await store.units.save([change]);
  if (!unit) throw new Error('The store saved nothing.');
  return unit;
}

/** Adds these turns to one conversation; returns the ids of the episodes. */
export async function say(store: Store, ...texts: (string | TurnDraft)[]): Promise<number[]> {
  const drafts = texts.map((text) => (typeof text === 'string' ? draft(text) : text));
  return (await store.evidence.append(drafts)).map((appended) => appended.unitId);
}

export async function find(
  store: Store,
  words: string,
  filter: UnitFilter = {},
  limit = 100,
): Promise<number[]> {
  return (await store.indexes.text.search(terms(words), filter, limit)).map((hit) => hit.unitId);
}

/** A vector of 16 dimensions in the plane of the first two, at this angle from the first axis. */
export function atAngle(degrees: number, length = 1): Float32Array {
  const vector = new Float32Array(16);
  vector[0] = length * Math.cos((degrees * Math.PI) / 180);
  vector[1] = length * Math.sin((degrees * Math.PI) / 180);
  return vector;
}

/** The claim of a worker in the tests of jobs. */
export const CLAIM = { kinds: ['embed'], owner: 'a', leaseMs: 1_000, limit: 10 };

export function topic(title: string, summary: string | null = null) {
  return { title, summary, source: 'assign_topic' };
}

/** Assigns a topic to an episode, like the first run of that derivation. */
export function assign(unitId: number, to: TopicAssignment['topic']): TopicAssignment {
  return { mark: { unitId, kind: 'assign_topic', fingerprint: '1' }, topic: to, vector: null };
}

/** An unsigned receipt for the first turn. */
export const receiptOf = (memoryId: string): Receipt => ({
  format: 'omoide receipt',
  version: 1,
  memoryId,
  at: START,
  what: 'turn',
  turns: [[1, 1]],
  turnsHash: '',
  units: [[1, 1]],
  counts: { turns: 1 },
  headBefore: '',
  headAfter: '',
  publicKey: '',
  signature: '',
});
