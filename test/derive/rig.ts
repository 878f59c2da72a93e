/** A memory and a hand-written model for derivations. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { DerivationParts, Derivation } from '../../src/derive/derive.ts';
import type { EpisodeDerivation } from '../../src/derive/episodeDerivation.ts';
import { createLearnDerivation } from '../../src/derive/learn/learn.ts';
import type { LanguageModel, ModelRequest } from '../../src/llm/llm.ts';
import { MemoryError, type Job, type Kind, type Sensitivity, type UnitOf } from '../../src/model/model.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../temporary.ts';

export interface Asked extends ModelRequest {
  readonly name: string;
}

export class DeriveRig {
  readonly store: Store;
  now = Date.UTC(2024, 0, 10, 12);
  /** The requests to the model, in order. */
  readonly asked: Asked[] = [];
  /** The model's reply; null: there is no model, and rules are used. */
  reply: ((request: Asked) => unknown) | null = null;
  readonly parts: DerivationParts;

  constructor(timeZone = 'UTC') {
    this.store = openSqliteStore(join(temporaryFolder(), 'memory.db'), {
      memoryId: 'm',
      timeZone,
      now: () => this.now,
    });
    onTestFinished(() => this.store.close());
    const model = this.#model();
    this.parts = {
      store: this.store,
      now: () => this.now,
      model: () => (this.reply ? model : null),
      embedder: () => null,
      unitJobKinds: ['embed'],
    };
  }

  /** Adds a turn said at `at` (ISO, UTC); returns its unit. */
  async say(
    text: string,
    at: string,
    speaker = 'user',
    more: { conversationId?: string; sensitivity?: Sensitivity; source?: string } = {},
  ) {
    this.now = Date.parse(at);
    const [turn] = await this.store.evidence.append([
      {
        conversationId: more.conversationId ?? 'c',
        turnIndex: null,
        speaker,
        text,
        occurredAt: this.now,
        meta: {},
        source: more.source ?? 'chat',
        sensitivity: more.sensitivity ?? 'normal',
        scope: 'global',
        imageSummary: null,
        jobKinds: [],
      },
    ]);
    return turn!.unitId;
  }

  /** A derivation of episodes runs alone. */
  async run(given: Derivation | EpisodeDerivation, ...unitIds: number[]): Promise<void> {
    const derivation = 'run' in given ? given : createLearnDerivation(this.parts, [given]);
    await this.runJobs(
      derivation,
      unitIds.map((unitId) => ({ unitId })),
    );
  }

  async runJobs(derivation: Derivation, inputs: readonly Job['input'][]): Promise<void> {
    const jobs = inputs.map((input, i) => ({ id: i + 1, kind: derivation.kind, input }) as unknown as Job);
    await derivation.run(jobs, new AbortController().signal);
  }

  /** The derived units of a kind, oldest first. */
  async list<K extends Kind>(kind: K): Promise<UnitOf<K>[]> {
    const units = await this.store.units.list({ kinds: [kind], maxSensitivity: 'secret' }, { limit: 1_000 });
    return (units as UnitOf<K>[]).toSorted((a, b) => a.id - b.id);
  }

  #model(): LanguageModel {
    const refuse = () => {
      throw new MemoryError('MODEL_FAILED', 'This model only fills in forms.');
    };
    return {
      id: 'test#model',
      stream: refuse,
      generateText: refuse,
      forward: refuse,
      generateObject: async (request) => {
        this.asked.push(request);
        return {
          value: request.schema.parse(this.reply?.(request)) as never,
          usage: { inputTokens: null, outputTokens: null },
        };
      },
    };
  }
}
