import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Derivation, DerivationParts } from '../src/derive/derive.ts';
import type { EpisodeDerivation } from '../src/derive/episodeDerivation.ts';
import { createLearnDerivation } from '../src/derive/learn/learn.ts';
import type { LanguageModel, ModelRequest } from '../src/llm/llm.ts';
import { MemoryError, type Episode, type Instant, type Job, type Sensitivity } from '../src/model/model.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { temporaryFolder } from './temporary.ts';

interface Said {
  readonly text: string;
  /** Default `user`. */
  readonly speaker?: string;
  /** Default `c1`. */
  readonly in?: string;
  /** Default: one minute after the turn before. */
  readonly at?: Instant;
  readonly sensitivity?: Sensitivity;
  readonly source?: string;
}

/** A memory for testing one derivation. */
export class DerivationBench {
  now = Date.UTC(2026, 2, 29, 12);
  readonly store: Store;
  model: LanguageModel | null = null;
  /** The requests to the model. */
  readonly asked: ModelRequest[] = [];

  constructor() {
    const path = join(temporaryFolder(), 'memory.db');
    this.store = openSqliteStore(path, { memoryId: 'm', timeZone: 'UTC', now: () => this.now });
    onTestFinished(() => this.store.close());
  }

  get parts(): DerivationParts {
    return {
      store: this.store,
      now: () => this.now,
      model: () => this.model,
      embedder: () => null,
      unitJobKinds: [],
    };
  }

  /** Adds turns; returns the ids of their episodes. */
  async say(...turns: (string | Said)[]): Promise<number[]> {
    const ids: number[] = [];
    for (const turn of turns) {
      const said: Said = typeof turn === 'string' ? { text: turn } : turn;
      this.now = said.at ?? this.now + 60_000;
      const [appended] = await this.store.evidence.append([
        {
          conversationId: said.in ?? 'c1',
          turnIndex: null,
          speaker: said.speaker ?? 'user',
          text: said.text,
          occurredAt: this.now,
          meta: {},
          source: said.source ?? 'chat',
          sensitivity: said.sensitivity ?? 'normal',
          scope: 'global',
          imageSummary: null,
          jobKinds: [],
        },
      ]);
      ids.push(appended?.unitId ?? 0);
    }
    return ids;
  }

  /** A derivation of episodes runs alone. */
  async run(given: Derivation | EpisodeDerivation, unitIds: readonly number[] = []): Promise<void> {
    const derivation = 'run' in given ? given : createLearnDerivation(this.parts, [given]);
    const inputs = unitIds.length > 0 ? unitIds.map((unitId) => ({ unitId })) : [{}];
    const jobs = inputs.map((input, i): Job => ({
      id: i + 1,
      kind: derivation.kind,
      key: `${derivation.kind}/${i}`,
      conversationId: null,
      input,
      status: 'running',
      attempts: 1,
      runAfter: 0,
      leaseOwner: 'bench',
      leaseUntil: null,
      lastError: null,
      createdAt: 0,
    }));
    for (let at = 0; at < jobs.length; at += derivation.batchSize)
      await derivation.run(jobs.slice(at, at + derivation.batchSize), new AbortController().signal);
  }

  async episode(unitId: number): Promise<Episode> {
    const [unit] = await this.store.units.get([unitId]);
    if (unit?.kind !== 'episode') throw new Error(`Unit ${unitId} is no episode.`);
    return unit;
  }

  /** Sets a model with this reply; a reply that does not match the schema is an error, as with a real model. */
  replies(reply: unknown): void {
    const generateObject: LanguageModel['generateObject'] = async (request) => {
      this.asked.push(request);
      const parsed = request.schema.safeParse(typeof reply === 'function' ? reply(request) : reply);
      if (!parsed.success) throw new MemoryError('MODEL_FAILED', parsed.error.message);
      return { value: parsed.data, usage: { inputTokens: null, outputTokens: null } };
    };
    const never = () => {
      throw new Error('Only objects are asked for.');
    };
    this.model = { id: 'test#model', generateObject, stream: never, generateText: never, forward: never };
  }

  /** Everything that derivations create, for comparison. */
  async state(): Promise<unknown> {
    const { store } = this;
    const units = await store.units.list({ withArchived: true, maxSensitivity: 'secret' }, { limit: 10_000 });
    const entities = await store.entities.list({}, { limit: 10_000 });
    return {
      units,
      entities,
      mentions: await store.entities.ofUnits(units.map((unit) => unit.id)),
      edges: await Promise.all(entities.map((entity) => store.entities.edgesOf(entity.id))),
      jobs: await store.jobs.list({ limit: 10_000 }),
    };
  }
}
