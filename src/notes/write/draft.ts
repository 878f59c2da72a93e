import { inTheFormOf, withoutBom } from '../content.ts';
import {
  countLines,
  effectOf,
  isIncomplete,
  isStanding,
  isUndone,
  type Effect,
  type LineCounts,
} from './effect.ts';

/**
 * Makes a text of a text, without byte order mark; null is a file that is not there. It is called again whenever the
 * text turns out to be another, so it must depend on nothing else.
 */
export type Edit = (text: string | null) => string | null;

/** An edit that is in the file, and might be overwritten yet. */
export interface Made {
  readonly edit: Edit;
  /** It brought over what somebody else had written: then each line counts by itself. */
  readonly isMerge: boolean;
  readonly effect: Effect;
  readonly at: number;
  /** How often it was made. */
  readonly times: number;
}

/** An edit that is overwritten so often is in the hands of a program that does not want it. */
const MAX_TIMES = 20;
/** What one edit brings back may undo another. */
const MAX_PASSES = 3;

/** A text to be written, and the edits that are in it. */
export class Draft {
  readonly #made: Made[];
  #text: string | null;
  #lines: LineCounts | null = null;

  /** @param made the edits that should be in the text */
  constructor(text: string | null, made: readonly Made[]) {
    this.#text = text;
    this.#made = [...made];
  }

  /** As it is to be in the file. */
  get text(): string | null {
    return this.#text;
  }

  get made(): readonly Made[] {
    return this.#made;
  }

  /** @throws what the edit throws; then it is not made */
  make(edit: Edit, isMerge = false): void {
    const effect = this.#apply(edit);
    if (effect) this.#made.push({ edit, isMerge, effect, at: Date.now(), times: 1 });
  }

  /** Makes the edits again that are no longer in the text, unless the file is gone. */
  restore(): void {
    let isWhole = this.#text === null;
    for (let pass = 0; !isWhole && pass < MAX_PASSES; pass++) {
      isWhole = true;
      for (const [i, one] of this.#made.entries()) {
        const effect = this.#isLost(one, i) ? this.#tryAgain(one.edit) : null;
        if (!effect) continue;
        isWhole = false;
        // Of a merge, what it adds now is only what was missing.
        const kept = one.isMerge ? one.effect : effect;
        this.#made[i] = { ...one, effect: kept, at: Date.now(), times: one.times + 1 };
      }
    }
  }

  #isLost({ effect, isMerge, times }: Made, index: number): boolean {
    if (times >= MAX_TIMES) return false;
    this.#lines ??= countLines(this.#text ?? '');
    const taken = this.#takenSince(index, this.#lines);
    return isMerge ? isIncomplete(effect, this.#lines, taken) : isUndone(effect, this.#lines, taken);
  }

  /** Lines that later edits took away, as far as those stand: they are missing because they should be. */
  #takenSince(index: number, lines: LineCounts): ReadonlySet<string> {
    const standing = this.#made.slice(index + 1).filter(({ effect }) => isStanding(effect, lines));
    return new Set(standing.flatMap(({ effect }) => [...effect.removed.keys()]));
  }

  /** An edit that cannot be made of what somebody else has saved since gives way to it. */
  #tryAgain(edit: Edit): Effect | null {
    try {
      return this.#apply(edit);
    } catch {
      return null;
    }
  }

  /** Null when the edit changes nothing. */
  #apply(edit: Edit): Effect | null {
    const before = this.#text === null ? null : withoutBom(this.#text);
    const after = edit(before);
    if (after === before) return null;
    this.#text = after === null ? null : inTheFormOf(this.#text ?? '', after);
    this.#lines = null;
    return effectOf(before ?? '', after ?? '');
  }
}
