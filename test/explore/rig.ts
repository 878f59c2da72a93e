/** A hand-made memory for tests of explore. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Embedder } from '../../src/llm/llm.ts';
import {
  entityMentionSchema,
  type Emotion,
  type Instant,
  type Scope,
  type Sensitivity,
} from '../../src/model/model.ts';
import { createRecall, type Exploration, type ExploredItem, type Recall } from '../../src/recall/recall.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../temporary.ts';

export interface Said {
  readonly text: string;
  /** ISO 8601; default: a minute after the previous turn. */
  readonly at?: string;
  readonly speaker?: string;
  readonly conversationId?: string;
  readonly sensitivity?: Sensitivity;
  readonly scope?: Scope;
}

export class ExploreRig {
  readonly store: Store;
  now: Instant = Date.parse('2026-03-10T12:00Z');
  readonly recall: Recall;
  readonly #embedder: Embedder | null;
  #lastAt = Date.parse('2026-01-05T09:00Z');

  constructor(embedder: Embedder | null = null) {
    this.#embedder = embedder;
    const options = { memoryId: 'm', timeZone: 'UTC', now: () => this.now };
    this.store = openSqliteStore(join(temporaryFolder(), 'memory.db'), options);
    this.recall = createRecall({ store: this.store, embedder, now: () => this.now });
    onTestFinished(async () => {
      await this.recall.settled();
      await this.store.close();
    });
  }

  explore(...question: Parameters<Recall['explore']>): Promise<Exploration> {
    return this.recall.explore(...question);
  }

  /** Adds turns; returns their units. */
  async say(...said: readonly (string | Said)[]): Promise<number[]> {
    const turns = await this.store.evidence.append(
      said.map((one) => {
        const each: Said = typeof one === 'string' ? { text: one } : one;
        this.#lastAt = each.at === undefined ? this.#lastAt + 60_000 : Date.parse(each.at);
        return {
          conversationId: each.conversationId ?? 'c',
          turnIndex: null,
          speaker: each.speaker ?? 'user',
          text: each.text,
          occurredAt: this.#lastAt,
          meta: {},
          source: 'chat',
          sensitivity: each.sensitivity ?? 'normal',
          scope: each.scope ?? 'global',
          imageSummary: null,
          jobKinds: [],
        };
      }),
    );
    const unitIds = turns.map(({ unitId }) => unitId);
    if (this.#embedder) {
      const texts = said.map((one) => (typeof one === 'string' ? one : one.text));
      const vectors = await this.#embedder.embed(texts, 'document');
      const entries = unitIds.map((unitId, i) => ({ unitId, vector: vectors[i]! }));
      await this.store.indexes.vectors.upsert(this.#embedder.id, entries);
    }
    return unitIds;
  }

  /** Puts episodes into a new topic. */
  async topic(title: string, unitIds: readonly number[], summary: string | null = null): Promise<number> {
    const [topicId] = await this.store.topics.assign(
      unitIds.map((unitId, i) => ({
        mark: { unitId, kind: 'assign_topic', fingerprint: title },
        topic: i === 0 ? { title, summary, source: 'user' } : { sameAs: 0 },
        vector: null,
      })),
    );
    return topicId!;
  }

  async feel(unitId: number, values: Emotion['values'], confidence = 1): Promise<void> {
    const emotion = { values, confidence };
    await this.store.units.save([{ type: 'update', unitId, set: { emotion }, reason: 'felt' }]);
  }

  /** Makes the units mention a person. */
  async mention(name: string, unitIds: readonly number[]): Promise<void> {
    for (const unitId of unitIds) await this.mentionAll(unitId, [name]);
  }

  async mentionAll(unitId: number, names: readonly string[]): Promise<void> {
    const mark = { unitId, kind: 'extract_entities', fingerprint: names.join() };
    const mentions = names.map((name) =>
      entityMentionSchema.parse({ entityId: null, type: 'person', name, surface: name, confidence: 1 }),
    );
    await this.store.units.applyDerivation({ mark, changes: [], mentions });
  }
}

/** All items of an answer, in order. */
export function itemsOf(answer: Exploration): ExploredItem[] {
  switch (answer.view) {
    case 'quote':
      return [...answer.quotes];
    case 'timeline':
      return answer.groups.flatMap(({ items }) => items);
    case 'topic':
      return answer.topics.flatMap(({ episodes }) => episodes);
  }
}

export function idsOf(answer: Exploration): number[] {
  return itemsOf(answer).map(({ unitId }) => unitId);
}
