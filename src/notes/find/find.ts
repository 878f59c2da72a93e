/**
 * Finds notes in the most direct way: the file that the query names, the journal of the days that it names, or a
 * search. (Notes, specification §1–6)
 */
import { MemoryError, parseInstant, type Instant, type Scope } from '../../model/model.ts';
import type { Store, UnitFilter } from '../../store/store.ts';
import { countTokens } from '../../text/text.ts';
import type { NoteFiles } from '../files.ts';
import type { NoteUnit } from '../indexing/indexing.ts';
import { journalDay } from '../parse/parse.ts';

/** The file or days that a query clearly names; `to` is exclusive. */
export type Destination =
  | { readonly path: 'file'; readonly uri: string }
  | { readonly path: 'timeline'; readonly from: Instant; readonly to: Instant };

export interface FindParts {
  readonly files: NoteFiles;
  readonly store: Store;
  readonly now: () => Instant;
  /** The file or days that a query asked at `now` clearly names; null: a search is needed. */
  readonly destinationOf: (query: string, now: Instant) => Destination | null;
  /** Searches the units of notes, best first within the budget, and counts what it returns as accessed. */
  readonly search: (query: string, options: SearchOptions) => Promise<readonly FoundUnit[]>;
}

export interface SearchOptions {
  readonly scope?: Scope;
  /** In tokens. */
  readonly budgetTokens: number;
  readonly now: Instant;
}

export interface FoundUnit {
  readonly unitId: number;
  readonly score: number;
}

export interface FindOptions {
  /** Default: both. */
  readonly scope?: Scope;
  /** Maximum tokens of all texts together; default 1,500. */
  readonly budgetTokens?: number;
  /** The time to which “yesterday” is relative. Default: now. */
  readonly now?: Date | string | number;
}

export interface FoundNotes {
  readonly path: 'file' | 'timeline' | 'hybrid';
  readonly hits: readonly FoundNote[];
  /** Of all texts; at most `budgetTokens`. */
  readonly totalTokens: number;
  readonly budgetRemaining: number;
}

export interface FoundNote {
  /** The unit’s id; null for a whole file. */
  readonly unitId: number | null;
  readonly uri: string;
  readonly text: string;
  /** By the profile of the search; 1 when the query names the file or days. */
  readonly score: number;
  readonly memoryType: string;
  /** Headings above it, joined by ` > `; empty for a whole file. */
  readonly section: string;
  /** How often the same was stated again; for a whole file, the total. */
  readonly reinforcement: number;
  readonly tokens: number;
}

const DEFAULT_TOKENS = 1_500;
/** The most sections of journals that are read; the budget decides how many are returned. */
const MAX_ENTRIES = 500;

/**
 * Finds notes for a query. If the named file does not exist or nothing was noted on the named days, searches
 * instead. Returned units count as accessed.
 * @throws MemoryError INVALID_INPUT, INVALID_TIME
 */
export async function findNotes(
  parts: FindParts,
  query: string,
  options: FindOptions = {},
): Promise<FoundNotes> {
  const { budgetTokens = DEFAULT_TOKENS, scope } = options;
  if (typeof query !== 'string' || query.trim() === '')
    throw new MemoryError('INVALID_INPUT', 'There is nothing to find: the query is empty.');
  if (!Number.isSafeInteger(budgetTokens) || budgetTokens < 0)
    throw new MemoryError('INVALID_INPUT', `budgetTokens must be a whole number from 0, not ${budgetTokens}`);
  const now = options.now === undefined ? parts.now() : parseInstant(options.now, parts.store.timeZone);
  const filter = { kinds: ['note'] as const, ...(scope && { scope }) };
  const destination = parts.destinationOf(query, now);
  if (destination) {
    const direct =
      destination.path === 'file'
        ? await wholeFile(parts, destination.uri, filter, budgetTokens)
        : await journalOf(parts, destination, filter);
    if (direct.length > 0) {
      const fitting = withinBudget(direct, budgetTokens);
      await count(parts, fitting, now);
      return answer(destination.path, fitting, budgetTokens);
    }
  }
  const found = await parts.search(query, { budgetTokens, now, ...(scope && { scope }) });
  return answer('hybrid', withinBudget(await toResults(parts, found), budgetTokens), budgetTokens);
}

/** A result, and the units that were returned with it. */
interface Result {
  readonly note: FoundNote;
  readonly unitIds: readonly number[];
}

/**
 * A file, and the file of the same name in the other scope (`agent/preferences.md`): each as a whole when it fits,
 * else its sections in order. If a part must not be shown, only the other sections are returned, and if words are masked,
 * its sections with the masks.
 */
async function wholeFile(
  parts: FindParts,
  uri: string,
  filter: UnitFilter,
  budgetTokens: number,
): Promise<Result[]> {
  const { files, store } = parts;
  const results: Result[] = [];
  for (const name of [uri, counterpartOf(uri)]) {
    const units = name === null ? [] : await maskedSections(parts, name);
    const shown = new Set(await store.units.filter(unitIdsOf(units), filter));
    const visible = units.filter((unit) => shown.has(unit.id));
    const [first] = visible;
    if (name === null || !first) continue;
    const isWhole = visible.length === units.length && !visible.some(({ payload }) => payload.hidden?.length);
    const text = isWhole ? ((await files.read(name)) ?? '').trim() : '';
    const tokens = countTokens(text);
    if (text === '' || tokens > budgetTokens) {
      results.push(...visible.map((unit) => toResult(unit, 1)));
      continue;
    }
    const reinforcement = visible.reduce((sum, unit) => sum + unit.reinforcement, 0);
    const { memoryType } = first.payload;
    const note = {
      unitId: null,
      uri: name,
      text,
      score: 1,
      memoryType,
      section: '',
      reinforcement,
      tokens,
    };
    results.push({ note, unitIds: unitIdsOf(visible) });
  }
  return results;
}

/** The units of a file’s sections as they are stored. */
async function maskedSections({ files, store }: FindParts, uri: string): Promise<NoteUnit[]> {
  const units = await store.units.get(unitIdsOf(await files.sections(uri)));
  return units.filter((unit) => unit.kind === 'note');
}

function unitIdsOf(units: readonly NoteUnit[]): number[] {
  return units.map(({ id }) => id);
}

function counterpartOf(uri: string): string | null {
  if (uri.startsWith('user/')) return uri.replace('user/', 'agent/');
  return uri.startsWith('agent/') ? uri.replace('agent/', 'user/') : null;
}

/** Newest first: the latest day, and of each day the latest entries. */
async function journalOf(
  { store }: FindParts,
  { from, to }: { from: Instant; to: Instant },
  filter: UnitFilter,
): Promise<Result[]> {
  const units = await store.units.list({ ...filter, from, to }, { limit: MAX_ENTRIES });
  const entries = units.flatMap((unit) => {
    const day = unit.kind === 'note' ? journalDay(unit.payload.uri) : null;
    return unit.kind === 'note' && day !== null ? [{ unit, day }] : [];
  });
  if (entries.length === 0) return [];
  const places = await placesInFiles(store, new Set(entries.map(({ unit }) => unit.payload.uri)));
  const place = ({ id }: NoteUnit) => places.get(id) ?? id;
  return entries
    .toSorted((a, b) => b.day.localeCompare(a.day) || place(b.unit) - place(a.unit))
    .map(({ unit }) => toResult(unit, 1));
}

async function placesInFiles(store: Store, uris: ReadonlySet<string>): Promise<Map<number, number>> {
  const files = (await store.noteFiles.list()).filter(({ uri }) => uris.has(uri));
  return new Map(files.flatMap(({ unitIds }) => unitIds.map((id, place): [number, number] => [id, place])));
}

async function toResults({ store }: FindParts, found: readonly FoundUnit[]): Promise<Result[]> {
  const units = await store.units.get(found.map(({ unitId }) => unitId));
  const scores = new Map(found.map(({ unitId, score }) => [unitId, score]));
  return units.flatMap((unit) => (unit.kind === 'note' ? [toResult(unit, scores.get(unit.id) ?? 0)] : []));
}

function toResult(unit: NoteUnit, score: number): Result {
  const { uri, text, memoryType, section, tokenCount: tokens } = unit.payload;
  const { id, reinforcement } = unit;
  return {
    note: { unitId: id, uri, text, score, memoryType, section, reinforcement, tokens },
    unitIds: [id],
  };
}

/** The results that fit, in order; one that is too long does not exclude shorter ones after it. */
function withinBudget(results: readonly Result[], budgetTokens: number): Result[] {
  let left = budgetTokens;
  return results.filter(({ note }) => {
    const fits = note.tokens <= left;
    if (fits) left -= note.tokens;
    return fits;
  });
}

/** Counts accesses, as a search does for its results. An error here does not fail the request. */
async function count({ store }: FindParts, results: readonly Result[], now: Instant): Promise<void> {
  const unitIds = results.flatMap((result) => result.unitIds);
  if (unitIds.length > 0) await store.units.countAccess(unitIds, now).catch(() => {});
}

function answer(path: FoundNotes['path'], results: readonly Result[], budgetTokens: number): FoundNotes {
  const notes = results.map(({ note }) => note);
  const totalTokens = notes.reduce((sum, { tokens }) => sum + tokens, 0);
  return { path, hits: notes, totalTokens, budgetRemaining: budgetTokens - totalTokens };
}
