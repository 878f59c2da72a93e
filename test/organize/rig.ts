/** A memory with conversations about themes, with vectors near the axes of their themes. */
import { onTestFinished } from 'vitest';
import type { Emotion, Instant, NewUnit, Unit } from '../../src/model/model.ts';
import { newUnitSchema } from '../../src/model/model.ts';
import type { OrganizeParts } from '../../src/organize/organize.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import type { Store, TopicAssignment } from '../../src/store/store.ts';

/** Monday, 2026-03-02 12:00 in Tokyo. */
export const NOON: Instant = Date.parse('2026-03-02T03:00:00Z');
export const MINUTE_MS = 60_000;
export const DIMENSIONS = 96;
const EMBEDDER = 'rig';

export interface Rig {
  readonly store: Store;
  readonly parts: OrganizeParts;
  readonly clock: { now: Instant };
}

export interface Talk {
  readonly theme: number;
  /** A second theme with half the weight. */
  readonly also?: number;
  readonly conversationId: string;
  readonly turns: number;
  /** The time of the first turn; each further turn is a minute later. */
  readonly at?: Instant;
  /** The text of a turn; default: an informative sentence. */
  readonly words?: (turn: number) => string;
  readonly sensitivity?: 'normal' | 'secret';
}

export function openRig(path = ':memory:'): Rig {
  const clock = { now: NOON };
  const store = openSqliteStore(path, { memoryId: 'm', timeZone: 'Asia/Tokyo', now: () => clock.now });
  onTestFinished(() => store.close());
  return { store, clock, parts: partsOf(store, clock) };
}

export function partsOf(store: Store, clock: { readonly now: Instant }): OrganizeParts {
  return {
    store,
    now: () => clock.now,
    model: () => null,
    async nameTopic(unitIds) {
      const [first] = await store.units.passages(unitIds.slice(0, 1));
      return { title: `About ${first?.text.slice(0, 40) ?? 'nothing'}`, summary: null };
    },
    unitJobKinds: ['embed'],
  };
}

/** The axis of a theme with some noise for each turn; deterministic. */
export function vectorOf(theme: number, salt: number, noise = 0.6): Float32Array {
  let state = (Math.imul(salt + 1, 2_654_435_761) ^ Math.imul(theme + 7, 40_503)) >>> 0;
  const vector = Float32Array.from({ length: DIMENSIONS }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return ((state / 2 ** 32 - 0.5) * noise) / Math.sqrt(DIMENSIONS / 12);
  });
  vector[theme % DIMENSIONS]! += 1;
  return vector;
}

/** Adds a conversation with its vectors; returns the ids of its episodes. */
export async function talk(
  store: Store,
  { theme, also = theme, conversationId, turns, at = NOON, words, sensitivity }: Talk,
) {
  const appended = await store.evidence.append(
    Array.from({ length: turns }, (_, i) => ({
      conversationId,
      turnIndex: null,
      speaker: i % 2 === 0 ? 'user' : 'ai',
      text:
        words?.(i) ??
        `Theme${theme} has many things worth telling, such as detail number ${i} of ${conversationId}`,
      occurredAt: at + i * MINUTE_MS,
      meta: {},
      source: 'chat',
      sensitivity: sensitivity ?? ('normal' as const),
      scope: 'global' as const,
      imageSummary: null,
      jobKinds: [],
    })),
  );
  const ids = appended.map(({ unitId }) => unitId);
  await store.indexes.vectors.upsert(
    EMBEDDER,
    ids.map((unitId) => {
      const vector = vectorOf(theme, unitId);
      vector[also % DIMENSIONS]! += 0.5;
      return { unitId, vector };
    }),
  );
  return ids;
}

/** Puts episodes into a topic: a new one with that title, or an existing one. Returns its id. */
export async function file(
  store: Store,
  topic: string | number,
  unitIds: readonly number[],
  source = 'assign_topic:rules',
) {
  const vectors = await store.indexes.vectors.get(unitIds);
  let target: TopicAssignment['topic'] =
    typeof topic === 'number' ? { id: topic } : { title: topic, summary: null, source };
  for (const unitId of unitIds) {
    const mark = { unitId, kind: 'assign_topic', fingerprint: String(topic) };
    const [id] = await store.topics.assign([{ mark, topic: target, vector: vectors.get(unitId) ?? null }]);
    target = { id: id as number };
  }
  return (target as { id: number }).id;
}

/** A conversation in its own topic. */
export async function topicOf(store: Store, title: string, ...talks: Talk[]) {
  const ids: number[] = [];
  for (const one of talks) ids.push(...(await talk(store, one)));
  return { id: await file(store, title, ids), unitIds: ids };
}

/** Conversations months ago about enough themes for the memory to know typical values. */
export async function background(store: Store, themes = 20): Promise<number[]> {
  const ids: number[] = [];
  for (let i = 0; i < themes; i++) {
    const at = NOON - (400 + i * 40) * 86_400_000;
    const { id } = await topicOf(store, `Background ${i}`, {
      theme: 20 + i,
      conversationId: `bg${i}`,
      turns: 8,
      at,
    });
    ids.push(id);
  }
  return ids;
}

export async function keep(store: Store, unit: NewUnit): Promise<Unit> {
  const change = { type: 'add' as const, unit: newUnitSchema.parse(unit), reason: 'test' };
  const [saved] = await store.units.save([change]);
  return saved as Unit;
}

export async function setEmotions(
  store: Store,
  unitId: number,
  values: Emotion['values'],
  confidence = 1,
): Promise<void> {
  await store.units.save([
    { type: 'update', unitId, set: { emotion: { values, confidence } }, reason: 'test' },
  ]);
}
