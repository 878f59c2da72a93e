/** The worker as a separate process, for a server that runs none. */
import { clearWordCaches, makeDataFolder, messageOf } from '../model/model.ts';
import { join } from 'node:path';
import { internals, memoriesWithWork, type Memory } from '../engine/engine.ts';
import type { Settings } from '../settings/settings.ts';
import { Link } from './link.ts';
import { logWork, type Log } from './log.ts';
import { Models, type ModelOverrides } from './models.ts';
import { openWithModels, useModels, type OpeningOptions, type SharedOptions } from './opening.ts';

export interface WorkerOptions extends SharedOptions {
  readonly dataDir: string;
  /** Owned by the caller, who closes them. */
  readonly settings: Settings;
  /** Only the jobs of this memory; default: of every memory in the folder, including new ones. */
  readonly memoryId?: string;
  /** The file for requests and replies of models while tracing is enabled; default: `trace.jsonl` in the folder. */
  readonly traceFile?: string;
  readonly modelOverrides?: ModelOverrides;
  readonly log: Log;
}

export interface RunningWorker {
  /** Waits for running jobs, or returns them to the queue, and closes the memories. */
  stop(): Promise<void>;
}

/** How often new memories are looked for. */
const POLL_INTERVAL_MS = 2_000;
/** Maximum number of memories of a database that are open at the same time. */
const MAX_OPEN = 64;
/** A memory of a database is closed after this time without work. */
const IDLE_MS = 30_000;

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { dataDir, store, settings, log } = options;
  makeDataFolder(dataDir);
  const models = new Models({
    settings,
    overrides: options.modelOverrides ?? {},
    onCall: () => {},
    traceFile: options.traceFile ?? join(dataDir, 'trace.jsonl'),
    log,
  });
  const opening: OpeningOptions = {
    ...options,
    worker: true,
    models,
    now: Date.now,
    onWorkerEvent: (event) => logWork(log, event),
  };
  const memories = new WorkerMemories(opening, options, (memoryId) => link.broadcasts?.changed(memoryId));
  const link = new Link({
    place: { dataDir, store },
    log,
    listener: {
      onChange: (memoryId) => memories.wake(memoryId),
      onEvent: () => {},
      onMessage: () => {},
      onErased: (memoryId) => memories.dropCaches(memoryId),
      onBreak() {
        memories.dropCaches();
        memories.wake();
      },
    },
  });
  models.subscribe(() => void memories.useModels());
  await memories.openWithWork();
  const timer = setInterval(() => void memories.openWithWork(), POLL_INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      await memories.stop();
      await link.stop();
      models.stop();
    },
  };
}

class WorkerMemories {
  readonly #opening: OpeningOptions;
  readonly #options: WorkerOptions;
  readonly #onWork: (memoryId: string) => void;
  readonly #memories = new Map<string, Memory>();
  /** When each memory had work last. */
  readonly #workedAt = new Map<string, number>();
  /** Memories that could not be opened, each reported once. */
  readonly #unopened = new Set<string>();
  #updating: Promise<void> | null = null;
  #isStopped = false;

  /** @param onWork called with memories in which work was done */
  constructor(opening: OpeningOptions, options: WorkerOptions, onWork: (memoryId: string) => void) {
    this.#opening = opening;
    this.#options = options;
    this.#onWork = onWork;
  }

  /** Another process changed a memory, or any: looks for new jobs, also in a new memory. */
  wake(memoryId?: string): void {
    const memories = memoryId === undefined ? [...this.#memories.values()] : [this.#memories.get(memoryId)];
    for (const memory of memories) if (memory) internals(memory).wake();
    if (memories.includes(undefined)) void this.openWithWork();
  }

  /** Another process erased data of a memory, or any. */
  dropCaches(memoryId?: string): void {
    clearWordCaches();
    const memories = memoryId === undefined ? this.#memories.values() : [this.#memories.get(memoryId)];
    for (const memory of memories) if (memory) internals(memory).dropCaches();
  }

  /** Opens memories with work, and closes those of a database that have had none for a while. */
  async openWithWork(): Promise<void> {
    if (this.#isStopped) return;
    this.#updating ??= this.#updateOpen().finally(() => {
      this.#updating = null;
    });
    await this.#updating;
  }

  async useModels(): Promise<void> {
    for (const memory of this.#memories.values()) await useModels(memory, this.#opening);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#updating;
    await Promise.all([...this.#memories.values()].map((memory) => memory.close()));
  }

  async #updateOpen(): Promise<void> {
    const { memoryId: only, store } = this.#options;
    const withWork = await this.#listWithWork();
    if (!withWork) return;
    const wanted = withWork.filter((memoryId) => only === undefined || memoryId === only);
    if (store !== undefined) {
      for (const memoryId of wanted) this.#workedAt.set(memoryId, Date.now());
      await this.#closeIdle();
    }
    for (const memoryId of wanted) {
      if (this.#isStopped) return;
      if (this.#memories.has(memoryId)) continue;
      if (store !== undefined && this.#memories.size >= MAX_OPEN) return;
      await this.#open(memoryId);
    }
  }

  async #open(memoryId: string): Promise<void> {
    const { log } = this.#options;
    try {
      this.#memories.set(memoryId, await openWithModels(this.#optionsOf(memoryId), memoryId));
    } catch (error) {
      const isFirst = !this.#unopened.has(memoryId);
      this.#unopened.add(memoryId);
      if (isFirst) log(`The memory ${memoryId} cannot be opened: ${messageOf(error)}`, 'error');
    }
  }

  /** An idle memory needs no worker: it is opened again when a job is due. */
  async #closeIdle(): Promise<void> {
    const isFull = this.#memories.size >= MAX_OPEN;
    for (const [memoryId, memory] of this.#memories) {
      const idleMs = Date.now() - (this.#workedAt.get(memoryId) ?? 0);
      if (idleMs < (isFull ? POLL_INTERVAL_MS : IDLE_MS) || !(await isIdle(memory))) continue;
      this.#memories.delete(memoryId);
      this.#workedAt.delete(memoryId);
      await memory.close();
    }
  }

  #optionsOf(memoryId: string): OpeningOptions {
    return {
      ...this.#opening,
      onWorkerEvent: (event) => {
        this.#opening.onWorkerEvent?.(event);
        this.#workedAt.set(memoryId, Date.now());
        this.#onWork(memoryId);
      },
    };
  }

  /** Null while the folder or the database cannot be read. */
  async #listWithWork(): Promise<string[] | null> {
    const modelId = this.#opening.models.embedder?.id;
    try {
      return await memoriesWithWork(this.#options, { now: Date.now(), modelId });
    } catch {
      return null;
    }
  }
}

/** Whether no job is running, here or elsewhere, and no vectors are being replaced. False when that cannot be determined. */
async function isIdle(memory: Memory): Promise<boolean> {
  const { jobs, indexes } = internals(memory).store;
  try {
    const running = await jobs.list({ status: 'running', limit: 1 });
    return running.length === 0 && (await indexes.vectors.nextModel()) === null;
  } catch {
    return false;
  }
}
