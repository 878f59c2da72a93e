/** File access for import and export, in the notes and outside them. */
import { readFile, stat } from 'node:fs/promises';
import { isMemoryError, MemoryError, unreadable } from '../../model/model.ts';
import type { NotesAccess } from '../access.ts';
import { decodeText, MAX_BYTES, withoutBom } from '../content.ts';

/** The files of notes, by uri. */
export type TransferredNotes = Pick<NotesAccess, 'list' | 'read' | 'write'>;

const MAX_TRIES = 5;

/** The text of a note, or null when there is no file. @throws MemoryError OUTSIDE_ROOT, INVALID_INPUT, FILE_UNREADABLE */
export async function readNote(notes: TransferredNotes, uri: string): Promise<string | null> {
  return (await find(notes, uri))?.text ?? null;
}

/** Creates a file of notes. False when the file already exists, with any text. */
export async function makeNote(notes: TransferredNotes, uri: string, text: string): Promise<boolean> {
  try {
    await notes.write(uri, text, { expectedHash: null });
    return true;
  } catch (error) {
    if (isMemoryError(error, 'NOTE_CONFLICT')) return false;
    throw error;
  }
}

/** Replaces the text of a file of notes by a function of it (null: no file), and retries when others write to it. */
export async function changeNote(
  notes: TransferredNotes,
  uri: string,
  change: (text: string | null) => string,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const note = await find(notes, uri);
    try {
      await notes.write(uri, change(note?.text ?? null), { expectedHash: note?.hash ?? null });
      return;
    } catch (error) {
      if (!isMemoryError(error, 'NOTE_CONFLICT') || tries >= MAX_TRIES) throw error;
    }
  }
}

async function find(notes: TransferredNotes, uri: string): Promise<{ text: string; hash: string } | null> {
  try {
    return await notes.read(uri);
  } catch (error) {
    if (isMemoryError(error, 'NOT_FOUND')) return null;
    throw error;
  }
}

/**
 * The text of a file outside the notes, without byte order mark.
 * @throws MemoryError FILE_UNREADABLE, TEXT_TOO_LONG, INVALID_TEXT
 */
export async function readText(path: string, maxBytes = MAX_BYTES): Promise<string> {
  const bytes = await readBytes(path, maxBytes);
  const text = decodeText(bytes);
  if (text === null) throw new MemoryError('INVALID_TEXT', `${path} is not text in UTF-8.`);
  return withoutBom(text);
}

async function readBytes(path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) {
      throw new MemoryError('TEXT_TOO_LONG', `${path} has ${size} bytes; the maximum is ${maxBytes}.`);
    }
    return await readFile(path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Whether a text contains every line of another, in any order. */
export function holdsEveryLine(text: string, of: string): boolean {
  const lines = new Set(linesOf(text));
  return linesOf(of).every((line) => lines.has(line));
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || []);
}
