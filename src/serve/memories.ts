/** The memories of a data folder: opened on demand, closed after a long time without use. */
import { getHeapStatistics } from 'node:v8';
import { clearWordCaches, machineMemoryBytes, makeDataFolder, messageOf } from '../model/model.ts';
import { createCompanion, type Companion, type CompanionEvent } from '../companion/companion.ts';
import {
  internals,
  isMemoryError,
  listMemories,
  memoriesWithWork,
  memoryExists,
  MemoryError,
  type Memory,
  type MemoryListing,
  type RecallMetadata,
  type RecallOutcome,
  type WorkerEvent,
} from '../engine/engine.ts';
import { openWithModels, useModels, type OpeningOptions } from './opening.ts';

export interface MemoriesOptions extends Omit<OpeningOptions, 'onRecall'> {
  readonly onRecall?: (memoryId: string, metadata: RecallMetadata, outcome: RecallOutcome) => void;
  /**
   * Memories of a database that are open in a server without a worker are closed when they take more than this; default: a
   * quarter of the machine's memory, of which at most half of V8's heap.
   */
  readonly openMemoriesBytes?: number | undefined;
  /** Called with proactive messages of companions. */
  readonly publish: (memoryId: string, event: CompanionEvent) => void;
  readonly onExchange?: () => void;
  /** Called whenever turns were added or background work was done. */
  readonly onChange: (memoryId: string) => void;
}

/** A memory that stays open until it is released. */
export interface Lease {
  readonly memory: Memory;
  readonly companion: Companion;
  release(): void;
}

export interface ServedMemory extends MemoryListing {
  readonly isOpen: boolean;
}

interface Opened {
  readonly memory: Memory;
  readonly companion: Companion;
}

interface Entry {
  readonly opening: Promise<Opened>;
  /** Null until it is open. */
  opened: Opened | null;
  users: number;
  usedAt: number;
}

/** Maximum number of unused memories that are kept open. */
const MAX_IDLE = 16;
/** A memory that was used within this time is not closed. */
const IDLE_MS = 60_000;
const CLOSE_INTERVAL_MS = 30_000;
/** Maximum number of memories of a database that a server with a worker keeps open, even if they were used recently. */
const MAX_OPEN = 256;
/** Without a worker, their size is checked after this number of openings: it takes a microsecond for each. */
const OPENINGS_PER_CHECK = 64;
const POLL_INTERVAL_MS = 2_000;

export class Memories {
  readonly #options: MemoriesOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #unsubscribe: () => void;
  readonly #closeTimer: NodeJS.Timeout;
  #pollTimer: NodeJS.Timeout | undefined;
  #opening: Promise<void> | null = null;
  #closingUnused: Promise<void> | null = null;
  /** The last memory in the queue for warming up: one after another, so that requests wait for at most one. */
  #warming: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: MemoriesOptions) {
    this.#options = options;
    makeDataFolder(options.dataDir);
    this.#unsubscribe = options.models.subscribe(() => void this.#useModels());
    this.#closeTimer = setInterval(() => void this.closeUnused(), CLOSE_INTERVAL_MS).unref();
  }

  async exists(memoryId: string): Promise<boolean> {
    return this.#entries.has(memoryId) || memoryExists(this.#options, memoryId);
  }

  async list(): Promise<ServedMemory[]> {
    const files = await listMemories(this.#options);
    return files.map((file) => ({ ...file, isOpen: this.#entries.has(file.memoryId) }));
  }

  /**
   * @param creation options for creating a missing memory; absent: it is not created
   * @throws MemoryError NOT_FOUND, CLOSED, and what `openMemory` throws
   */
  async acquire(memoryId: string, creation?: { readonly timeZone?: string }): Promise<Lease> {
    await this.#closing.get(memoryId);
    const entry = this.#entries.get(memoryId) ?? this.#addEntry(memoryId, creation);
    entry.users += 1;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      entry.users -= 1;
      entry.usedAt = this.#options.now();
    };
    try {
      const { memory, companion } = await entry.opening;
      return { memory, companion, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async opened(): Promise<Memory[]> {
    const opened = await Promise.allSettled([...this.#entries.values()].map((entry) => entry.opening));
    return opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value.memory] : []));
  }

  /** The event of a unit of the memory; null: none. @throws MemoryError */
  async eventOf(memoryId: string, unitId: number): Promise<CompanionEvent | null> {
    const lease = await this.acquire(memoryId);
    try {
      const [event] = await lease.companion.eventsAfter(unitId - 1, 1);
      return event?.id === unitId ? event : null;
    } finally {
      lease.release();
    }
  }

  /** Another process changed a memory, or any: looks for new jobs. */
  wake(memoryId?: string): void {
    this.#withOpened(memoryId, (memory) => internals(memory).wake());
  }

  /** Another process erased data of a memory, or any: clears caches. */
  dropCaches(memoryId?: string): void {
    clearWordCaches();
    this.#withOpened(memoryId, (memory) => internals(memory).dropCaches());
  }

  #withOpened(memoryId: string | undefined, use: (memory: Memory) => void): void {
    for (const [id, { opening }] of this.#entries) {
      if (memoryId === undefined || id === memoryId)
        opening.then(({ memory }) => use(memory)).catch(() => {});
    }
  }

  /**
   * Opens memories with unfinished jobs, one after another, so that these continue. In a database another process may add
   * jobs at any time: there they are looked for while the server runs.
   */
  async resume(): Promise<void> {
    const isShared = this.#options.store !== undefined;
    if (isShared && !this.#options.worker) return;
    await this.#openWithWork();
    if (!isShared || this.#isStopped) return;
    this.#pollTimer = setInterval(() => {
      this.#opening ??= this.#openWithWork()
        .catch(() => {})
        .finally(() => (this.#opening = null));
    }, POLL_INTERVAL_MS).unref();
  }

  async #openWithWork(): Promise<void> {
    const { models, now, store } = this.#options;
    for (const memoryId of await memoriesWithWork(this.#options, {
      now: now(),
      modelId: models.embedder?.id,
    })) {
      if (this.#isStopped) return;
      if (store !== undefined && (this.#entries.has(memoryId) || this.#entries.size >= MAX_OPEN)) continue;
      try {
        (await this.acquire(memoryId)).release();
      } catch (error) {
        if (this.#isStopped) return;
        this.#options.log(`The memory ${memoryId} cannot be opened: ${messageOf(error)}`, 'error');
      }
      await this.closeUnused();
    }
  }

  /** Closes the least recently used memories if there are too many and they have no pending work. */
  async closeUnused(): Promise<void> {
    const idle = [...this.#entries]
      .filter(([, entry]) => entry.users === 0)
      .toSorted(([, a], [, b]) => b.usedAt - a.usedAt);
    const { store, now } = this.#options;
    if (this.#isLimitedBySize()) return this.#closeUntilSmall(idle.slice(MAX_IDLE).toReversed());
    const mustClose = store === undefined ? 0 : this.#entries.size - MAX_OPEN;
    for (const [i, [memoryId, entry]] of idle.slice(MAX_IDLE).toReversed().entries()) {
      const isUnused = i < mustClose || entry.usedAt + IDLE_MS <= now();
      if (isUnused && (await isIdle(entry)) && entry.users === 0) await this.#closeEntry(memoryId, entry);
    }
  }

  /** An open memory does nothing by itself without a worker; other processes tell of their changes. */
  #isLimitedBySize(): boolean {
    return this.#options.store !== undefined && !this.#options.worker;
  }

  /** @param unused the least recently used first */
  async #closeUntilSmall(unused: readonly (readonly [string, Entry])[]): Promise<void> {
    const { openMemoriesBytes } = this.#options;
    const limits =
      openMemoriesBytes === undefined ? defaultLimits() : { bytes: openMemoriesBytes, heap: Infinity };
    const used = { bytes: 0, heap: 0 };
    const add = (entry: Entry, sign: 1 | -1) => {
      const { bytes, heap } = sizeOf(entry);
      used.bytes += sign * bytes;
      used.heap += sign * heap;
    };
    for (const entry of this.#entries.values()) add(entry, 1);
    for (const [memoryId, entry] of unused) {
      if (used.bytes <= limits.bytes && used.heap <= limits.heap) return;
      if (entry.users > 0) continue;
      add(entry, -1);
      await this.#closeEntry(memoryId, entry);
    }
  }

  #hasTooMany(): boolean {
    if (this.#options.store === undefined) return false;
    const { size } = this.#entries;
    return this.#isLimitedBySize() ? size % OPENINGS_PER_CHECK === 0 : size > MAX_OPEN + MAX_IDLE;
  }

  /** Accepts no more callers, lets companions finish, returns jobs to the queue, closes files. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    clearInterval(this.#closeTimer);
    clearInterval(this.#pollTimer);
    await this.#opening;
    await Promise.all(
      [...this.#entries].map(([memoryId, entry]) => this.#closeEntry(memoryId, entry, graceMs)),
    );
    await Promise.all(this.#closing.values());
  }

  async #startClosingUnused(): Promise<void> {
    this.#closingUnused ??= this.closeUnused().finally(() => (this.#closingUnused = null));
    await this.#closingUnused;
  }

  #addEntry(memoryId: string, creation: { readonly timeZone?: string } | undefined): Entry {
    if (this.#isStopped) throw new MemoryError('CLOSED', 'The server is stopping.');
    const opening = this.#open(memoryId, creation);
    const entry: Entry = { opening, opened: null, users: 0, usedAt: this.#options.now() };
    this.#entries.set(memoryId, entry);
    opening.then(
      (opened) => (entry.opened = opened),
      () => this.#entries.delete(memoryId),
    );
    if (this.#hasTooMany()) void this.#startClosingUnused();
    return entry;
  }

  async #open(memoryId: string, creation: { readonly timeZone?: string } | undefined): Promise<Opened> {
    if (!creation && !(await memoryExists(this.#options, memoryId))) {
      throw new MemoryError(
        'NOT_FOUND',
        `There is no memory “${memoryId}”. The first turn stored in it creates it.`,
      );
    }
    const { models, publish, now, log, onChange, onWorkerEvent, onIngest, onRecall, onExchange } =
      this.#options;
    const openingOptions: OpeningOptions = {
      ...this.#options,
      onRecall: (metadata, outcome) => onRecall?.(memoryId, metadata, outcome),
      onWorkerEvent(event: WorkerEvent) {
        onWorkerEvent?.(event);
        onChange(memoryId);
      },
      onIngest(added: number) {
        onIngest?.(added);
        onChange(memoryId);
      },
    };
    const memory = await openWithModels(openingOptions, memoryId, creation?.timeZone);
    const companion = createCompanion({
      memory,
      chatModel: () => models.modelFor(memoryId, 'chat'),
      visionModel: () => models.modelFor(memoryId, 'vision'),
      settings: () => models.settingsFor(memoryId),
      publish: (event) => publish(memoryId, event),
      isToldOfChanges: this.#isLimitedBySize(),
      ...(onExchange && { onExchange }),
      onProblem: ({ what, unitId, code }) =>
        log(`${what} of unit ${unitId} in memory ${memoryId} failed: ${code}`, 'warn'),
      now,
    });
    // More are only open for unfinished jobs, and get no requests.
    if (this.#entries.size <= MAX_IDLE) this.#warmUp(memory);
    return { memory, companion };
  }

  /** In the background: a memory answers before it is warm, but more slowly. */
  #warmUp(memory: Memory): void {
    this.#warming = this.#warming
      .then(async () => {
        await internals(memory).warmUp();
        await internals(memory).overview.warmUp();
      })
      .catch((error: unknown) => {
        if (isMemoryError(error, 'CLOSED')) return;
        const { message } = error as Error;
        this.#options.log(`The memory ${memory.memoryId} could not be warmed up: ${message}`, 'warn');
      });
  }

  async #useModels(): Promise<void> {
    for (const memory of await this.opened()) await useModels(memory, this.#options);
  }

  async #closeEntry(memoryId: string, entry: Entry, graceMs?: number): Promise<void> {
    this.#entries.delete(memoryId);
    const closed = entry.opening.then(
      async ({ memory, companion }) => {
        await companion.stop(graceMs);
        await memory.close();
      },
      () => {},
    );
    const closing = closed.finally(() => this.#closing.delete(memoryId));
    this.#closing.set(memoryId, closing);
    await closing;
  }
}

/**
 * Whether no job is waiting or running, and no vectors are being replaced. False when that cannot be determined now.
 * The job for the next night or week does not count: if the memory is closed then, it runs when the memory is opened
 * again.
 */
async function isIdle({ opening }: Entry): Promise<boolean> {
  try {
    const { memory } = await opening;
    const nightly = await memory.jobs.list({ kind: 'reorganize', status: 'queued', limit: 1 });
    const { jobs, indexes } = internals(memory).store;
    const { queued, running } = await jobs.count();
    return queued + running === nightly.length && (await indexes.vectors.nextModel()) === null;
  } catch {
    return false;
  }
}

interface Size {
  readonly bytes: number;
  /** The part of it in V8's heap. */
  readonly heap: number;
}

function sizeOf({ opened }: Entry): Size {
  if (!opened) return { bytes: 0, heap: 0 };
  const { cachedBytes: bytes, cachedHeapBytes: heap } = internals(opened.memory);
  return { bytes, heap };
}

/** A full heap is collected again and again, or ends the process: half of it stays free. */
function defaultLimits(): Size {
  return { bytes: machineMemoryBytes() / 4, heap: getHeapStatistics().heap_size_limit / 2 };
}
