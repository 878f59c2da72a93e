/** The parts of an open memory, and its background work. */
import { createWorker, OFF_RECORD, type Outage, type Worker, type WorkerEvent } from '../derive/derive.ts';
import { ingestAll, ingestTurn, type SensitivePolicy } from '../ingest/ingest.ts';
import type { Embedder, FormBreaker, LanguageModel, Reranker } from '../llm/llm.ts';
import {
  clearWordCaches,
  checkText,
  MemoryError,
  newUnitSchema,
  parseInput,
  unitText,
  type Instant,
  type NewTurn,
  type NewUnit,
  type Unit,
} from '../model/model.ts';
import type { OrganizeParts } from '../organize/organize.ts';
import {
  createRecall,
  type DocumentReader,
  type Profile,
  type Recall,
  type RecallDependencies,
} from '../recall/recall.ts';
import type { AddedTurn, Store, UnitChange } from '../store/store.ts';
import { maskFound } from '../text/text.ts';
import { ErasureWatch } from './erasureWatch.ts';
import { examine, higher, sensitivityAfter } from './maskPolicy.ts';
import type { Retention } from './retention.ts';
import type { Archiving, ArchiveState } from './archiving/archiving.ts';
import type { Checkpoints } from './checkpoints/checkpoints.ts';
import type { ForegroundPriority, PendingWork } from '../async/async.ts';
import type { JobService, MemoryInternals } from './internals.ts';
import type { MemoryOptions } from './memory.ts';
import { openMemoryNotes, type MemoryNotes } from './memoryNotes.ts';
import { createOverview, type Overview } from './overview/overview.ts';
import { VectorKeeper } from './vectorKeeper.ts';
import { Trials, type Trial, type TrialRequest } from './trials/trials.ts';
import { warmUp } from './warmUp.ts';

export interface MemoryParts {
  readonly store: Store;
  readonly now: () => Instant;
  /** The current embedder, for immediate use. */
  readonly embedder: EmbedderHolder;
  readonly reranker: Reranker | null;
  readonly model: ModelHolder;
  readonly foregroundPriority: ForegroundPriority;
  /** A cache of documents, shared by all requests. */
  readonly reader: DocumentReader;
  /** Runs all jobs except those that make vectors. */
  readonly learner: Worker;
  /** Models and purposes that are currently not tried, because replies did not fit. */
  readonly breaker: FormBreaker;
  /** Conversations that are waiting for a reply. */
  readonly replies: PendingWork;
  /** Kinds of job to create for a new episode. */
  readonly episodeJobKinds: readonly string[];
  readonly organize: OrganizeParts;
  readonly profiles: readonly Profile[];
  readonly checkpoints: Checkpoints;
  readonly archiving: Archiving;
  readonly retention: Retention;
  readonly onWorkerEvent: (event: WorkerEvent) => void;
  /** Folder of the memory's files. */
  readonly dataDir: string;
  readonly options: Pick<
    MemoryOptions,
    'worker' | 'notes' | 'store' | 'sensitive' | 'onRecall' | 'recall' | 'onIngest' | 'onNotes'
  >;
}

/** The current embedder, which can be changed at any time. */
export interface EmbedderHolder {
  current: Embedder | null;
}

/** The current language model, which can be changed at any time. */
export interface ModelHolder {
  current: LanguageModel | null;
}

/** Kinds of job to create for a unit whose text changed. */
export const UNIT_JOB_KINDS = ['embed'] as const;
/** Learning from a turn is delayed by this, since the user waits for the answer first. */
const WAKE_DELAY_MS = 250;
/** The most jobs that are resumed when another model is set. */
/** Time that jobs have to end before something is forgotten. */
const LEARNING_GRACE_MS = 500;
const MAX_RESUMED = 10_000;
/** Estimated size of an open memory without its caches, and of a cached document. */
const OPEN_BYTES = 30_000;
const DOCUMENT_BYTES = 1_000;
/** The part of a document in typed arrays, outside of V8's heap. */
const DOCUMENT_ARRAY_BYTES = 600;

export class MemoryCore implements MemoryInternals {
  readonly parts: MemoryParts;
  readonly vectors: VectorKeeper;
  readonly overview: Overview;
  readonly #services = new Set<Worker>();
  readonly #wakeListeners: (() => void)[] = [];
  readonly #trials = new Trials();
  readonly #erasures: ErasureWatch;
  readonly #caches: { clear(): void }[] = [];
  #recall: Recall;
  #notes: MemoryNotes | null = null;
  #closed: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #warming: Promise<void> | undefined;
  /** The timer that wakes the workers. */
  #waking: NodeJS.Timeout | undefined;

  constructor(parts: MemoryParts) {
    const { store, now, embedder, options } = parts;
    this.parts = parts;
    this.overview = createOverview(store);
    this.#erasures = new ErasureWatch(store, () => this.dropCaches());
    this.vectors = new VectorKeeper(embedder.current, {
      store,
      now,
      works: options.worker !== false,
      whenIdle: () => parts.foregroundPriority.whenIdle(),
      onEvent: parts.onWorkerEvent,
      onSwitch: (next) => {
        embedder.current = next;
        this.#recall = this.#createRecall(next);
      },
    });
    this.#recall = this.#createRecall(embedder.current);
  }

  get store(): Store {
    return this.parts.store;
  }

  /** A recall with the current embedder. */
  get recall(): Recall {
    return this.#recall;
  }

  get notes(): MemoryNotes | null {
    return this.#notes;
  }

  /** Call once, when everything is open. */
  start(): void {
    this.#erasures.start();
    if (this.parts.options.worker === false) return;
    this.parts.learner.start();
    this.vectors.start();
    this.parts.archiving.start();
  }

  /** Call once, before the memory is used. @throws MemoryError INVALID_INPUT */
  async openNotes(roots: NonNullable<MemoryOptions['notes']>): Promise<void> {
    const { store, now, embedder, options } = this.parts;
    this.#notes = await openMemoryNotes({
      store,
      now,
      roots,
      isWatching: options.worker !== false,
      embedder: () => embedder.current,
      recall: (query, recallOptions) => this.#recall.recall(query, recallOptions),
      unitJobKinds: UNIT_JOB_KINDS,
      policy: () => this.sensitivePolicy,
      onChange: (report) => {
        options.onNotes?.(report);
        this.wake();
      },
    });
  }

  wake(): void {
    clearTimeout(this.#waking);
    this.#waking = undefined;
    this.parts.learner.wake();
    this.vectors.wake();
    for (const service of this.#services) service.wake();
    for (const listener of this.#wakeListeners) listener();
  }

  onWake(listener: () => void): void {
    this.#wakeListeners.push(listener);
  }

  get cachedBytes(): number {
    const { store, reader } = this.parts;
    return OPEN_BYTES + store.copiedBytes + DOCUMENT_BYTES * reader.size;
  }

  get cachedHeapBytes(): number {
    const { store, reader } = this.parts;
    return this.cachedBytes - store.copiedArrayBytes - DOCUMENT_ARRAY_BYTES * reader.size;
  }

  addCache(cache: { clear(): void }): void {
    this.#caches.push(cache);
  }

  dropCaches(): void {
    clearWordCaches();
    for (const cache of this.#caches) cache.clear();
    this.store.forgetting.dropCaches();
    this.parts.reader.clear();
    this.#trials.clear();
    this.overview.dropCaches();
  }

  async addTurn(turn: NewTurn): Promise<AddedTurn> {
    const added = await ingestTurn(this.#intake(), turn);
    if (turn.remember === false && added.isNew) await this.#takeOffRecord(added.unitId);
    this.#ingested(added.isNew ? 1 : 0);
    return added;
  }

  readonly addAll: MemoryInternals['addAll'] = async (items, { learns = true, ...options }) => {
    if (this.#closed) throw new MemoryError('CLOSED');
    const intake = learns ? this.#intake() : { ...this.#intake(), jobKinds: UNIT_JOB_KINDS };
    const report = await ingestAll(intake, items, options);
    this.#ingested(report.added);
    return report;
  };

  /** @throws MemoryError INVALID_INPUT, EMPTY_TEXT, TEXT_TOO_LONG, INVALID_TEXT */
  async addUnit(unit: NewUnit): Promise<Unit> {
    const parsed = parseInput(newUnitSchema, unit, 'a unit');
    checkText(unitText(parsed.content));
    const policy = this.sensitivePolicy;
    const { stated: content, sensitivity } = examine(parsed.content, policy);
    const topicTags = policy === 'mask' ? parsed.topicTags.map(maskFound) : parsed.topicTags;
    const added = { ...parsed, content, topicTags, sensitivity: higher(parsed.sensitivity, sensitivity) };
    return this.saveExamined({ type: 'add', unit: added, reason: 'remembered' });
  }

  get sensitivePolicy(): SensitivePolicy {
    const { sensitive = 'mask' } = this.parts.options;
    return typeof sensitive === 'function' ? sensitive() : sensitive;
  }

  /** @throws MemoryError SENSITIVE_TEXT, and what the store throws */
  async saveUnit(change: UnitChange): Promise<Unit> {
    return this.saveExamined(await this.#examined(this.#masked(change)));
  }

  /** Saves it as it is: what is in it was examined by a person, or by the caller. */
  async saveExamined(change: UnitChange): Promise<Unit> {
    const { content, notes } = change.type === 'update' ? change.set : {};
    const isMasked = notes?.masks !== undefined;
    const changesWords =
      change.type !== 'update' || content !== undefined || notes?.imageSummary !== undefined || isMasked;
    const isLearntAnew = isMasked || (await this.#isRevived(change));
    const kinds = isLearntAnew ? this.parts.episodeJobKinds : UNIT_JOB_KINDS;
    const [saved] = await this.parts.store.units.save([change], changesWords || isLearntAnew ? kinds : []);
    if (!saved) throw new MemoryError('STORE_FAILED', 'The store kept nothing.');
    this.wake();
    return saved;
  }

  /** The description of an image is not stored elsewhere: personal data in it is masked permanently. */
  #masked(change: UnitChange): UnitChange {
    if (change.type !== 'update' || !change.set.notes?.imageSummary || this.sensitivePolicy !== 'mask')
      return change;
    const notes = { ...change.set.notes, imageSummary: maskFound(change.set.notes.imageSummary) };
    return { ...change, set: { ...change.set, notes } };
  }

  /** New words of a unit are examined; what was masked in the old ones stays masked. */
  async #examined(change: UnitChange): Promise<UnitChange> {
    if (change.type !== 'update' || !change.set.content) return change;
    const [before] = await this.store.units.get([change.unitId]);
    if (!before || before.kind === 'episode') return change;
    const examined = examine(change.set.content, this.sensitivePolicy, before);
    const sensitivity = change.set.sensitivity ?? sensitivityAfter(examined, before);
    return { ...change, set: { ...change.set, content: examined.stated, sensitivity } };
  }

  /** If the process ends before this, the job that learns from the episode does the same. */
  async #takeOffRecord(unitId: number): Promise<void> {
    const set = { state: 'archived' } as const;
    await this.parts.store.units.save([{ type: 'update', unitId, set, reason: OFF_RECORD }]);
  }

  /** Whether an archived episode is reactivated: it may not have been learnt from. */
  async #isRevived(change: UnitChange): Promise<boolean> {
    const state = change.type === 'update' ? change.set.state : undefined;
    if (change.type !== 'update' || state === undefined || state === 'archived') return false;
    const [unit] = await this.store.units.get([change.unitId]);
    return unit?.kind === 'episode' && unit.state === 'archived';
  }

  async warmUp(): Promise<void> {
    if (this.#closed) throw new MemoryError('CLOSED');
    const { store, reader, embedder, now, foregroundPriority } = this.parts;
    const parts = { store, reader, embedder: embedder.current, now, foregroundPriority };
    this.#warming ??= warmUp(parts, this.#closing.signal);
    await this.#warming;
  }

  serveJobs(service: Parameters<MemoryInternals['serveJobs']>[0]): JobService {
    const { store, now, foregroundPriority, onWorkerEvent } = this.parts;
    const worker = createWorker({
      store,
      now,
      whenIdle: () => foregroundPriority.whenIdle(),
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

  async archiveState(): Promise<ArchiveState> {
    return this.parts.archiving.state();
  }

  async tryRecall(request: TrialRequest): Promise<Trial> {
    return this.#trials.recall(this.#recallParts(this.parts.embedder.current), request);
  }

  beginForegroundWork(): () => void {
    return this.parts.foregroundPriority.begin();
  }

  beginReply(conversationId: string): () => void {
    return this.parts.replies.begin(conversationId);
  }

  /** Runs the work while background work waits. */
  async inForeground<T>(work: () => Promise<T>): Promise<T> {
    const end = this.beginForegroundWork();
    try {
      return await this.store.together(work);
    } finally {
      end();
    }
  }

  setModel(model: LanguageModel | null): void {
    this.parts.model.current = model;
    void this.#resumeJobs().catch(() => {});
  }

  /** Another model may be reachable: jobs that wait for a retry become due now. */
  async #resumeJobs(): Promise<void> {
    const queued = await this.store.jobs.list({ status: 'queued', limit: MAX_RESUMED });
    const failed = queued.filter(({ lastError }) => lastError !== null).map(({ id }) => id);
    if (failed.length > 0) await this.runNow(failed);
    else this.resumeWorkers();
  }

  async runNow(jobIds: readonly number[]): Promise<number> {
    const count = await this.store.jobs.runNow(this.parts.now(), jobIds);
    this.resumeWorkers();
    return count;
  }

  get outages(): readonly Outage[] {
    return [this.parts.breaker, ...this.#workers].flatMap(({ outages }) => outages);
  }

  /** Servers that were unreachable are tried again now. */
  resumeWorkers(): void {
    for (const one of [this.parts.breaker, ...this.#workers]) one.endOutages();
    this.wake();
  }

  /** Runs `work` while nothing is learnt in this process; jobs that take longer than a moment are given back. */
  async withoutLearning<T>(work: () => Promise<T>): Promise<T> {
    const { learner, options } = this.parts;
    await learner.stop(LEARNING_GRACE_MS);
    try {
      return await work();
    } finally {
      if (options.worker !== false && !this.#closed) learner.start();
    }
  }

  async setEmbedder(embedder: Embedder | null): Promise<void> {
    await this.vectors.set(embedder);
  }

  async settle(onProgress?: (done: number) => void): Promise<void> {
    // Topics are found by vectors, and learnt units need vectors, too.
    let before = 0;
    const inAll = (done: number) => onProgress?.(before + done);
    for (const part of [this.vectors, this.parts.learner, this.vectors]) {
      let done = 0;
      await part.drain((count) => inAll((done = count)));
      before += done;
    }
    await this.#recall.settled();
  }

  /** May be called several times; each call waits until the memory is closed. */
  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  /** The store is closed even if something else fails; the first error is thrown. */
  async #close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#waking);
    const { store, checkpoints, archiving, retention } = this.parts;
    const steps = [
      () => retention.stop(),
      () => this.#erasures.stop(),
      () => this.#warming?.catch(() => {}),
      () => this.#notes?.close(),
      () => Promise.all(this.#workers.map((worker) => worker.stop())),
      () => this.#recall.settled(),
      () => checkpoints.signAdded(),
      () => archiving.stop(),
      () => store.close(),
    ];
    const failures: unknown[] = [];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  #intake() {
    const { store, now, episodeJobKinds } = this.parts;
    return { store, now, jobKinds: episodeJobKinds, sensitive: this.sensitivePolicy };
  }

  get #workers(): readonly (Worker | VectorKeeper)[] {
    return [this.parts.learner, this.vectors, ...this.#services];
  }

  /** Called after turns were added: reports them, and wakes the workers a little later. */
  #ingested(added: number): void {
    this.parts.options.onIngest?.(added);
    this.parts.checkpoints.noteAdded(added);
    this.#waking ??= setTimeout(() => this.wake(), WAKE_DELAY_MS).unref();
  }

  #createRecall(embedder: Embedder | null): Recall {
    const { onRecall } = this.parts.options;
    return createRecall({ ...this.#recallParts(embedder), ...(onRecall && { onRecall }) });
  }

  #recallParts(embedder: Embedder | null): RecallDependencies {
    const { store, reader, reranker, model, now, profiles, options } = this.parts;
    const defaults = typeof options.recall === 'object' ? options.recall : {};
    return {
      store,
      reader,
      embedder,
      reranker,
      model: () => model.current,
      profiles,
      defaults: typeof options.recall === 'function' ? options.recall : () => defaults,
      now,
    };
  }
}
