/**
 * Changes one file that other programs change too, so that no line of either side is lost.
 *
 *     read ─► merge ─► edit ─► write temporary ─► still unchanged? ──yes──► rename ─► check again for half a second
 *       ▲                                              │ no
 *       └──────────────────────────────────────────────┘
 *
 * A change by another program is found
 * - before the rename: merging and editing start again with the new content;
 * - after it, at the path: the program saved a text derived from an older one. Both are merged;
 * - after it, in the replaced file, which is kept open: the program had opened it before. Its lines are merged into
 *   the current file.
 */
import { statSync, writeFileSync, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder, MemoryError, nameNewFile } from '../../model/model.ts';
import { decodeText, inFormatOf, MAX_BYTES, withoutBom } from '../content.ts';
import { holdFile, isSameContent, type HeldFile } from './heldFile.ts';
import { mergeLines } from './lines.ts';
import { acquireLock } from './lock.ts';
import { PastTexts } from './pastTexts.ts';
import { ReplacedFiles, type LateEdit } from './replaced.ts';
import {
  checkWritable,
  conflictPath,
  flush,
  replace,
  removeIfUnchanged,
  writeTemporaryFile,
} from './replace.ts';

/**
 * Makes a new text from a text without byte order mark; null is a missing file. It is called again whenever the
 * text has changed, so it must depend on nothing else.
 */
export type Edit = (text: string | null) => string | null;

/** How long a file is watched after it was written, in milliseconds. */
const WATCHED_MS = 500;
const CHECK_INTERVAL_MS = 10;
const MAX_ATTEMPTS = 200;
/** In the first attempts the content is flushed before the rename. Flushing is slow, and others may save in the meantime. */
const FLUSHED_ATTEMPTS = 3;
/** A program that undoes the last edit this often is left alone. */
const MAX_MERGES = 20;
const MAX_PAUSE_MS = 20;
/** An empty or shortened file may be incomplete for this long after it was written to, in milliseconds. */
const HALF_WRITTEN_MS = 100;
const MAX_WAIT_MS = 500;
const PAGE_BYTES = 4_096n;
/** A missing file may reappear within this time, in milliseconds. */
const MISSING_MS = 15;
const LOOK_AGAIN_MS = 3;

interface Waiting {
  readonly edit: Edit;
  readonly resolve: (text: string | null) => void;
  readonly reject: (error: unknown) => void;
}

/** The file after our last write: its text without byte order mark, and its stats. */
interface WrittenState {
  readonly text: string | null;
  readonly stats: BigIntStats | undefined;
}

export class EditedFile {
  readonly #path: string;
  readonly #lockPath: string;
  readonly #onWritten: () => void;
  readonly #replaced = new ReplacedFiles(WATCHED_MS);
  readonly #past = new PastTexts(WATCHED_MS);
  #waiting: Waiting[] = [];
  #left: WrittenState | null = null;
  #writtenAt = 0;
  /** How often the last edit was merged in again. */
  #merges = 0;
  #working: Promise<void> | null = null;
  #wake: () => void = () => {};

  /** @param onWritten called after every write of the file */
  constructor(path: string, lockPath: string, onWritten: () => void) {
    this.#path = path;
    this.#lockPath = lockPath;
    this.#onWritten = onWritten;
  }

  /** Resolves when the edit is in the file, with the new content of the file. */
  edit(edit: Edit): Promise<string | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ edit, resolve, reject });
      this.#merges = 0;
      this.#wake();
      this.#working ??= this.#work();
    });
  }

  get isIdle(): boolean {
    return this.#working === null;
  }

  /** Resolves when the file needs no more watching. */
  async settled(): Promise<void> {
    while (this.#working) await this.#working;
  }

  async #work(): Promise<void> {
    const lock = await acquireLock(this.#lockPath);
    while (this.#waiting.length > 0 || Date.now() - this.#writtenAt < WATCHED_MS || !this.#replaced.isEmpty) {
      await this.#round();
      if (this.#waiting.length === 0 || this.#replaced.isFull) await this.#pause();
    }
    this.#forget();
    lock.release();
    this.#working = null;
  }

  /** Waits until the next check, or until an edit is requested. */
  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, CHECK_INTERVAL_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Writes waiting edits to the file, and merges changes that other programs overwrote or wrote to a replaced file. */
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

  /** @returns false when another program was faster */
  async #attempt(attempt: number): Promise<boolean> {
    const lateEdits = this.#replaced.readLateEdits();
    if (this.#waiting.length === 0 && lateEdits.length === 0 && this.#isAsLeft()) return true;
    const held = await this.#hold();
    let isReplaced = false;
    try {
      const before = held && readText(held, this.#path);
      const text = this.#draft(before, lateEdits);
      const waiting = new Set(this.#waiting);
      if (text === before) this.#leave({ text: before, stats: held?.stats });
      else {
        if (!(await this.#write(text, held, attempt))) return false;
        isReplaced = true;
        this.#writtenAt = Date.now();
        if (waiting.size === 0) this.#merges += 1;
        if (held) this.#replaced.add(held, withoutBom(before ?? ''));
        this.#onWritten();
      }
      this.#finish(text, lateEdits, waiting);
      return true;
    } finally {
      if (!isReplaced) held?.close();
    }
  }

  #isAsLeft(): boolean {
    const now = look(this.#path);
    const stats = this.#left?.stats;
    if (!now || !stats) return now === stats;
    return now.ino === stats.ino && isSameContent(now, stats);
  }

  /** Reads the file when no program seems to be writing it, or to have moved it away for a moment. */
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

  /** An editor that writes in place empties the file first; while it writes, the size is a multiple of the page size. */
  #isHalfWritten({ stats }: HeldFile): boolean {
    const left = this.#left?.stats;
    const isShorter = stats.ino === left?.ino && stats.size < left.size;
    return (
      (isShorter || stats.size % PAGE_BYTES === 0n) && Date.now() - Number(stats.mtimeMs) < HALF_WRITTEN_MS
    );
  }

  /** The new content of the file, in the format of `before`. Edits that fail are rejected and removed. */
  #draft(before: string | null, lateEdits: readonly LateEdit[]): string | null {
    let text = before;
    const change = (edit: Edit) => {
      const words = text === null ? null : withoutBom(text);
      const changed = edit(words);
      if (changed !== words) text = changed === null ? null : inFormatOf(text ?? '', changed);
    };
    change((theirs) => this.#mergeWithLeft(theirs));
    for (const words of lateEdits) change((ours) => mergeLines(words.base, ours ?? '', words.text));
    this.#waiting = this.#waiting.filter(({ edit, reject }) => {
      try {
        change((words) => checkText(edit(words), this.#path));
        return true;
      } catch (error) {
        reject(error);
        return false;
      }
    });
    return text;
  }

  /** The content of the file, merged with our last text if it was derived from an older one; a deleted file stays deleted. */
  #mergeWithLeft(theirs: string | null): string | null {
    const ours = this.#left?.text ?? null;
    if (ours === null || theirs === null || theirs === ours || this.#merges >= MAX_MERGES) return theirs;
    return mergeLines(this.#past.originOf(theirs), ours, theirs);
  }

  async #write(text: string | null, held: HeldFile | null, attempt: number): Promise<boolean> {
    if (held) checkWritable(this.#path);
    if (text === null) {
      if (held && !removeIfUnchanged(this.#path, held)) return false;
      this.#leave({ text, stats: undefined });
      return true;
    }
    if (!held) makeFolder(dirname(this.#path));
    const temporary = writeTemporaryFile(this.#path, Buffer.from(text), held);
    const isFlushed = attempt < FLUSHED_ATTEMPTS;
    if (isFlushed) await flush(temporary);
    const stats = look(temporary);
    const isPut = held ? replace(temporary, this.#path, held) : nameNewFile(temporary, this.#path);
    if (!isPut) return false;
    this.#past.add(held ? withoutBom(readText(held, this.#path)) : '');
    this.#leave({ text, stats });
    if (!isFlushed) await flush(this.#path);
    await flush(dirname(this.#path));
    return true;
  }

  #leave({ text, stats }: WrittenState): void {
    const words = text === null ? null : withoutBom(text);
    this.#left = { text: words, stats };
    this.#past.add(words ?? '');
  }

  #finish(text: string | null, lateEdits: readonly LateEdit[], waiting: ReadonlySet<Waiting>): void {
    for (const words of lateEdits) words.taken();
    this.#waiting = this.#waiting.filter((one) => !waiting.has(one));
    for (const { resolve } of waiting) resolve(text === null ? null : withoutBom(text));
  }

  /** Another program saves again and again: our text is written to a conflict copy. */
  #giveUp(): void {
    const held = holdFile(this.#path);
    const before = held && readText(held, this.#path);
    held?.close();
    const text = this.#draft(before, this.#replaced.readLateEdits());
    const path = conflictPath(this.#path);
    if (text !== null) writeFileSync(path, text, { flag: 'wx' });
    this.#forget();
    const message = `Another program keeps changing ${this.#path}; the change was written to ${path}.`;
    const error = new MemoryError('NOTE_CONFLICT', message, { path: this.#path, conflictPath: path });
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #forget(): void {
    this.#left = null;
    this.#writtenAt = 0;
    this.#past.clear();
    this.#replaced.closeAll();
  }
}

function look(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function readText(held: HeldFile, path: string): string {
  const text = decodeText(held.bytes);
  if (text !== null) return text;
  throw new MemoryError('FILE_UNREADABLE', `${path} is not text in UTF-8; it was not changed.`);
}

/** Rejects text that cannot be indexed before it is written. */
function checkText(text: string | null, path: string): string | null {
  if (text === null) return null;
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new MemoryError('INVALID_TEXT', `A NUL or a lone surrogate cannot be written to ${path}.`);
  }
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  throw new MemoryError('TEXT_TOO_LONG', `${path} would have more than ${MAX_BYTES} bytes.`);
}
