/** Runs the protocol on one set: a memory for each conversation, its queries, and queries of other conversations. */
import { rm } from 'node:fs/promises';
import { makeTemporaryFolder, type Embedder, type ProfileFile, type Strategy } from '../engine/engine.ts';
import { AskedMemory, type AskOptions, type ForeignOutcome, type Outcome } from './ask.ts';
import {
  isAnswerable,
  type EvaluationConversation,
  type EvaluationQuery,
  type EvaluationSet,
} from './dataset.ts';

export interface EvaluationProgress {
  readonly set: string;
  readonly conversation: string;
  /** Queries done and to be done; each counts once for all profiles. */
  readonly done: number;
  readonly total: number;
}

export interface RunOptions {
  readonly profiles: readonly string[];
  /** Profiles in addition to the shipped ones. */
  readonly ownProfiles: readonly ProfileFile[];
  readonly strategy: Strategy | null;
  readonly embedder: Embedder | null;
  /** Most queries of the set; null: all. */
  readonly limit: number | null;
  readonly foreign: boolean;
  readonly explain: boolean;
  /** Features to capture of every candidate; null: none. */
  readonly capture: readonly string[] | null;
  /** Whether to learn from turns, by rules, before the queries. */
  readonly learn: boolean;
  /** A database for the memories instead of files. */
  readonly store?: string;
  readonly onProgress?: (progress: EvaluationProgress) => void;
  readonly signal?: AbortSignal;
}

/** The results of a set. */
export interface SetRun {
  readonly conversations: number;
  readonly turns: number;
  /** In the order of the queries. */
  readonly outcomes: ReadonlyMap<string, readonly Outcome[]>;
  readonly foreign: ReadonlyMap<string, readonly ForeignOutcome[]>;
}

export async function runSet(set: EvaluationSet, options: RunOptions): Promise<SetRun> {
  const dataDir = makeTemporaryFolder('eval');
  const run = new Run(set, options, dataDir);
  try {
    return await run.execute();
  } finally {
    await run.discard();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** How many queries of each conversation are run: as even as possible, the first queries first. */
export function quotas(counts: readonly number[], limit: number | null): number[] {
  const quota = counts.map(() => 0);
  let left = limit ?? Infinity;
  for (let round = 0; left > 0; round++) {
    const having = counts.flatMap((count, index) => (count > round ? [index] : []));
    if (having.length === 0) break;
    // When not all conversations can have one more, those that do are evenly distributed.
    const taken = Math.min(left, having.length);
    for (let i = 0; i < taken; i++) {
      const index = having[Math.floor((i * having.length) / taken)] ?? 0;
      quota[index] = (quota[index] ?? 0) + 1;
    }
    left -= taken;
  }
  return quota;
}

/** Queries of a conversation, and the conversation of which it is a part. */
interface Asked {
  readonly origin: string;
  readonly queries: readonly EvaluationQuery[];
}

/** The conversations of one language in order: each gets the queries of the one before it, the first those of the last. */
interface Chain {
  readonly first: AskedMemory;
  previous: Asked;
  length: number;
}

class Run {
  readonly #set: EvaluationSet;
  readonly #options: RunOptions;
  readonly #dataDir: string;
  readonly #outcomes: Map<string, Outcome[]>;
  readonly #foreign: Map<string, ForeignOutcome[]>;
  readonly #chains = new Map<string, Chain>();
  readonly #open = new Set<AskedMemory>();
  #conversations = 0;
  #turns = 0;

  constructor(set: EvaluationSet, options: RunOptions, dataDir: string) {
    this.#set = set;
    this.#options = options;
    this.#dataDir = dataDir;
    this.#outcomes = new Map(options.profiles.map((profile) => [profile, []]));
    this.#foreign = new Map(options.profiles.map((profile) => [profile, []]));
  }

  async execute(): Promise<SetRun> {
    const quota = quotas(await this.#set.queryCounts(), this.#options.limit);
    const total = quota.reduce((sum, count) => sum + count, 0);
    let index = 0;
    let done = 0;
    for await (const conversation of this.#set.conversations()) {
      const queries = conversation.queries.slice(0, quota[index++]);
      if (queries.length === 0) continue;
      const memory = await this.#openMemory(conversation);
      for (const query of queries) {
        this.#options.onProgress?.({ set: this.#set.name, conversation: conversation.id, done, total });
        await this.#ask(memory, query);
        done += 1;
      }
      if (this.#options.foreign) await this.#continueChain(conversation.language, memory, queries);
      if (![...this.#chains.values()].some(({ first }) => first === memory)) await this.#discard(memory);
    }
    for (const chain of this.#chains.values()) {
      if (chain.length > 1) await this.#askForeign(chain.first, chain.previous);
    }
    return {
      conversations: this.#conversations,
      turns: this.#turns,
      outcomes: this.#outcomes,
      foreign: this.#foreign,
    };
  }

  async discard(): Promise<void> {
    for (const memory of this.#open) await this.#discard(memory);
  }

  async #openMemory(conversation: EvaluationConversation): Promise<AskedMemory> {
    this.#options.signal?.throwIfAborted();
    const memory = await AskedMemory.open(conversation, {
      dataDir: this.#dataDir,
      memoryId: `c${this.#conversations}`,
      embedder: this.#options.embedder,
      profiles: this.#options.ownProfiles,
      learn: this.#options.learn,
      ...(this.#options.store !== undefined && { store: this.#options.store }),
    });
    this.#open.add(memory);
    this.#conversations += 1;
    this.#turns += conversation.turns.length;
    return memory;
  }

  async #discard(memory: AskedMemory): Promise<void> {
    this.#open.delete(memory);
    await memory.discard();
  }

  async #ask(memory: AskedMemory, query: EvaluationQuery): Promise<void> {
    for (const [profile, outcomes] of this.#outcomes) {
      this.#options.signal?.throwIfAborted();
      outcomes.push(await memory.ask(query, this.#askOptions(profile)));
    }
  }

  async #continueChain(
    language: string,
    memory: AskedMemory,
    queries: readonly EvaluationQuery[],
  ): Promise<void> {
    const chain = this.#chains.get(language);
    const asked = { origin: memory.origin, queries };
    if (!chain) {
      this.#chains.set(language, { first: memory, previous: asked, length: 1 });
      return;
    }
    await this.#askForeign(memory, chain.previous);
    chain.previous = asked;
    chain.length += 1;
  }

  async #askForeign(memory: AskedMemory, { origin, queries }: Asked): Promise<void> {
    for (const query of queries) {
      if (!isAnswerable(query) || memory.mayAnswer(query, origin)) continue;
      for (const [profile, outcomes] of this.#foreign) {
        this.#options.signal?.throwIfAborted();
        outcomes.push(await memory.askForeign(query, this.#askOptions(profile)));
      }
    }
  }

  #askOptions(profile: string): AskOptions {
    const { strategy, explain, capture } = this.#options;
    return { profile, strategy, explain, capture };
  }
}
