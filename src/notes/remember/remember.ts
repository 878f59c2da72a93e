/** Writes what is remembered to the files of notes: statements of every type, the journal of the day, and tasks. */
import {
  instantToWallClock,
  isMemoryError,
  localDate,
  MemoryError,
  parseInstant,
  withHiddenWords,
  type Instant,
  type Scope,
} from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { terms } from '../../text/text.ts';
import { appendItem } from '../editing/editing.ts';
import type { NoteFiles } from '../files.ts';
import type { NoteUnit } from '../indexing/indexing.ts';
import { parseNote } from '../parse/parse.ts';
import { Comparer, type Comparison } from './compare.ts';
import { appendTo, appendWhereItBelongs } from './sections.ts';
import { statementsBySection, statementsOf, statementsOfFile, type Written } from './statements.ts';
import { Tasks } from './tasks.ts';
import { inferType, placeFor, type Place, type RememberedType } from './types.ts';

export { Tasks, type Task } from './tasks.ts';
export { inferType, REMEMBERED_TYPES, type RememberedType } from './types.ts';

export interface RememberParts {
  readonly files: NoteFiles;
  readonly store: Store;
  readonly now: () => Instant;
  /** Vectors of texts, all of one model: statements are compared by them too. */
  readonly embed: ((texts: readonly string[]) => Promise<readonly Float32Array[]>) | null;
}

export interface RememberOptions {
  /** Default: derived from the text. */
  readonly type?: RememberedType;
  /** `global`: in `user/`; `project`: in `agent/`. Default: the usual scope of the type. */
  readonly scope?: Scope;
  /** When it is remembered; the date is written with it. Default: now. */
  readonly now?: Date | string | number;
}

/** Where a statement was written. */
export interface RememberedNote {
  readonly uri: string;
  /** Headings above it, joined by ` > `. */
  readonly section: string;
  /** Of the section; null when the file is not indexed. */
  readonly unitId: number | null;
  /** `reinforced`: it was already there, perhaps in other words. */
  readonly outcome: 'added' | 'reinforced';
  /** The text in the file. */
  readonly text: string;
}

/** Longer texts are documents and need their own file, UTF-16 units. */
const MAX_TEXT_LENGTH = 10_000;
/** The most units in other files that are compared. */
const MAX_FROM_OTHER_FILES = 12;
/** The most statements whose vectors are compared. */
const MAX_EMBEDDED = 32;
/** Each failed try means that another process made a change. */
const MAX_TRIES = 100;

/**
 * Remembers a statement: writes it as a dated item to the file of its type, in the section on the same subject. A
 * statement that the notes already contain is reinforced instead; one that says more is added and reinforces the old
 * one.
 * @throws MemoryError INVALID_INPUT, INVALID_TIME, and what editing a file throws
 */
export async function remember(
  parts: RememberParts,
  text: string,
  options: RememberOptions = {},
): Promise<RememberedNote> {
  const words = checkWords(text);
  const { timeZone } = parts.store;
  const now = options.now === undefined ? parts.now() : parseInstant(options.now, timeZone);
  const type = options.type ?? inferType(words);
  if (type === 'task' && options.scope !== 'global') return rememberTask(parts, words, now);
  const place = placeFor(type === 'task' ? 'note' : type, options.scope, words);
  const judge = await createCompare(parts, { text: words, at: now }, place.uri);
  const elsewhere = await findInOtherFiles(parts, words, judge, place.uri);
  if (elsewhere) {
    await reinforce(parts.store, elsewhere.unit.id);
    return toRemembered(elsewhere.unit, elsewhere.statement.words, 'reinforced');
  }
  return write(parts, place, { words, line: `${localDate(now, timeZone)}: ${words}` }, judge);
}

/** Compares an existing statement of the notes with the new one. */
type Compare = (statement: Written) => Comparison;

/** @param line the text with its date */
async function write(
  { files, store }: RememberParts,
  place: Place,
  { words, line }: { readonly words: string; readonly line: string },
  judge: Compare,
): Promise<RememberedNote> {
  let result: { words: string; comparison: Comparison } = { words: line, comparison: 'other' };
  // Only the last call counts: the function is called again when another program writes the file in the meantime.
  await files.edit(place.uri, (text) => {
    const source = text === null || text.trim() === '' ? place.beginning : text;
    const known = mostSimilar(statementsBySection(source, parseNote(source, ''), store.timeZone), judge);
    result = {
      words: known?.comparison === 'same' ? known.words : line,
      comparison: known?.comparison ?? 'other',
    };
    if (known?.comparison === 'same') return text;
    if (known) return appendTo(source, known.section, { text: line });
    return appendWhereItBelongs(source, words, { text: line });
  });
  const { comparison } = result;
  const unit = findUnit(await files.sections(place.uri), result.words);
  if (unit && comparison !== 'other') await reinforce(store, unit.id);
  const outcome = comparison === 'same' ? 'reinforced' : 'added';
  if (unit) return toRemembered(unit, result.words, outcome);
  return { uri: place.uri, section: '', unitId: null, outcome, text: result.words };
}

function mostSimilar<T extends { readonly statement: Written }>(
  written: readonly T[],
  judge: Compare,
): (T & { comparison: Comparison; words: string }) | null {
  const judged = written.map((one) => ({
    ...one,
    words: one.statement.words,
    comparison: judge(one.statement),
  }));
  return (
    judged.find(({ comparison }) => comparison === 'same') ??
    judged.findLast(({ comparison }) => comparison === 'more') ??
    null
  );
}

/** The same statement in another file; journals and tasks are not searched, since they record events and not knowledge. */
async function findInOtherFiles(
  { store }: RememberParts,
  words: string,
  judge: Compare,
  uri: string,
): Promise<{ unit: NoteUnit; statement: Written } | null> {
  const hits = await store.indexes.text.search(terms(words), { kinds: ['note'] }, MAX_FROM_OTHER_FILES);
  for (const unit of await store.units.get(hits.map(({ unitId }) => unitId))) {
    if (unit.kind !== 'note' || unit.payload.uri === uri) continue;
    if (['journal', 'task'].includes(unit.payload.memoryType)) continue;
    const statement = statementsOf(withHiddenWords(unit).payload.text, store.timeZone).find(
      (one) => judge(one) === 'same',
    );
    if (statement) return { unit, statement };
  }
  return null;
}

/** Compares by words, and by vectors when these could change the result. */
async function createCompare(
  { files, store, embed }: RememberParts,
  statement: { readonly text: string; readonly at: Instant },
  uri: string,
): Promise<Compare> {
  const comparer = new Comparer(statement, store.timeZone);
  const cosines = new Map<string, number>();
  if (embed) {
    const source = await files.read(uri);
    const open = statementsOfFile(source ?? '', store.timeZone)
      .filter((one) => comparer.compare(one, 1) !== comparer.compare(one, null))
      .slice(-MAX_EMBEDDED);
    for (const [text, cosine] of await cosinesWith(embed, statement.text, open)) cosines.set(text, cosine);
  }
  return (written) => comparer.compare(written, cosines.get(written.text) ?? null);
}

async function cosinesWith(
  embed: NonNullable<RememberParts['embed']>,
  text: string,
  others: readonly Written[],
): Promise<[string, number][]> {
  if (others.length === 0) return [];
  // An unavailable model must not prevent remembering.
  const vectors = await embed([text, ...others.map((other) => other.text)]).catch(() => []);
  const [own, ...theirs] = vectors;
  if (!own || theirs.length !== others.length) return [];
  return others.map((other, i) => [other.text, cosineOf(own, theirs[i] ?? own)]);
}

function cosineOf(a: Float32Array, b: Float32Array): number {
  let [dot, lengthA, lengthB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    dot += x * y;
    lengthA += x * x;
    lengthB += y * y;
  }
  return lengthA * lengthB === 0 ? 0 : dot / Math.sqrt(lengthA * lengthB);
}

async function rememberTask(parts: RememberParts, words: string, now: Instant): Promise<RememberedNote> {
  const { task, isNew } = await new Tasks({ ...parts, now: () => now }).keep(words);
  const unit = findUnit(await parts.files.sections(task.uri), task.text);
  return {
    uri: task.uri,
    section: unit?.payload.section ?? '',
    unitId: unit?.id ?? null,
    outcome: isNew ? 'added' : 'reinforced',
    text: task.text,
  };
}

/**
 * Appends to the journal of the day, with the time of day in the memory’s time zone.
 * @throws MemoryError INVALID_INPUT, INVALID_TIME, and what editing a file throws
 */
export async function keepJournal(
  { files, store, now }: RememberParts,
  text: string,
  options: { readonly at?: Date | string | number } = {},
): Promise<Omit<RememberedNote, 'outcome'>> {
  const words = checkWords(text);
  const at = options.at === undefined ? now() : parseInstant(options.at, store.timeZone);
  const day = localDate(at, store.timeZone);
  const time = new Date(instantToWallClock(at, store.timeZone)).toISOString().slice(11, 16);
  const uri = `journal/${day}.md`;
  const line = `${time} ${words}`;
  await files.edit(uri, (source) =>
    appendItem(source === null || source.trim() === '' ? `# ${day}\n` : source, { headings: [], text: line }),
  );
  const unit = findUnit(await files.sections(uri), line);
  return { uri, section: unit?.payload.section ?? '', unitId: unit?.id ?? null, text: line };
}

/** Removes white space around the text and blank lines in it, which would end the item. */
function checkWords(text: string): string {
  if (typeof text !== 'string' || text.trim() === '')
    throw new MemoryError('INVALID_INPUT', 'There is nothing to remember: the text is empty.');
  if (text.length > MAX_TEXT_LENGTH)
    throw new MemoryError(
      'INVALID_INPUT',
      `A text to remember may have at most ${MAX_TEXT_LENGTH} characters; write a file instead.`,
    );
  return text.trim().replace(/\s*\n\s*/g, '\n');
}

/** The section that contains the text; the last of several, since new ones are added at the end. */
function findUnit(units: readonly NoteUnit[], words: string): NoteUnit | undefined {
  const [first = ''] = words.split('\n');
  return units.findLast(({ payload }) => payload.text.includes(first));
}

async function reinforce(store: Store, unitId: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    const [unit] = await store.units.get([unitId]);
    if (!unit) return;
    const set = { reinforcement: unit.reinforcement + 1 };
    const change = {
      type: 'update',
      unitId,
      set,
      reason: 'reinforced',
      expectedVersion: unit.version,
    } as const;
    try {
      await store.units.save([change]);
      return;
    } catch (error) {
      if (tries === MAX_TRIES || !isMemoryError(error, 'VERSION_CONFLICT')) throw error;
    }
  }
}

function toRemembered(unit: NoteUnit, text: string, outcome: RememberedNote['outcome']): RememberedNote {
  const { uri, section } = unit.payload;
  return { uri, section, unitId: unit.id, outcome, text };
}
