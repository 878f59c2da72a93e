/**
 * Changes to the text of a file of notes. Each is a function of the present text and leaves the rest of it as it is;
 * lines that it writes end like those around them.
 */
import { MemoryError } from '../../model/model.ts';
import { lineEndOf } from '../content.ts';
import {
  joinPath,
  parseNote,
  type Chunk,
  type Item,
  type ParsedNote,
  type Range,
  type Section,
} from '../parse/parse.ts';
import { findSection, makeHeadings } from './headings.ts';
import { insertAfter, remove, splice, wordsEnd } from './text.ts';

/** A new list item. */
export interface NewItem {
  /**
   * Headings under which it is to stand, from the outermost; what is missing of them is made. Empty: it comes at the
   * end of the file.
   */
  readonly headings: readonly string[];
  /** Its words, without mark. */
  readonly text: string;
  /** Gives it a box, ticked or not; null: it is no task. */
  readonly isDone?: boolean | null;
}

/** Something in a file as it was read: the headings above it, joined by ` > `, and its words. */
export interface At {
  readonly section: string;
  readonly text: string;
}

/**
 * Appends an item to the last list under the headings, written as that list is.
 * @throws MemoryError INVALID_INPUT when the item or a heading has no words
 */
export function appendItem(text: string | null, item: NewItem): string {
  if ([item.text, ...item.headings].some((words) => words.trim() === '')) {
    throw new MemoryError('INVALID_INPUT', 'An item and its headings must say something.');
  }
  const { text: made, headings } = makeHeadings(text ?? '', item.headings);
  const note = parseNote(made, '');
  const section = headings.length > 0 ? findSection(note, headings) : note.sections.at(-1);
  if (!section)
    return insertAfter(made, wordsEnd(made, note.textStart), formatItem(made, item, null), 'apart');
  const tries = placesIn(made, section).map((place) =>
    insertAfter(made, place.at, formatItem(made, item, place.list), place.how),
  );
  // Behind a code block that does not end, an item would be code.
  return tries.find((one) => hasOneMore(one, note, item)) ?? tries[0] ?? made;
}

interface Place {
  readonly at: number;
  readonly list: readonly Item[] | null;
  readonly how: 'below' | 'apart';
}

/** Where in a section an item may come, the best first. */
function placesIn(text: string, section: Section): Place[] {
  const list = section.lists.at(-1);
  const items = section.items.filter((item) => item.depth === 0 && list && item.range.start >= list.start);
  const isLoose =
    items.length > 1 &&
    /\n[ \t]*\r?\n\s*$/.test(text.slice(items.at(-2)?.range.start, items.at(-2)?.range.end));
  return [
    ...(list
      ? [{ at: wordsEnd(text, list.start, list.end), list: items, how: isLoose ? 'apart' : 'below' } as const]
      : []),
    { at: wordsEnd(text, section.heading.start, section.body.end), list: null, how: 'apart' },
    { at: wordsEnd(text, section.heading.start, section.heading.end), list: null, how: 'apart' },
  ];
}

function hasOneMore(text: string, before: ParsedNote, item: NewItem): boolean {
  const firstLine = item.text.trim().split(/\r?\n/)[0]?.trim() ?? '';
  const count = (note: ParsedNote) =>
    note.sections.flatMap(({ items }) => items).filter((one) => one.text.startsWith(firstLine)).length;
  return count(parseNote(text, '')) === count(before) + 1;
}

/** The item as lines, marked like those of the list it joins. */
function formatItem(text: string, item: NewItem, list: readonly Item[] | null): string {
  const last = list?.at(-1);
  const number = /^(\d+)([.)])$/.exec(last?.marker ?? '');
  const marker = number ? `${Number(number[1]) + 1}${number[2]}` : (last?.marker ?? '-');
  const box = typeof item.isDone === 'boolean' ? `[${item.isDone ? 'x' : ' '}] ` : '';
  const indent = last?.indent ?? '';
  return `${indent}${marker} ${box}${formatWords(item.text, lineEndOf(text), indent.length + marker.length + 1)}`;
}

/** Further lines are indented, so that they belong to the item. */
function formatWords(words: string, lineEnd: string, indent: number): string {
  const lines = words.trim().split(/\r?\n/);
  return lines
    .map((line, i) => (i === 0 || line.trim() === '' ? line.trim() : ' '.repeat(indent) + line))
    .join(lineEnd);
}

/**
 * Gives an item other words, or ticks or unticks it.
 * @throws MemoryError VERSION_CONFLICT when there is no such item, INVALID_INPUT when the words are none or it is no task
 */
export function changeItem(
  text: string | null,
  at: At,
  change: { readonly text?: string; readonly isDone?: boolean },
): string {
  const before = text ?? '';
  const item = findItem(before, at);
  if (change.text?.trim() === '') throw new MemoryError('INVALID_INPUT', 'An item must say something.');
  if (change.isDone !== undefined && item.boxAt === null)
    throw new MemoryError('INVALID_INPUT', `No task: ${item.text}`);
  const indent = item.indent.length + item.marker.length + 1;
  const worded =
    change.text === undefined
      ? before
      : splice(before, item.own, formatWords(change.text, lineEndOf(before), indent));
  if (change.isDone === undefined || item.boxAt === null) return worded;
  return splice(worded, { start: item.boxAt, end: item.boxAt + 1 }, change.isDone ? 'x' : ' ');
}

/**
 * Takes an item out, with what stands below it.
 * @throws MemoryError VERSION_CONFLICT when there is no such item
 */
export function removeItem(text: string | null, at: At): string {
  return remove(text ?? '', findItem(text ?? '', at).range);
}

function findItem(text: string, at: At): Item {
  const note = parseNote(text, '');
  const sections = note.sections.filter((section) => joinPath(section.path) === at.section);
  const item = sections.flatMap(({ items }) => items).find((one) => one.text === at.text);
  if (item) return item;
  throw new MemoryError('VERSION_CONFLICT', `The file no longer has this item: ${at.text}`);
}

/**
 * Writes other words in the place of a section's, or of a part of a long one.
 * @throws MemoryError VERSION_CONFLICT when its words are no longer those, INVALID_INPUT when there are no words
 */
export function replaceChunk(text: string | null, at: At, words: string): string {
  if (words.trim() === '') throw new MemoryError('INVALID_INPUT', 'A section must say something.');
  const before = text ?? '';
  const { chunk, section } = findChunk(before, at);
  const lines = words.trim().split(/\r?\n/).join(lineEndOf(before));
  const isHeading = chunk.range.start === section.heading.start && section.depth > 0;
  return splice(before, chunk.range, isHeading ? `${'#'.repeat(section.depth)} ${lines}` : lines);
}

/**
 * Takes out the words of a section, or of a part of a long one; the heading, too, when nothing is left under it.
 * @throws MemoryError VERSION_CONFLICT when its words are no longer those
 */
export function removeChunk(text: string | null, at: At): string {
  const before = text ?? '';
  const { chunk, section, note } = findChunk(before, at);
  const index = chunk.sectionIndex;
  const isOnly = note.chunks.filter((one) => one.sectionIndex === index).length === 1;
  const hasBelow = (note.sections[index + 1]?.depth ?? 0) > section.depth;
  const isWhole = isOnly && !hasBelow && section.depth > 0;
  const range: Range = isWhole ? { start: section.heading.start, end: section.body.end } : chunk.range;
  return remove(before, range);
}

function findChunk(text: string, at: At): { chunk: Chunk; section: Section; note: ParsedNote } {
  const note = parseNote(text, '');
  const chunk = note.chunks.find((one) => one.section === at.section && one.text === at.text);
  const section = chunk && note.sections[chunk.sectionIndex];
  if (section) return { chunk, section, note };
  throw new MemoryError('VERSION_CONFLICT', `“${at.section}” was changed since it was read; read it again.`);
}
