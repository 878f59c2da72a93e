/** Opens a memory and wires its parts together: the one place that knows them all, and the package's door. */
import { join } from 'node:path';
import { createEmbedDerivation, createWorker, type Worker, type WorkerEvent } from '../derive/derive.ts';
import {
  ingestAll,
  ingestTurn,
  readConversationFile,
  type ImportFormat,
  type IncomingItem,
  type IngestOptions,
  type IngestReport,
} from '../ingest/ingest.ts';
import {
  openEmbedder,
  openReranker,
  type Embedder,
  type EmbedderSettings,
  type Reranker,
  type RerankerSettings,
} from '../llm/llm.ts';
import {
  checkMemoryId,
  checkText,
  checkTimeZone,
  MemoryError,
  newUnitSchema,
  parseInput,
  systemTimeZone,
  unitText,
  type Instant,
  type NewTurn,
  type NewUnit,
  type Turn,
  type Unit,
  type UnitVersion,
} from '../model/model.ts';
import { buildPack, type Pack, type PackOptions } from '../pack/pack.ts';
import { createRecall, type Recall, type RecallOptions, type RecallResult } from '../recall/recall.ts';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import type {
  AppendedTurn,
  Neighbours,
  RebuildReport,
  Store,
  StoreInfo,
  Verification,
} from '../store/store.ts';
import { defaultDataDir } from './dataDir.ts';

export * from '../model/model.ts';
export { detectFileFormat, IMPORT_FORMATS } from '../ingest/ingest.ts';
export type { ImportFormat, IngestOptions, IngestProblem, IngestReport } from '../ingest/ingest.ts';
export { openEmbedder, parseEmbedderSetting } from '../llm/llm.ts';
export type { Embedder, EmbedderSettings, Reranker, RerankerSettings } from '../llm/llm.ts';
export type { Pack, PackOptions } from '../pack/pack.ts';
export { PROFILE_NAMES, STRATEGIES } from '../recall/recall.ts';
export type {
  ContextLine,
  Hit,
  ProfileName,
  RecallOptions,
  RecallResult,
  Strategy,
  Trace,
} from '../recall/recall.ts';
export type { AppendedTurn, Neighbours, RebuildReport, StoreInfo, Verification } from '../store/store.ts';
export type { WorkerEvent } from '../derive/derive.ts';
export { defaultDataDir } from './dataDir.ts';

export interface MemoryOptions {
  /** Folder of the memory's file; default: the platform's data folder. */
  readonly dataDir?: string;
  /** Which memory; default `default`. */
  readonly memoryId?: string;
  /** IANA zone of the wall clock, settled when the memory is made; default: the machine's. */
  readonly timeZone?: string;
  /** Which model makes the vectors; default: the bundled one. Null: recall by words alone. */
  readonly embedder?: Embedder | EmbedderSettings | null;
  /** A cross-encoder that looks at the best hits again; default: none. */
  readonly reranker?: Reranker | RerankerSettings | null;
  /** Whether background jobs run in this process; default true. */
  readonly worker?: boolean;
  readonly onWorkerEvent?: (event: WorkerEvent) => void;
  /** The clock; default: the machine's. */
  readonly now?: () => Instant;
}

/** One memory, open. Close it when done. */
export interface Memory {
  readonly memoryId: string;
  readonly timeZone: string;
  /** Keeps one turn; when this returns it is on the disk. */
  ingestTurn(turn: NewTurn): Promise<AppendedTurn>;
  /** Keeps many turns; what cannot be kept is reported, and the rest goes in. */
  ingestConversation(
    turns: Iterable<NewTurn> | AsyncIterable<NewTurn>,
    options?: IngestOptions,
  ): Promise<IngestReport>;
  /** Keeps the conversations of a file of any known form. */
  importFile(
    path: string,
    options?: IngestOptions & { format?: ImportFormat; conversationId?: string },
  ): Promise<IngestReport>;
  /** Relates two units (`quote`, `contextual`, …). */
  linkEpisodes(fromUnitId: number, toUnitId: number, relation?: string): Promise<void>;
  /** Finds what matters for an utterance, with reasons. */
  recall(utterance: string, options?: RecallOptions): Promise<RecallResult>;
  /** The memory's part of a prompt, within a token budget. */
  pack(utterance: string, options?: PackOptions): Promise<Pack>;
  /**
   * Keeps a fact, summary, open loop, capsule or note of one's own.
   * @throws MemoryError INVALID_INPUT, EMPTY_TEXT, TEXT_TOO_LONG, INVALID_TEXT
   */
  remember(unit: NewUnit): Promise<Unit>;
  getUnits(unitIds: readonly number[]): Promise<Unit[]>;
  /** The turns before and after each episode in its conversation, and the units linked to it. Default: one each way. */
  neighbours(unitIds: readonly number[], reach?: { before: number; after: number }): Promise<Neighbours[]>;
  listVersions(unitId: number): Promise<UnitVersion[]>;
  /** Every turn, oldest first, as it was taken in. */
  readTurns(): AsyncGenerator<Turn>;
  /** Works until no background job is due. */
  settle(onProgress?: (done: number) => void): Promise<void>;
  /** Makes failed jobs due again. Returns how many. */
  retryFailed(): Promise<number>;
  verify(): Promise<Verification>;
  /** Makes indexes (and, from turns, episodes) anew; vectors too when the embedding model has changed. */
  rebuild(
    what?: 'indexes' | 'units',
    options?: { vectors?: boolean; onProgress?: (done: number, total: number) => void },
  ): Promise<RebuildReport>;
  info(): Promise<StoreInfo & { embedder: string | null }>;
  close(): Promise<void>;
}

/**
 * Opens a memory, making it when it is not there.
 *
 * @throws MemoryError INVALID_ID, INVALID_INPUT, NOT_A_MEMORY, MEMORY_TOO_NEW, READ_ONLY, DISK_FULL, BUSY
 * @example
 * const memory = await openMemory({ dataDir: './data' });
 * await memory.ingestTurn({ conversationId: 'c1', speaker: 'user', text: '那須塩原の吊り橋、すごく揺れたね。' });
 * const { hits } = await memory.recall('あの旅行、また行きたいな。');
 * await memory.close();
 */
export async function openMemory(options: MemoryOptions = {}): Promise<Memory> {
  const memoryId = checkMemoryId(options.memoryId ?? 'default');
  const now = options.now ?? Date.now;
  const timeZone = checkTimeZone(options.timeZone ?? systemTimeZone());
  const embedder = await openModel(
    options.embedder === undefined ? { provider: 'bundled' } : options.embedder,
    openEmbedder,
  );
  const reranker = await openModel(options.reranker ?? null, async (settings: RerankerSettings) =>
    openReranker(settings),
  );
  const path = memoryPath(options.dataDir ?? defaultDataDir(), memoryId);
  const store = openSqliteStore(path, { memoryId, timeZone, now });
  const worker = createWorker({
    store,
    derivations: embedder ? [createEmbedDerivation(store, embedder)] : [],
    now,
    ...(options.onWorkerEvent && { onEvent: options.onWorkerEvent }),
  });
  if (options.worker !== false) worker.start();
  const recall = createRecall({ store, embedder, reranker, now });
  return new OpenMemory({ store, embedder, worker, recall, now });
}

/** Where the memory's file lies. */
export function memoryPath(dataDir: string, memoryId: string): string {
  return join(dataDir, `memory_${memoryId}.db`);
}

async function openModel<Model extends { id: string }, Settings extends object>(
  given: Model | Settings | null,
  open: (settings: Settings) => Promise<Model>,
): Promise<Model | null> {
  if (given === null) return null;
  return 'id' in given ? given : open(given);
}

interface Parts {
  readonly store: Store;
  readonly embedder: Embedder | null;
  readonly worker: Worker;
  readonly recall: Recall;
  readonly now: () => Instant;
}

/** Jobs that every new episode calls for. */
const JOB_KINDS = ['embed'] as const;
const TURNS_PER_PAGE = 1_000;

class OpenMemory implements Memory {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly #parts: Parts;
  #closed: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.memoryId = parts.store.memoryId;
    this.timeZone = parts.store.timeZone;
  }

  async ingestTurn(turn: NewTurn): Promise<AppendedTurn> {
    const appended = await ingestTurn(this.#intake(), turn);
    this.#parts.worker.wake();
    return appended;
  }

  async ingestConversation(
    turns: Iterable<NewTurn> | AsyncIterable<NewTurn>,
    options: IngestOptions = {},
  ): Promise<IngestReport> {
    return this.#ingestAll(numbered(turns), options);
  }

  async importFile(
    path: string,
    options: IngestOptions & { format?: ImportFormat; conversationId?: string } = {},
  ): Promise<IngestReport> {
    const { format, conversationId, ...rest } = options;
    const items = readConversationFile(path, {
      timeZone: this.timeZone,
      ...(format && { format }),
      ...(conversationId !== undefined && { conversationId }),
    });
    return this.#ingestAll(items, rest);
  }

  async linkEpisodes(fromUnitId: number, toUnitId: number, relation = 'contextual'): Promise<void> {
    await this.#parts.store.link(fromUnitId, toUnitId, relation);
  }

  async recall(utterance: string, options?: RecallOptions): Promise<RecallResult> {
    return this.#parts.recall.recall(utterance, options);
  }

  async pack(utterance: string, options?: PackOptions): Promise<Pack> {
    return buildPack(this.#parts, utterance, options);
  }

  async remember(unit: NewUnit): Promise<Unit> {
    const parsed = parseInput(newUnitSchema, unit, 'a unit');
    checkText(unitText(parsed.content as Unit));
    const change = { type: 'add', unit: parsed, reason: 'remembered' } as const;
    const [saved] = await this.#parts.store.saveUnits([change], JOB_KINDS);
    if (!saved) throw new MemoryError('STORE_FAILED', 'The store kept nothing.');
    this.#parts.worker.wake();
    return saved;
  }

  async getUnits(unitIds: readonly number[]): Promise<Unit[]> {
    return this.#parts.store.getUnits(unitIds);
  }

  async neighbours(
    unitIds: readonly number[],
    reach: { before: number; after: number } = { before: 1, after: 1 },
  ): Promise<Neighbours[]> {
    return this.#parts.store.neighbours(unitIds, reach);
  }

  async listVersions(unitId: number): Promise<UnitVersion[]> {
    return this.#parts.store.listVersions(unitId);
  }

  async *readTurns(): AsyncGenerator<Turn> {
    for (let afterId = 0; ;) {
      const turns = await this.#parts.store.readTurns({ afterId, limit: TURNS_PER_PAGE });
      const last = turns.at(-1);
      if (!last) return;
      yield* turns;
      afterId = last.id;
    }
  }

  async settle(onProgress?: (done: number) => void): Promise<void> {
    await this.#parts.worker.drain(onProgress);
    await this.#parts.recall.settled();
  }

  async retryFailed(): Promise<number> {
    const count = await this.#parts.store.jobs.retryFailed(this.#parts.now());
    this.#parts.worker.wake();
    return count;
  }

  async verify(): Promise<Verification> {
    return this.#parts.store.verify();
  }

  async rebuild(
    what: 'indexes' | 'units' = 'indexes',
    options: { vectors?: boolean; onProgress?: (done: number, total: number) => void } = {},
  ): Promise<RebuildReport> {
    const { store, embedder, now } = this.#parts;
    const model = await store.vectors.model();
    const isOtherModel = embedder !== null && model !== null && model.id !== embedder.id;
    const report = await store.rebuild(what, {
      jobKinds: JOB_KINDS,
      now: now(),
      dropVectors: options.vectors === true || isOtherModel,
      ...(options.onProgress && { onProgress: options.onProgress }),
    });
    // What failed with the model before may succeed with this one.
    await store.jobs.retryFailed(now());
    this.#parts.worker.wake();
    return report;
  }

  async info(): Promise<StoreInfo & { embedder: string | null }> {
    return { ...(await this.#parts.store.info()), embedder: this.#parts.embedder?.id ?? null };
  }

  /** However often it is called, each caller waits until it is closed. */
  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    await this.#parts.worker.stop();
    await this.#parts.recall.settled();
    await this.#parts.store.close();
  }

  #intake() {
    return { store: this.#parts.store, now: this.#parts.now, jobKinds: JOB_KINDS };
  }

  async #ingestAll(
    items: Iterable<IncomingItem> | AsyncIterable<IncomingItem>,
    options: IngestOptions,
  ): Promise<IngestReport> {
    if (this.#closed) throw new MemoryError('CLOSED');
    const report = await ingestAll(this.#intake(), items, options);
    this.#parts.worker.wake();
    return report;
  }
}

async function* numbered(turns: Iterable<NewTurn> | AsyncIterable<NewTurn>): AsyncGenerator<IncomingItem> {
  let count = 0;
  for await (const turn of turns) yield { type: 'turn', turn, place: `turn ${(count += 1)}` };
}
