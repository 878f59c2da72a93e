/**
 * Changes one file that other programs change too, so that no line of either side is lost.
 *
 *     read ─► edit ─► write beside ─► still what was read? ──yes──► rename ─► look after it for a while
 *       ▲                                   │ no
 *       └───────────────────────────────────┘
 *
 * Whoever changes the file meanwhile is seen at one of these places:
 * - before the renaming: the edit is made again, of what is there now;
 * - in the file that was replaced, which is held open: another program had opened it before. Its lines are brought into
 *   the present file;
 * - after the renaming: nothing is left of the edit, since another program saved what it had read before. The edit is
 *   made again.
 */
import { mkdirSync, statSync, writeFileSync, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '../../model/model.ts';
import { decodeText, MAX_BYTES, withoutBom } from '../content.ts';
import { Draft, type Edit, type Made } from './draft.ts';
import { countLines } from './effect.ts';
import { holdFile, isSameContent, type HeldFile } from './heldFile.ts';
import { mergeLines } from './lines.ts';
import { acquireLock } from './lock.ts';
import { ReplacedFiles, type LateWords } from './replaced.ts';
import {
  checkWritable,
  conflictPath,
  create,
  discard,
  exchange,
  flush,
  isAsRead,
  isBeingSaved,
  replace,
  takeAway,
  writeBeside,
} from './replace.ts';

/** How long a file is looked after when it was written, in milliseconds. */
const WATCHED_MS = 500;
const LOOK_EVERY_MS = 10;
const MAX_ATTEMPTS = 200;
/** In the first attempts the bytes are on the disk before they get the file’s name; it takes long, and somebody may save meanwhile. */
const FLUSHED_ATTEMPTS = 3;
/** After these attempts the file is exchanged whatever it holds by then, which is brought over afterwards. */
const CAREFUL_ATTEMPTS = 50;
/** When another program has replaced the file, it may do so again for this long, in milliseconds. */
const CONTENDED_MS = 5_000;
const MAX_PAUSE_MS = 20;
/** A file that is empty or shorter than before may be half written for so long after it was written to, in milliseconds. */
const HALF_WRITTEN_MS = 100;
const MAX_WAIT_MS = 500;
const PAGE_BYTES = 4_096n;
/** A file that is missing may be there again after so long, in milliseconds. */
const MISSING_MS = 15;
const LOOK_AGAIN_MS = 3;

interface Waiting {
  readonly edit: Edit;
  readonly resolve: (text: string | null) => void;
  readonly reject: (error: unknown) => void;
}

export class EditedFile {
  readonly #path: string;
  readonly #lockPath: string;
  readonly #onWritten: () => void;
  readonly #replaced = new ReplacedFiles(WATCHED_MS);
  #waiting: Waiting[] = [];
  /** Edits that are in the file, and might be overwritten yet. */
  #made: readonly Made[] = [];
  /** The file as it was left. */
  #left: BigIntStats | undefined;
  #working: Promise<void> | null = null;
  #wake: () => void = () => {};
  /** Until then another program may be replacing the file, too. */
  #contendedUntil = 0;
  /** What was moved aside while somebody put another file in its place: it may be nowhere else. */
  #displaced: { readonly path: string; readonly text: string }[] = [];

  /** @param onWritten called whenever the file was written */
  constructor(path: string, lockPath: string, onWritten: () => void) {
    this.#path = path;
    this.#lockPath = lockPath;
    this.#onWritten = onWritten;
  }

  /** Resolves when the edit is in the file, with what the file then holds. */
  edit(edit: Edit): Promise<string | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ edit, resolve, reject });
      this.#wake();
      this.#working ??= this.#work();
    });
  }

  get isIdle(): boolean {
    return this.#working === null;
  }

  /** Resolves when the file need not be looked after any more. */
  async settled(): Promise<void> {
    while (this.#working) await this.#working;
  }

  async #work(): Promise<void> {
    const lock = await acquireLock(this.#lockPath);
    while (this.#waiting.length > 0 || this.#made.length > 0 || !this.#replaced.isEmpty) {
      await this.#round();
      if (this.#waiting.length === 0 || this.#replaced.isFull) await this.#pause();
    }
    lock.release();
    this.#working = null;
  }

  /** Until it is time to look again, or an edit is asked for. */
  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LOOK_EVERY_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Brings into the file what waits to be, and what was lost of what has been. */
  async #round(): Promise<void> {
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        if (await this.#attempt(attempt)) return;
        await sleep(Math.random() * Math.min(2 ** attempt / 4, MAX_PAUSE_MS));
      }
      this.#giveUp();
    } catch (error) {
      this.#forget();
      for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    }
  }

  /** @returns false when somebody else was quicker */
  async #attempt(attempt: number): Promise<boolean> {
    const late = this.#replaced.readLate();
    if (this.#waiting.length === 0 && late.length === 0 && this.#displaced.length === 0 && this.#isAsLeft()) {
      this.#made = this.#made.filter(isWatched);
      return true;
    }
    const held = await this.#hold();
    if (this.#left && held?.stats.ino !== this.#left.ino) this.#contendedUntil = Date.now() + CONTENDED_MS;
    let isReplaced = false;
    try {
      const before = held && readText(held, this.#path);
      const draft = this.#draft(before, late);
      const waiting = new Set(this.#waiting);
      if (draft.text === before) this.#left = held?.stats;
      else {
        if (!(await this.#write(draft.text, held, attempt))) return false;
        isReplaced = true;
        if (held) this.#replaced.add(held, withoutBom(before ?? ''));
        this.#onWritten();
      }
      this.#finish(draft, late, waiting);
      return true;
    } finally {
      if (!isReplaced) held?.close();
    }
  }

  #isAsLeft(): boolean {
    const now = look(this.#path);
    if (!now || !this.#left) return now === this.#left;
    return now.ino === this.#left.ino && isSameContent(now, this.#left);
  }

  /** Reads the file when no program seems to be in the middle of writing it, or to have moved it away for a moment. */
  async #hold(): Promise<HeldFile | null> {
    const from = Date.now();
    for (;;) {
      const held = holdFile(this.#path);
      const waited = Date.now() - from;
      const isEnough = held ? !this.#isHalfWritten(held) || waited >= MAX_WAIT_MS : waited >= MISSING_MS;
      if (isEnough) return held;
      held?.close();
      await sleep(LOOK_AGAIN_MS);
    }
  }

  /** An editor that writes in place empties the file first; what is written ends at a page for as long as it is. */
  #isHalfWritten({ stats }: HeldFile): boolean {
    const isShorter = stats.ino === this.#left?.ino && stats.size < this.#left.size;
    return (
      (isShorter || stats.size % PAGE_BYTES === 0n) && Date.now() - Number(stats.mtimeMs) < HALF_WRITTEN_MS
    );
  }

  /** A text with everything that should be in it; edits that fail are told so and wait no more. */
  #draft(before: string | null, late: readonly LateWords[]): Draft {
    const draft = new Draft(before, this.#made);
    for (const { text } of this.#displaced) draft.make((ours) => bringTogether(text, ours ?? ''), true);
    for (const { base, text } of late) draft.make((ours) => mergeLines(base, ours ?? '', text), true);
    draft.restore();
    this.#waiting = this.#waiting.filter(({ edit, reject }) => {
      try {
        draft.make((text) => checkText(edit(text), this.#path));
        return true;
      } catch (error) {
        reject(error);
        return false;
      }
    });
    return draft;
  }

  async #write(text: string | null, held: HeldFile | null, attempt: number): Promise<boolean> {
    if (held) checkWritable(this.#path);
    if (text === null) {
      this.#left = undefined;
      return held === null || takeAway(this.#path, held);
    }
    const bytes = Buffer.from(text);
    if (!held) mkdirSync(dirname(this.#path), { recursive: true });
    const temporary = writeBeside(this.#path, bytes, held);
    const isFlushed = attempt < FLUSHED_ATTEMPTS;
    if (isFlushed) await flush(temporary);
    const written = look(temporary);
    if (!this.#put(temporary, held, attempt)) return false;
    this.#left = written;
    if (!isFlushed) await flush(this.#path);
    await flush(dirname(this.#path));
    return true;
  }

  #put(temporary: string, held: HeldFile | null, attempt: number): boolean {
    if (!held) return create(temporary, this.#path);
    if (this.#contendedUntil < Date.now() && !isBeingSaved(this.#path))
      return replace(temporary, this.#path, held);
    const exchanged =
      attempt >= CAREFUL_ATTEMPTS || isAsRead(this.#path, held) ? exchange(temporary, this.#path) : null;
    if (!exchanged) {
      discard(temporary);
      return false;
    }
    const aside = holdFile(exchanged.aside);
    if (exchanged.isDone) {
      // What it holds beyond what was read is brought over like anything else that is written late.
      if (aside) this.#replaced.add(aside, withoutBom(readText(held, this.#path)));
      discard(exchanged.aside);
      return true;
    }
    if (aside) this.#displaced.push({ path: exchanged.aside, text: withoutBom(readText(aside, this.#path)) });
    aside?.close();
    return false;
  }

  #finish(draft: Draft, late: readonly LateWords[], waiting: ReadonlySet<Waiting>): void {
    for (const words of late) words.taken();
    for (const displaced of this.#displaced.splice(0)) discard(displaced.path);
    this.#made = draft.made.filter(isWatched);
    this.#waiting = this.#waiting.filter((one) => !waiting.has(one));
    for (const { resolve } of waiting) resolve(draft.text === null ? null : withoutBom(draft.text));
  }

  /** Somebody saves again and again: what could not be written is put beside the file. */
  #giveUp(): void {
    const held = holdFile(this.#path);
    const before = held && readText(held, this.#path);
    held?.close();
    const { text } = this.#draft(before, this.#replaced.readLate());
    const path = conflictPath(this.#path);
    if (text !== null) writeFileSync(path, text, { flag: 'wx' });
    this.#forget();
    const message = `Another program keeps changing ${this.#path}; the change was written to ${path}.`;
    const error = new MemoryError('NOTE_CONFLICT', message, { path: this.#path, conflictPath: path });
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #forget(): void {
    this.#made = [];
    this.#replaced.closeAll();
  }
}

/** What stood in the file, and what somebody put there: made of it, or from nothing. */
function bringTogether(before: string, now: string): string {
  const [old, lines] = [countLines(before), countLines(now)];
  const kept = old.keys().reduce((sum, line) => sum + (lines.has(line) ? 1 : 0), 0);
  return kept * 2 >= old.size ? now : mergeLines('', before, now);
}

function isWatched({ at }: Made): boolean {
  return Date.now() - at < WATCHED_MS;
}

function look(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function readText(held: HeldFile, path: string): string {
  const text = decodeText(held.bytes);
  if (text !== null) return text;
  throw new MemoryError('FILE_UNREADABLE', `${path} is not a text in UTF-8; it is left as it is.`);
}

/** What cannot be kept is refused before it is among what others write. */
function checkText(text: string | null, path: string): string | null {
  if (text === null) return null;
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new MemoryError('INVALID_TEXT', `A NUL or a lone surrogate cannot be written to ${path}.`);
  }
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  throw new MemoryError('TEXT_TOO_LONG', `${path} would have more than ${MAX_BYTES} bytes.`);
}
