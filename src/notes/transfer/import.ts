import { isMemoryError } from '../../model/model.ts';
import { changeNote, holdsEveryLine, makeNote, readNote, type TransferredNotes } from './files.ts';
import type { ListItem } from './lists.ts';
import { readSources, type FoundList, type FoundText, type Skipped, type SourceOptions } from './sources.ts';

/** The result for one file, or for the memories in it. */
export interface ImportedFile {
  readonly from: string;
  /** The file of notes that contains it. */
  readonly uri: string;
  /** `known`: every line was already there. `extended`: missing lines were added to the existing ones. */
  readonly outcome: 'added' | 'extended' | 'known';
  /** For a list: the number of added items; null for a text. */
  readonly items: number | null;
}

export interface NotesImport {
  readonly files: readonly ImportedFile[];
  /** What could not be imported. */
  readonly skipped: readonly Skipped[];
  /** What was deliberately skipped, to show to people. */
  readonly remarks: readonly string[];
}

/** A file of imported items has at most this many UTF-16 units, of up to three bytes each; then another is used. */
const MAX_FILE_LENGTH = 300_000;

/** Errors of a single file: its name is not allowed, the existing file cannot be read, or the text is too long. */
const SINGLE_FILE_ERRORS: ReadonlySet<string> = new Set([
  'INVALID_INPUT',
  'FILE_UNREADABLE',
  'TEXT_TOO_LONG',
]);

/**
 * Imports files of other tools into the notes. Every line of them is in the notes afterwards, and no existing line is
 * changed: if a file with another text exists, a second one is created (`CLAUDE-2.md`). Importing again adds nothing.
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT, INVALID_INPUT, TEXT_TOO_LONG, INVALID_TEXT, READ_ONLY, DISK_FULL
 */
export async function importNotes(
  notes: TransferredNotes,
  path: string,
  options: SourceOptions = {},
): Promise<NotesImport> {
  const { texts, lists, skipped, remarks } = await readSources(path, options);
  const files: ImportedFile[] = [];
  const refused: Skipped[] = [];
  for (const text of texts) {
    try {
      files.push(await addText(notes, text));
    } catch (error) {
      if (!isMemoryError(error) || !SINGLE_FILE_ERRORS.has(error.code)) throw error;
      refused.push({ from: text.from, reason: error.message });
    }
  }
  for (const list of lists) {
    const items = list.items.filter((item) => formatItem(item).length < MAX_FILE_LENGTH);
    const tooLong = list.items.length - items.length;
    if (tooLong > 0) refused.push({ from: list.from, reason: `memories too long for a note: ${tooLong}` });
    files.push(...(await addItems(notes, { ...list, items })));
  }
  return { files, skipped: [...skipped, ...refused], remarks };
}

/** `name.md`, `name-2.md`, `name-3.md`, … */
function* names(uri: string): Generator<string> {
  const [, stem = uri, ending = ''] = /^(.*?)(\.[^./]+)$/.exec(uri) ?? [];
  yield uri;
  for (let number = 2; ; number++) yield `${stem}-${number}${ending}`;
}

async function addText(notes: TransferredNotes, { from, uri, text }: FoundText): Promise<ImportedFile> {
  for (const name of names(uri)) {
    const there = await readNote(notes, name);
    if (there !== null && holdsEveryLine(there, text))
      return { from, uri: name, outcome: 'known', items: null };
    // False: another process has just created a file of that name.
    if (there === null && (await makeNote(notes, name, text))) {
      return { from, uri: name, outcome: 'added', items: null };
    }
  }
  throw new Error('There is always another name.');
}

/** Appends the missing items to the list's file, and to further files when that is full. */
async function addItems(
  notes: TransferredNotes,
  { from, uri, name: title, items }: FoundList,
): Promise<ImportedFile[]> {
  let missing = await missingIn(notes, uri, items);
  if (missing.length === 0) return [{ from, uri, outcome: 'known', items: 0 }];
  const files: ImportedFile[] = [];
  for (const name of names(uri)) {
    if (missing.length === 0) break;
    const { length } = (await readNote(notes, name)) ?? '';
    const count = countFitting(missing, MAX_FILE_LENGTH - length);
    if (count === 0) continue;
    const added = missing.slice(0, count);
    let isNew = false;
    await changeNote(notes, name, (now) => {
      isNew = now === null;
      return appendItems(now ?? `# ${title}\n`, added);
    });
    files.push({ from, uri: name, outcome: isNew ? 'added' : 'extended', items: count });
    missing = missing.slice(count);
  }
  return files;
}

async function missingIn(
  notes: TransferredNotes,
  uri: string,
  items: readonly ListItem[],
): Promise<ListItem[]> {
  const lines = new Set<string>();
  for (const name of names(uri)) {
    const text = await readNote(notes, name);
    if (text === null) break;
    for (const line of text.split(/\r?\n/)) lines.add(line);
  }
  const seen = new Set<string>();
  return items.filter((item) => {
    const written = formatItem(item);
    const isThere = seen.has(written) || written.split('\n').every((line) => lines.has(line));
    seen.add(written);
    return !isThere;
  });
}

/** At least one item goes into an empty file. */
function countFitting(items: readonly ListItem[], room: number): number {
  let length = 0;
  const count = items.findIndex((item) => (length += formatItem(item).length + 1) > room);
  return count === -1 ? items.length : count;
}

/** Further lines are indented, so that they are part of the item. */
function formatItem({ text }: ListItem): string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.map((line, i) => (i === 0 ? `- ${line}` : `  ${line}`)).join('\n');
}

function appendItems(text: string, items: readonly ListItem[]): string {
  const headings = new Set(items.map(({ heading }) => heading).toSorted(byName));
  const blocks = [...headings].map((heading) => {
    const own = items.filter((item) => item.heading === heading).map(formatItem);
    return [...(heading === null ? [] : [`## ${heading.replaceAll(/\s+/g, ' ')}`, '']), ...own].join('\n');
  });
  return [text.trimEnd(), ...blocks].join('\n\n').concat('\n');
}

/** Those without heading first: after a heading they would belong to it. */
function byName(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  return a < b ? -1 : 1;
}
