import { AsyncLocalStorage } from 'node:async_hooks';
import type { Instant } from '../../../model/model.ts';
import { loadCopy, type CopySource } from './loading.ts';
import type { Accesses, CopySize, MemoryCopy } from './memoryCopy.ts';

/** A memory with more units is not copied: its vectors are searched by an index. */
const MAX_UNITS = 2_000;
/** A memory with more units is copied when it was seen twice without a change: copying takes longer than one recall. */
const MAX_UNITS_AT_ONCE = 100;

/** Reads that may all see the memory as it is at the first of them. */
interface Scope {
  current: Promise<MemoryCopy | null> | null;
  /** How often this process had written to the memory then. */
  writes: number;
  /** Work that was begun in it may go on. */
  isEnded: boolean;
}

const NOTHING: CopySize = { bytes: 0, arrayBytes: 0 };

/** What the database says of the memory. */
interface State {
  readonly revision: number;
  /** How often accesses were counted. */
  readonly accesses: number;
  readonly lastUnitId: number;
}

/**
 * Keeps a copy of the memory while no process writes to it. Whether one did is asked once for each recall, so that
 * each sees what was committed before it, by any process.
 */
export class Copies {
  readonly #memory: CopySource;
  readonly #scope = new AsyncLocalStorage<Scope>();
  #kept: { readonly copy: Promise<MemoryCopy>; readonly revision: number; accesses: number } | null = null;
  /** The revision that was seen last. */
  #seen: number | null = null;
  #writes = 0;
  #size: CopySize = NOTHING;

  constructor(memory: CopySource) {
    this.#memory = memory;
  }

  /** Of the copy. */
  get size(): CopySize {
    return this.#kept ? this.#size : NOTHING;
  }

  /** Runs `work`, whose reads may all see the memory as it is at the first of them, and what this process writes meanwhile. */
  async together<T>(work: () => Promise<T>): Promise<T> {
    if (this.#openScope()) return work();
    const scope: Scope = { current: null, writes: 0, isEnded: false };
    try {
      return await this.#scope.run(scope, work);
    } finally {
      scope.isEnded = true;
      // Connections that were opened meanwhile keep the scope for good; they must not keep the words of the copy.
      scope.current = null;
    }
  }

  /** The copy, if it is current; null without one, and outside of `together`. */
  async current(): Promise<MemoryCopy | null> {
    const scope = this.#openScope();
    if (!scope) return null;
    if (scope.current === null || scope.writes !== this.#writes) {
      scope.writes = this.#writes;
      scope.current = this.#find();
    }
    return scope.current;
  }

  /** This process wrote to the memory. */
  noteWrite(): void {
    this.#writes += 1;
  }

  /** @param calls how often accesses were counted, with this time */
  async noteAccesses(unitIds: readonly number[], at: Instant, calls: number): Promise<void> {
    const kept = this.#kept;
    // Others were counted, too: all will be read.
    if (kept?.accesses !== calls - 1) return;
    kept.accesses = calls;
    (await kept.copy).countAccess(unitIds, at);
  }

  drop(): void {
    this.#kept = null;
    this.#seen = null;
    this.#writes += 1;
  }

  #openScope(): Scope | null {
    const scope = this.#scope.getStore();
    return scope && !scope.isEnded ? scope : null;
  }

  async #find(): Promise<MemoryCopy | null> {
    const { revision, accesses, lastUnitId } = await this.#readState();
    if (this.#kept?.revision !== revision) {
      this.#kept = null;
      const isSeenAgain = this.#seen === revision;
      this.#seen = revision;
      if (lastUnitId === 0 || lastUnitId > MAX_UNITS) return null;
      if (lastUnitId > MAX_UNITS_AT_ONCE && !isSeenAgain) return null;
      this.#kept = { copy: this.#load(), revision, accesses };
    }
    const kept = this.#kept;
    const copy = await kept.copy;
    if (kept.accesses < accesses) {
      copy.setAccesses(await this.#readAccesses());
      kept.accesses = Math.max(kept.accesses, accesses);
    }
    return copy;
  }

  async #load(): Promise<MemoryCopy> {
    try {
      const copy = await loadCopy(this.#memory);
      this.#size = copy.size;
      return copy;
    } catch (error) {
      this.#kept = null;
      throw error;
    }
  }

  async #readState(): Promise<State> {
    const rows = await this.#memory.ask((_, session) =>
      session.all<{ name: string; last: number }>(
        "SELECT name, last FROM counter WHERE memory_id = $1 AND name IN ('revision', 'accesses', 'unit')",
      ),
    );
    const last = new Map(rows.map((row) => [row.name, row.last]));
    const of = (name: string) => last.get(name) ?? 0;
    return { revision: of('revision'), accesses: of('accesses'), lastUnitId: of('unit') };
  }

  async #readAccesses(): Promise<Accesses> {
    return this.#memory.ask(async (_, session) => {
      const rows = await session.all<{ id: number; count: number; at: number | null }>(
        `SELECT id, access_count AS count, last_accessed_at AS at FROM unit
         WHERE memory_id = $1 AND access_count > 0`,
      );
      return rows.map(({ id, count, at }) => [id, count, at] as const);
    });
  }
}
