import { AsyncLocalStorage } from 'node:async_hooks';
import type { Instant } from '../../../model/model.ts';
import type { CopyBudget } from './copyBudget.ts';
import { FollowedCopy } from './followedCopy.ts';
import { loadCopy } from './loading.ts';
import type { MemoryCopy } from './memoryCopy.ts';
import type { Accesses, Copy, CopySize, CopySource } from './types.ts';

/** What is copied of a memory, by the number of its units. */
export interface CopyLimits {
  /** With at most so many it is copied as a whole, at once; with more, when it was seen twice without a change. */
  readonly atOnce: number;
  /** With at most so many it is copied as a whole: copying takes longer than a recall. */
  readonly whole: number;
  /** With at most so many, what searches read is copied. */
  readonly searched: number;
  /** Recalls before what searches read is copied in the background, which takes seconds; 0: the first waits for it. */
  readonly recalls: number;
}

const LIMITS: CopyLimits = { atOnce: 100, whole: 2_000, searched: 250_000, recalls: 20 };

/** Reads that may all see the memory as it is at the first of them. */
interface Scope {
  current: Promise<Copy | null> | null;
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
 * Keeps a copy of a small memory while no process writes to it, and one for searches of a larger memory, which follows what is
 * written. Whether anything was is asked once for each recall, so that each sees what was committed before it, by any process.
 */
export class Copies {
  readonly #memory: CopySource;
  readonly #limits: CopyLimits;
  readonly #followed: FollowedCopy;
  readonly #scope = new AsyncLocalStorage<Scope>();
  #kept: { readonly copy: Promise<MemoryCopy>; readonly revision: number; accesses: number } | null = null;
  /** The revision that was seen last. */
  #seen: number | null = null;
  #writes = 0;
  #size: CopySize = NOTHING;

  constructor(memory: CopySource, budget: CopyBudget, limits: Partial<CopyLimits> = {}) {
    this.#memory = memory;
    this.#limits = { ...LIMITS, ...limits };
    this.#followed = new FollowedCopy(memory, this.#limits.recalls, budget);
  }

  /** Of the copy. */
  get size(): CopySize {
    return this.#followed.size ?? (this.#kept ? this.#size : NOTHING);
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
  async current(): Promise<Copy | null> {
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
    this.#followed.drop();
  }

  #openScope(): Scope | null {
    const scope = this.#scope.getStore();
    return scope && !scope.isEnded ? scope : null;
  }

  async #find(): Promise<Copy | null> {
    const state = await this.#readState();
    const { atOnce, whole, searched } = this.#limits;
    if (state.lastUnitId <= whole) return this.#findWhole(state, atOnce);
    this.#kept = null;
    if (state.lastUnitId > searched) {
      this.#followed.drop();
      return null;
    }
    return this.#followed.current(state.revision);
  }

  async #findWhole({ revision, accesses, lastUnitId }: State, atOnce: number): Promise<MemoryCopy | null> {
    if (this.#kept?.revision !== revision) {
      this.#kept = null;
      const isSeenAgain = this.#seen === revision;
      this.#seen = revision;
      if (lastUnitId === 0 || (lastUnitId > atOnce && !isSeenAgain)) return null;
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
