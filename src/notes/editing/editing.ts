/**
 * Changes to the text of a file of notes. Each is a function of the current text and leaves the rest of it
 * unchanged; new lines have the line ends of those around them.
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
  /** Headings under which to put it, from the outermost; missing ones are added. Empty: at the end of the file. */
  readonly headings: readonly string[];
  /** Its text, without marker. */
  readonly text: string;
  /** Makes it a task, done or not; null: it is not a task. */
  readonly isDone?: boolean | null;
}

/** A section or item as it was read: the headings above it, joined by ` > `, and its text. */
export interface At {
  readonly section: string;
  readonly text: string;
}

/**
 * Appends an item to the last list under the headings, in the style of that list.
 * @throws MemoryError INVALID_INPUT when the item or a heading is blank
 */
export function appendItem(text: string | null, item: NewItem): string {
  if ([item.text, ...item.headings].some((words) => words.trim() === '')) {
    throw new MemoryError('INVALID_INPUT', 'An item and its headings must not be empty.');
  }
  const { text: made, headings } = makeHeadings(text ?? '', item.headings);
  const note = parseNote(made, '');
  const section = headings.length > 0 ? findSection(note, headings) : note.sections.at(-1);
  if (!section)
    return insertAfter(made, wordsEnd(made, note.textStart), formatItem(made, item, null), 'apart');
  const tries = placesIn(made, section).map((place) =>
    insertAfter(made, place.at, formatItem(made, item, place.list), place.how),
  );
  // After a code block that is not closed, an item would be code.
  return tries.find((one) => hasOneMore(one, note, item)) ?? tries[0] ?? made;
}

interface Place {
  readonly at: number;
  readonly list: readonly Item[] | null;
  readonly how: 'below' | 'apart';
}

/** Where an item may be added in a section, the best place first. */
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

/** The item as lines, with the marker of the list that it is added to. */
function formatItem(text: string, item: NewItem, list: readonly Item[] | null): string {
  const last = list?.at(-1);
  const number = /^(\d+)([.)])$/.exec(last?.marker ?? '');
  const marker = number ? `${Number(number[1]) + 1}${number[2]}` : (last?.marker ?? '-');
  const box = typeof item.isDone === 'boolean' ? `[${item.isDone ? 'x' : ' '}] ` : '';
  const indent = last?.indent ?? '';
  return `${indent}${marker} ${box}${formatWords(item.text, lineEndOf(text), indent.length + marker.length + 1)}`;
}

/** Further lines are indented, so that they are part of the item. */
function formatWords(words: string, lineEnd: string, indent: number): string {
  const lines = words.trim().split(/\r?\n/);
  return lines
    .map((line, i) => (i === 0 || line.trim() === '' ? line.trim() : ' '.repeat(indent) + line))
    .join(lineEnd);
}

/**
 * Changes the text of an item, or sets whether it is done.
 * @throws MemoryError VERSION_CONFLICT when there is no such item, INVALID_INPUT when the text is blank or it is not a
 * task
 */
export function changeItem(
  text: string | null,
  at: At,
  change: { readonly text?: string; readonly isDone?: boolean },
): string {
  const before = text ?? '';
  const item = findItem(before, at);
  if (change.text?.trim() === '') throw new MemoryError('INVALID_INPUT', 'An item must not be empty.');
  if (change.isDone !== undefined && item.boxAt === null)
    throw new MemoryError('INVALID_INPUT', `Not a task: ${item.text}`);
  const indent = item.indent.length + item.marker.length + 1;
  const worded =
    change.text === undefined
      ? before
      : splice(before, item.own, formatWords(change.text, lineEndOf(before), indent));
  if (change.isDone === undefined || item.boxAt === null) return worded;
  return splice(worded, { start: item.boxAt, end: item.boxAt + 1 }, change.isDone ? 'x' : ' ');
}

/**
 * Removes an item and everything below it.
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
 * Replaces the text of a section, or of a part of a long one.
 * @throws MemoryError VERSION_CONFLICT when its text has changed, INVALID_INPUT when the new text is blank
 */
export function replaceChunk(text: string | null, at: At, words: string): string {
  if (words.trim() === '') throw new MemoryError('INVALID_INPUT', 'A section must not be empty.');
  const before = text ?? '';
  const { chunk, section } = findChunk(before, at);
  const lines = words.trim().split(/\r?\n/).join(lineEndOf(before));
  const isHeading = chunk.range.start === section.heading.start && section.depth > 0;
  return splice(before, chunk.range, isHeading ? `${'#'.repeat(section.depth)} ${lines}` : lines);
}

/**
 * Removes the text of a section, or of a part of a long one, and the heading if nothing is left under it.
 * @throws MemoryError VERSION_CONFLICT when its text has changed
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
