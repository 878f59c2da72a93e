import { decodeText, withoutBom } from '../content.ts';
import { isSameContent, type HeldFile } from './heldFile.ts';

/** A program that has not written for this many milliseconds is done. */
const QUIET_MS = 10;
/** The most files kept open at once; after that, edits wait. */
const MAX_HELD = 256;

/** What was written into a file after it was replaced. */
export interface LateEdit {
  /** The part of the file that is in the current file. */
  readonly base: string;
  readonly text: string;
  /** Call this when the text is in the current file too. */
  readonly taken: () => void;
}

interface Replaced {
  readonly held: HeldFile;
  text: string;
  /** Its stats when it had that text; null when it had another text from the beginning. */
  stats: HeldFile['stats'] | null;
  readonly until: number;
}

/** Recently replaced files, which programs that had opened them may still write to. */
export class ReplacedFiles {
  readonly #watchedMs: number;
  #files: Replaced[] = [];

  constructor(watchedMs: number) {
    this.#watchedMs = watchedMs;
  }

  get isEmpty(): boolean {
    return this.#files.length === 0;
  }

  get isFull(): boolean {
    return this.#files.length >= MAX_HELD;
  }

  /** @param text the part of it that is in the current file; all of it, unless another program was faster */
  add(held: HeldFile, text: string): void {
    const stats = textOf(held.bytes) === text ? held.stats : null;
    this.#files.push({ held, text, stats, until: Date.now() + this.#watchedMs });
  }

  /** What programs have written since and finished. Closes files that were watched long enough. */
  readLateEdits(): LateEdit[] {
    const now = Date.now();
    const late = this.#files.flatMap((file) => readLateEdits(file, now) ?? []);
    const isDone = (file: Replaced) => file.until <= now && !late.some((words) => words.file === file);
    for (const { held } of this.#files.filter(isDone)) held.close();
    this.#files = this.#files.filter((file) => !isDone(file));
    return late;
  }

  closeAll(): void {
    for (const { held } of this.#files.splice(0)) held.close();
  }
}

function readLateEdits(file: Replaced, now: number): (LateEdit & { file: Replaced }) | null {
  const isLastLook = file.until <= now;
  const looked = file.held.look();
  const isRead = file.stats !== null && isSameContent(looked, file.stats);
  if (!isLastLook && (isRead || (file.stats && !isQuiet(looked, now)))) return null;
  const { bytes, stats } = file.held.read();
  const text = textOf(bytes);
  // Emptied in order to be written again: there is nothing to merge yet.
  if (text === '' || text === file.text) return null;
  const taken = () => Object.assign(file, { text, stats });
  return { base: file.text, text, taken, file };
}

function textOf(bytes: Uint8Array): string {
  return withoutBom(decodeText(bytes) ?? '');
}

function isQuiet(stats: HeldFile['stats'], now: number): boolean {
  return now - Number(stats.mtimeMs) >= QUIET_MS;
}
