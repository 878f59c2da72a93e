import { KeyedMutex } from '../../../async/async.ts';
import type { CopyBudget } from './copyBudget.ts';
import { SearchCopy } from './searchCopy.ts';
import type { CopySize, CopySource } from './types.ts';

/** Makes a copy for searches in the background once a memory was recalled from often enough, and keeps it up to date. */
export class FollowedCopy {
  readonly #memory: CopySource;
  readonly #recallsBefore: number;
  readonly #budget: CopyBudget;
  readonly #mutex = new KeyedMutex();
  #copy: SearchCopy | null = null;
  #recalls = 0;
  #loading: Promise<void> | null = null;
  /** A copy that is being made for an earlier one is not wanted any more. */
  #generation = 0;

  /**
   * @param recallsBefore recalls before the copy is made in the background, which takes as long as many of them; 0: the first
   * recall waits for it
   */
  constructor(memory: CopySource, recallsBefore: number, budget: CopyBudget) {
    this.#memory = memory;
    this.#recallsBefore = recallsBefore;
    this.#budget = budget;
  }

  get size(): CopySize | null {
    return this.#copy?.size ?? null;
  }

  /** Null until it is made. @param revision of the memory now */
  async current(revision: number): Promise<SearchCopy | null> {
    if (this.#copy === null) {
      this.#recalls += 1;
      if (this.#recalls >= this.#recallsBefore) this.#loading ??= this.#load();
      if (this.#recallsBefore > 0) return null;
      await this.#loading;
    }
    return this.#mutex.run('follow', () => this.#follow(revision));
  }

  drop(): void {
    this.#budget.remove(this);
    this.#copy = null;
    this.#recalls = 0;
    this.#generation += 1;
  }

  async #follow(revision: number): Promise<SearchCopy | null> {
    const copy = this.#copy;
    if (copy) this.#budget.noteUse(this);
    if (copy === null || copy.revision >= revision) return copy;
    // If the database cannot be read, the recall that asks its tables reports that.
    if (await copy.follow().catch(() => false)) return copy;
    if (this.#copy === copy) this.drop();
    return null;
  }

  async #load(): Promise<void> {
    const generation = this.#generation;
    const isWanted = () => this.#generation === generation;
    try {
      const hasRoom = (bytes: number) => this.#budget.makeRoom(bytes);
      const copy = await SearchCopy.load(this.#memory, { hasRoom, isWanted });
      if (copy === null || !isWanted()) return;
      this.#copy = copy;
      this.#budget.noteUse(this);
    } catch {
      // Recalls are answered from the tables, and report what is wrong with these.
    } finally {
      this.#recalls = 0;
      this.#loading = null;
    }
  }
}
