/** Keeps vectors up to date: makes those of new units, and all of them when another embedder is set. */
import { setTimeout } from 'node:timers/promises';
import { abortable } from '../async/async.ts';
import {
  createEmbedDerivation,
  createWorker,
  embedUnits,
  type Worker,
  type Outage,
  type WorkerEvent,
} from '../derive/derive.ts';
import type { Embedder } from '../llm/llm.ts';
import { isMemoryError, type Instant, messageOf, type Unit } from '../model/model.ts';
import { embedLineEnds } from '../recall/recall.ts';
import type { Store } from '../store/store.ts';

export interface VectorKeeperOptions {
  readonly store: Store;
  readonly now: () => Instant;
  /** Whether vectors are made in this process; otherwise it waits for another process. */
  readonly works: boolean;
  /** Resolves when work may start. */
  readonly whenIdle: () => Promise<void>;
  readonly onEvent?: (event: WorkerEvent) => void;
  /** Called when another embedder's vectors are in use. */
  readonly onSwitch: (embedder: Embedder | null) => void;
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
/** How often the state of another process is checked. */
const POLL_MS = 1_000;

export class VectorKeeper {
  readonly #options: VectorKeeperOptions;
  #embedder: Embedder | null;
  /** Makes vectors of new units with the current embedder; null without one. */
  #worker: Worker | null = null;
  #preparing: { embedder: Embedder; abort: AbortController; ended: Promise<void> } | null = null;

  constructor(embedder: Embedder | null, options: VectorKeeperOptions) {
    this.#options = options;
    this.#embedder = embedder;
    this.#worker = this.#createWorker();
  }

  get embedder(): Embedder | null {
    return this.#embedder;
  }

  start(): void {
    if (this.#options.works) this.#worker?.start();
  }

  wake(): void {
    this.#worker?.wake();
  }

  /** Makes all missing vectors, and waits for a running change of the embedder. */
  async drain(onProgress?: (done: number) => void): Promise<void> {
    await this.#worker?.drain(onProgress);
    await this.#preparing?.ended;
  }

  async stop(): Promise<void> {
    await this.#cancel();
    await this.#worker?.stop();
  }

  get outages(): readonly Outage[] {
    return this.#worker?.outages ?? [];
  }

  endOutages(): void {
    this.#worker?.endOutages();
  }

  /** See `Memory.setEmbedder`. */
  async set(embedder: Embedder | null): Promise<void> {
    if (embedder !== null && this.#preparing?.embedder.id === embedder.id) return;
    if (!this.#options.works && !this.#preparing && this.#embedder === embedder) return;
    await this.#cancel();
    const { store } = this.#options;
    const kept = await store.indexes.vectors.model();
    if (embedder === null || kept?.id === embedder.id) {
      if (this.#options.works) await store.indexes.vectors.dropNext();
      await this.#adopt(embedder);
      return;
    }
    const abort = new AbortController();
    const ended = this.#options.works
      ? this.#prepare(embedder, abort.signal)
      : this.#waitFor(embedder, abort.signal);
    this.#preparing = { embedder, abort, ended: ended.finally(() => this.#forget(embedder)) };
  }

  async #cancel(): Promise<void> {
    this.#preparing?.abort.abort();
    await this.#preparing?.ended;
  }

  #forget(embedder: Embedder): void {
    if (this.#preparing?.embedder === embedder) this.#preparing = null;
  }

  async #adopt(embedder: Embedder | null): Promise<void> {
    if (this.#embedder === embedder) return;
    const before = this.#worker;
    this.#embedder = embedder;
    this.#worker = this.#createWorker();
    this.#options.onSwitch(embedder);
    await before?.stop();
    this.start();
  }

  /** Ends when the new vectors are in use or the signal is aborted; a failing model is retried with growing delays. */
  async #prepare(embedder: Embedder, signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.#options.whenIdle();
        const unitIds = await store.indexes.vectors.missingFromNext(embedder.id, embedder.batchSize);
        if (unitIds.length === 0) {
          if (!(await store.indexes.vectors.switchToNext(embedder.id))) continue;
          await this.#adopt(embedder);
          return;
        }
        const units = await store.units.get(unitIds);
        const vectors = await abortable(embedUnits(embedder, units, signal), signal);
        await store.indexes.vectors.upsertNext(embedder.id, vectors);
        failures = 0;
      } catch (error) {
        if (signal.aborted || isMemoryError(error, 'CLOSED')) return;
        failures += 1;
        this.#options.onEvent?.({
          type: 'stalled',
          error: messageOf(error),
        });
        await pause(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1)), signal);
      }
    }
  }

  /** Switches to the embedder when another process has made its vectors. */
  async #waitFor(embedder: Embedder, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const kept = await this.#options.store.indexes.vectors.model().catch(() => null);
      if (kept?.id === embedder.id) {
        await this.#adopt(embedder);
        return;
      }
      await pause(POLL_MS, signal);
    }
  }

  #createWorker(): Worker | null {
    const { store, now, whenIdle, onEvent } = this.#options;
    const embedder = this.#embedder;
    if (!embedder) return null;
    const prepareContext = (units: readonly Unit[], signal: AbortSignal) =>
      embedLineEnds(embedder, units, signal);
    return createWorker({
      store,
      derivations: [createEmbedDerivation(store, embedder, prepareContext)],
      now,
      whenIdle,
      ...(onEvent && { onEvent }),
    });
  }
}

/** Ends early when the signal is aborted; the caller checks that. */
async function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  await setTimeout(waitMs, undefined, { signal, ref: false }).catch(() => {});
}
