import { decodeText, withoutBom } from '../content.ts';
import { isSameContent, type HeldFile } from './heldFile.ts';

/** A program that stopped writing for so long is done, in milliseconds. */
const QUIET_MS = 10;
/** Files held open at once; then the next has to wait. */
const MAX_HELD = 256;

/** What was written into a file after it was replaced. */
export interface LateWords {
  /** What of the file is in the present one. */
  readonly base: string;
  readonly text: string;
  /** To be called when these words are in the present file too. */
  readonly taken: () => void;
}

interface Replaced {
  readonly held: HeldFile;
  text: string;
  /** As it was when it held that text; null when it held another from the beginning. */
  stats: HeldFile['stats'] | null;
  readonly until: number;
}

/** Files whose name went to another file a short while ago, and which programs that had opened them may still write to. */
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

  /** @param text what of it is in the present file; all of it, unless somebody was quick */
  add(held: HeldFile, text: string): void {
    const stats = textOf(held.bytes) === text ? held.stats : null;
    this.#files.push({ held, text, stats, until: Date.now() + this.#watchedMs });
  }

  /** What has been written since by programs that are done with it. Lets go of files that were watched long enough. */
  readLate(): LateWords[] {
    const now = Date.now();
    const late = this.#files.flatMap((file) => readLate(file, now) ?? []);
    const isDone = (file: Replaced) => file.until <= now && !late.some((words) => words.file === file);
    for (const { held } of this.#files.filter(isDone)) held.close();
    this.#files = this.#files.filter((file) => !isDone(file));
    return late;
  }

  closeAll(): void {
    for (const { held } of this.#files.splice(0)) held.close();
  }
}

function readLate(file: Replaced, now: number): (LateWords & { file: Replaced }) | null {
  const isLastLook = file.until <= now;
  const looked = file.held.look();
  const isRead = file.stats !== null && isSameContent(looked, file.stats);
  if (!isLastLook && (isRead || (file.stats && !isQuiet(looked, now)))) return null;
  const { bytes, stats } = file.held.read();
  const text = textOf(bytes);
  // Emptied to be filled anew: there is nothing yet to be brought over.
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
