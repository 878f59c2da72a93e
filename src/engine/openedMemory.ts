import { isDeepStrictEqual } from 'node:util';
import {
  createWorker,
  factHistory,
  type FactPeriod,
  type Worker,
  type WorkerEvent,
} from '../derive/derive.ts';
import {
  ingestAll,
  ingestTurn,
  readConversationFile,
  type ImportFormat,
  type IncomingItem,
  type IngestOptions,
  type IngestReport,
} from '../ingest/ingest.ts';
import type { Embedder, LanguageModel, Reranker } from '../llm/llm.ts';
import {
  checkText,
  MemoryError,
  newUnitSchema,
  parseInput,
  reorganizationPlanSchema,
  unitText,
  type Checkpoint,
  type Instant,
  type JournalEntry,
  type NewTurn,
  type NewUnit,
  type ReorganizationPlan,
  type Turn,
  type Unit,
  type UnitVersion,
} from '../model/model.ts';
import { applyPlan, describePlan, planReorganization, type OrganizeParts } from '../organize/organize.ts';
import { buildPack, type Pack, type PackOptions } from '../pack/pack.ts';
import {
  createRecall,
  type DocumentReader,
  type AutoRecallOptions,
  type Bundle,
  type Exploration,
  type ExploreOptions,
  type ExploreQuery,
  type Profile,
  type Recall,
  type RecallOptions,
  type RecallResult,
} from '../recall/recall.ts';
import type {
  AppendedTurn,
  ConversationInfo,
  EntityTable,
  Neighbours,
  RebuildReport,
  Store,
  UnitChange,
  Verification,
} from '../store/store.ts';
import type { NotesAccess } from '../notes/notes.ts';
import type { CatchUp } from './catchUp.ts';
import { makeCheckpoint, makeCheckpointIfDue, verifySigner } from './checkpoints.ts';
import { openJobAccess, resumeJobs } from './jobAccess.ts';
import type { JobAccess, JobService, Memory, MemoryInfo, MemoryOptions, TopicAccess } from './memory.ts';
import { openMemoryNotes, type MemoryNotes } from './memoryNotes.ts';
import type { ForegroundPriority } from '../async/async.ts';
import { VectorKeeper } from './vectorKeeper.ts';
import { warmUp } from './warmUp.ts';

export interface MemoryParts {
  readonly store: Store;
  readonly now: () => Instant;
  /** What makes vectors, for whoever needs one at once. */
  readonly embedder: EmbedderHolder;
  readonly reranker: Reranker | null;
  readonly model: ModelHolder;
  readonly foregroundPriority: ForegroundPriority;
  /** What was read stays read for whoever asks. */
  readonly reader: DocumentReader;
  readonly catchUp: CatchUp;
  /** Carries out everything but vectors. */
  readonly learner: Worker;
  /** Kinds of job that a new episode calls for. */
  readonly episodeJobKinds: readonly string[];
  readonly organize: OrganizeParts;
  readonly profiles: readonly Profile[];
  /** Where the key lies that signs checkpoints. */
  readonly signingKeyPath: string;
  readonly onWorkerEvent: (event: WorkerEvent) => void;
  readonly options: Pick<MemoryOptions, 'worker' | 'onRecall' | 'onIngest' | 'onNotes'>;
}

/** The embedder in use, which may be changed at any time. */
export interface EmbedderHolder {
  current: Embedder | null;
}

/** The language model in use, which may be changed at any time. */
export interface ModelHolder {
  current: LanguageModel | null;
}

/** Kinds of job that a unit with new words calls for. */
export const UNIT_JOB_KINDS = ['embed'] as const;
/** Whoever said something waits for an answer: what is learnt from it can wait that long. */
const WAKE_DELAY_MS = 250;
const TURNS_PER_PAGE = 1_000;
/** Entries of the journal in which a plan is looked for that was carried out before. */
const ENTRIES_SEEN = 20;

export class OpenedMemory implements Memory {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly jobs: JobAccess;
  readonly #parts: MemoryParts;
  readonly #vectors: VectorKeeper;
  readonly #services = new Set<Worker>();
  #recall: Recall;
  #notes: MemoryNotes | null = null;
  #closed: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #warming: Promise<void> | undefined;
  /** The reorganisation asked for last: one begins when the one before has ended. */
  #reorganizing: Promise<unknown> = Promise.resolve();
  /** Wakes the workers. */
  #waking: NodeJS.Timeout | undefined;

  constructor(parts: MemoryParts) {
    const { store, now, embedder, options } = parts;
    this.#parts = parts;
    this.memoryId = store.memoryId;
    this.timeZone = store.timeZone;
    this.#vectors = new VectorKeeper(embedder.current, {
      store,
      now,
      works: options.worker !== false,
      whenIdle: () => parts.foregroundPriority.free(),
      onEvent: parts.onWorkerEvent,
      onSwitch: (next) => {
        embedder.current = next;
        this.#recall = this.#createRecall(next);
      },
    });
    this.#recall = this.#createRecall(embedder.current);
    const workers = () => [parts.learner, this.#vectors, ...this.#services];
    this.jobs = openJobAccess(store, now, { wake: () => this.#wake(), list: workers });
    if (options.worker !== false) {
      parts.learner.start();
      this.#vectors.start();
    }
  }

  get entities(): EntityTable {
    return this.#parts.store.entities;
  }

  get notes(): NotesAccess | null {
    return this.#notes?.access ?? null;
  }

  get topics(): TopicAccess {
    return this.#parts.store.topics;
  }

  get journal(): Memory['journal'] {
    return this.#parts.store.journal;
  }

  /** Once, before anybody works with the memory. @throws MemoryError INVALID_INPUT */
  async openNotes(roots: NonNullable<MemoryOptions['notes']>): Promise<void> {
    const { store, now, embedder, options } = this.#parts;
    this.#notes = await openMemoryNotes({
      store,
      now,
      roots,
      isWatching: options.worker !== false,
      embedder: () => embedder.current,
      recall: (query, recallOptions) => this.recall(query, recallOptions),
      unitJobKinds: UNIT_JOB_KINDS,
      onChange: (report) => {
        options.onNotes?.(report);
        this.#wake();
      },
    });
  }

  async ingestTurn(turn: NewTurn): Promise<AppendedTurn> {
    const appended = await ingestTurn(this.#intake(), turn);
    this.#ingested(appended.isNew ? 1 : 0);
    this.#parts.catchUp.soon(appended.unitId);
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
    return this.#recall.recall(utterance, options);
  }

  async autoRecall(utterance: string, options?: AutoRecallOptions): Promise<Bundle> {
    return this.#recall.autoRecall(utterance, options);
  }

  async explore(query: ExploreQuery, options?: ExploreOptions): Promise<Exploration> {
    return this.#recall.explore(query, options);
  }

  async factHistory(factId: number): Promise<FactPeriod[]> {
    return factHistory(this.#parts.store, factId);
  }

  async pack(utterance: string, options?: PackOptions): Promise<Pack> {
    const { store, now } = this.#parts;
    return buildPack({ store, now, recall: this.#recall }, utterance, options);
  }

  async warmUp(): Promise<void> {
    if (this.#closed) throw new MemoryError('CLOSED');
    const { store, reader, embedder, now, foregroundPriority } = this.#parts;
    const parts = { store, reader, embedder: embedder.current, now, foregroundPriority };
    this.#warming ??= warmUp(parts, this.#closing.signal);
    await this.#warming;
  }

  async remember(unit: NewUnit): Promise<Unit> {
    const parsed = parseInput(newUnitSchema, unit, 'a unit');
    checkText(unitText(parsed.content as Unit));
    return this.#saveUnit({ type: 'add', unit: parsed, reason: 'remembered' });
  }

  async getUnits(unitIds: readonly number[]): Promise<Unit[]> {
    return this.#parts.store.getUnits(unitIds);
  }

  async listUnits(...query: Parameters<Store['listUnits']>): Promise<Unit[]> {
    return this.#parts.store.listUnits(...query);
  }

  async changeUnit(change: Exclude<UnitChange, { type: 'add' }>): Promise<Unit> {
    if (change.type === 'update' && change.set.content) checkText(unitText(change.set.content as Unit));
    return this.#saveUnit(change);
  }

  async listVersions(unitId: number): Promise<UnitVersion[]> {
    return this.#parts.store.listVersions(unitId);
  }

  async neighbours(
    unitIds: readonly number[],
    reach: { before: number; after: number } = { before: 1, after: 1 },
  ): Promise<Neighbours[]> {
    return this.#parts.store.neighbours(unitIds, reach);
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

  async recentTurns(...query: Parameters<Store['recentTurns']>): Promise<Turn[]> {
    return this.#parts.store.recentTurns(...query);
  }

  async listConversations(...query: Parameters<Store['listConversations']>): Promise<ConversationInfo[]> {
    return this.#parts.store.listConversations(...query);
  }

  serveJobs(service: Parameters<Memory['serveJobs']>[0]): JobService {
    const { store, now, foregroundPriority, onWorkerEvent } = this.#parts;
    const worker = createWorker({
      store,
      now,
      whenIdle: () => foregroundPriority.free(),
      derivations: [service],
      onEvent: onWorkerEvent,
    });
    this.#services.add(worker);
    worker.start();
    return {
      wake: () => worker.wake(),
      stop: async () => {
        await worker.stop();
        this.#services.delete(worker);
      },
    };
  }

  beginForegroundWork(): () => void {
    return this.#parts.foregroundPriority.take();
  }

  setModel(model: LanguageModel | null): void {
    this.#parts.model.current = model;
    void resumeJobs(this.jobs).catch(() => {});
  }

  async setEmbedder(embedder: Embedder | null): Promise<void> {
    await this.#vectors.set(embedder);
  }

  async settle(onProgress?: (done: number) => void): Promise<void> {
    // Topics are found by vectors, and what is learnt is given vectors in turn.
    let before = 0;
    const inAll = (done: number) => onProgress?.(before + done);
    for (const part of [this.#vectors, this.#parts.learner, this.#vectors]) {
      let done = 0;
      await part.drain((count) => inAll((done = count)));
      before += done;
    }
    await this.#recall.settled();
  }

  async planReorganization(): Promise<{ plan: ReorganizationPlan; lines: string[] }> {
    const { organize } = this.#parts;
    const plan = await planReorganization(organize);
    return { plan, lines: await describePlan(organize.store, plan) };
  }

  async describePlan(plan: ReorganizationPlan): Promise<string[]> {
    return describePlan(this.#parts.store, parseInput(reorganizationPlanSchema, plan, 'a plan'));
  }

  async reorganize(plan?: ReorganizationPlan): Promise<JournalEntry> {
    const done = this.#reorganizing.then(() => this.#reorganize(plan));
    this.#reorganizing = done.catch(() => null);
    return done;
  }

  async #reorganize(given: ReorganizationPlan | undefined): Promise<JournalEntry> {
    const { organize } = this.#parts;
    const plan = given
      ? parseInput(reorganizationPlanSchema, given, 'a plan')
      : await planReorganization(organize);
    if (given) await this.#checkNotDone(plan);
    const entry = await applyPlan(organize, plan, { key: null });
    this.#wake();
    return entry;
  }

  /** What only adds would be added twice. */
  async #checkNotDone(plan: ReorganizationPlan): Promise<void> {
    const entries = await this.#parts.store.journal.list({ limit: ENTRIES_SEEN });
    const done = entries.find((entry) => entry.state === 'applied' && isDeepStrictEqual(entry.plan, plan));
    if (!done) return;
    throw new MemoryError('VERSION_CONFLICT', `Entry ${done.id} of the journal has carried out this plan.`, {
      entryId: done.id,
    });
  }

  async rollback(entryId: number): Promise<JournalEntry> {
    const entry = await this.#parts.store.journal.rollback(entryId);
    this.#wake();
    return entry;
  }

  async verify(): Promise<Verification> {
    const { store, signingKeyPath } = this.#parts;
    return verifySigner(await store.verify(), await store.listCheckpoints(), signingKeyPath);
  }

  async checkpoint(): Promise<Checkpoint | null> {
    const { store, signingKeyPath, now } = this.#parts;
    return makeCheckpoint(store, signingKeyPath, now());
  }

  async rebuild(
    what: 'indexes' | 'units' = 'indexes',
    options: { vectors?: boolean; onProgress?: (done: number, total: number) => void } = {},
  ): Promise<RebuildReport> {
    const { store, now, episodeJobKinds } = this.#parts;
    const { embedder } = this.#vectors;
    const model = await store.vectors.model();
    const isOtherModel = embedder !== null && model !== null && model.id !== embedder.id;
    const report = await store.rebuild(what, {
      jobKinds: what === 'units' ? episodeJobKinds : UNIT_JOB_KINDS,
      now: now(),
      dropVectors: options.vectors === true || isOtherModel,
      ...(options.onProgress && { onProgress: options.onProgress }),
    });
    // What failed with the model before may succeed with this one.
    await store.jobs.retryFailed(now());
    this.#wake();
    return report;
  }

  async info(): Promise<MemoryInfo> {
    const { store, model } = this.#parts;
    const [info, nextVectorModel] = await Promise.all([store.info(), store.vectors.nextModel()]);
    const embedder = this.#vectors.embedder?.id ?? null;
    return { ...info, embedder, nextVectorModel, model: model.current?.id ?? null };
  }

  /** However often it is called, each caller waits until it is closed. */
  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await this.#warming?.catch(() => {});
    await this.#notes?.close();
    clearTimeout(this.#waking);
    await this.#parts.catchUp.stop();
    const workers = [this.#parts.learner, this.#vectors, ...this.#services];
    await Promise.all(workers.map((worker) => worker.stop()));
    await this.#recall.settled();
    const { store, signingKeyPath, now } = this.#parts;
    await makeCheckpointIfDue(store, signingKeyPath, now());
    await store.close();
  }

  #createRecall(embedder: Embedder | null): Recall {
    const { store, reader, reranker, model, now, profiles, options } = this.#parts;
    return createRecall({
      store,
      reader,
      embedder,
      reranker,
      model: () => model.current,
      profiles,
      now,
      ...(options.onRecall && { onRecall: options.onRecall }),
    });
  }

  async #saveUnit(change: UnitChange): Promise<Unit> {
    const { content, notes } = change.type === 'update' ? change.set : {};
    const changesWords =
      change.type !== 'update' || content !== undefined || notes?.imageSummary !== undefined;
    const [saved] = await this.#parts.store.saveUnits([change], changesWords ? UNIT_JOB_KINDS : []);
    if (!saved) throw new MemoryError('STORE_FAILED', 'The store kept nothing.');
    this.#wake();
    return saved;
  }

  #wake(): void {
    clearTimeout(this.#waking);
    this.#waking = undefined;
    this.#parts.learner.wake();
    this.#vectors.wake();
    for (const service of this.#services) service.wake();
  }

  #ingested(added: number): void {
    this.#parts.options.onIngest?.(added);
    this.#waking ??= setTimeout(() => this.#wake(), WAKE_DELAY_MS).unref();
  }

  #intake() {
    return { store: this.#parts.store, now: this.#parts.now, jobKinds: this.#parts.episodeJobKinds };
  }

  async #ingestAll(
    items: Iterable<IncomingItem> | AsyncIterable<IncomingItem>,
    options: IngestOptions,
  ): Promise<IngestReport> {
    if (this.#closed) throw new MemoryError('CLOSED');
    const report = await ingestAll(this.#intake(), items, options);
    this.#ingested(report.added);
    return report;
  }
}

async function* numbered(turns: Iterable<NewTurn> | AsyncIterable<NewTurn>): AsyncGenerator<IncomingItem> {
  let count = 0;
  for await (const turn of turns) yield { type: 'turn', turn, place: `turn ${(count += 1)}` };
}
