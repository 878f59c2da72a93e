/**
 * Direct answers without a search, for an utterance that clearly names one target: a memory file, the last
 * conversation, or recent days.
 */
import type { Instant, Unit } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import type { Intent } from '../intent.ts';
import { narrow } from '../search.ts';
import type { Question } from '../types.ts';
import { asksOnlyAboutDays, daysAskedFor, startOfDay } from './days.ts';
import { fileAskedFor } from './files.ts';
import { asksForLastConversation, lastConversation } from './lastConversation.ts';

export { asksOnlyAboutDays } from './days.ts';

/** The feature that explains the hits of each direct answer. */
export const DIRECT_FEATURES = {
  note: 'direct',
  last_conversation: 'lastConversation',
  timeline: 'direct',
} as const;

export interface DirectPath {
  readonly path: keyof typeof DIRECT_FEATURES;
  /** The file, the id of the conversation, or the words for the days. */
  readonly target: string;
  /** In display order. */
  readonly units: readonly Unit[];
}

/** The target of a notes search: one file, or the journal of some days (`to` is exclusive). */
export type NoteDestination =
  | { readonly path: 'file'; readonly uri: string }
  | { readonly path: 'timeline'; readonly from: Instant; readonly to: Instant };

/** Maximum number of units read for a direct answer; limit and budget decide how many are shown. */
const MAX_UNITS = 200;

/**
 * The clear target of a notes search, or null when a real search is needed. Days alone (“yesterday”) are a clear target
 * here; in a conversation they would be small talk.
 * @param timeZone the memory’s time zone
 */
export function findNoteDestination(query: string, now: Instant, timeZone: string): NoteDestination | null {
  const uri = fileAskedFor(query);
  if (uri !== null) return { path: 'file', uri };
  const days = daysAskedFor(query, now, timeZone);
  return days && { path: 'timeline', ...days };
}

/** Returns the direct answer, if the utterance clearly names a target and the target contains something. */
export async function takeDirectPath(
  store: Store,
  utterance: string,
  intent: Intent,
  question: Question,
): Promise<DirectPath | null> {
  return (
    (await noteFile(store, utterance, question)) ??
    (await lastTurns(store, utterance, intent, question)) ??
    (await timeline(store, utterance, intent, question))
  );
}

/** The end of the last conversation, newest turn first. */
async function lastTurns(
  store: Store,
  utterance: string,
  intent: Intent,
  question: Question,
): Promise<DirectPath | null> {
  if (!isRequestedKind(question, 'episode')) return null;
  if (!asksForLastConversation(utterance, intent.spans, question.context.length)) return null;
  const units = await lastConversation(store, intent, question);
  const [last] = units;
  return last ? { path: 'last_conversation', target: last.payload.conversationId, units } : null;
}

async function noteFile(store: Store, utterance: string, question: Question): Promise<DirectPath | null> {
  if (!isRequestedKind(question, 'note')) return null;
  const notes = { ...question.filter, kinds: ['note'] as const };
  // Building the grammar takes about 0.2 s the first time, and most companions' memories contain no notes.
  if ((await store.units.list(notes, { limit: 1 })).length === 0) return null;
  const uri = fileAskedFor(utterance);
  if (uri === null) return null;
  const filter = { ...notes, uri };
  const units = await store.units.list(filter, { limit: MAX_UNITS });
  return units.length === 0
    ? null
    : { path: 'note', target: uri, units: await inFileOrder(store, uri, units) };
}

async function inFileOrder(store: Store, uri: string, units: readonly Unit[]): Promise<readonly Unit[]> {
  const file = (await store.noteFiles.list()).find((one) => one.uri === uri);
  const places = new Map(file?.unitIds.map((id, place) => [id, place]));
  return units.toSorted((a, b) => (places.get(a.id) ?? Infinity) - (places.get(b.id) ?? Infinity) || 0);
}

/** Recent days: their journal if there is one, else the turns of those days; newest first, without a search. */
async function timeline(
  store: Store,
  utterance: string,
  intent: Intent,
  question: Question,
): Promise<DirectPath | null> {
  const range = intent.timeRange;
  if (!range || !asksOnlyAboutDays(utterance, intent.spans)) return null;
  const journal = isRequestedKind(question, 'note') ? await journalOf(store, range, question) : [];
  const units =
    journal.length > 0 || !isRequestedKind(question, 'episode')
      ? journal
      : await store.units.list(
          { ...narrow(question.filter, range), kinds: ['episode'] },
          { limit: MAX_UNITS },
        );
  return units.length === 0 ? null : { path: 'timeline', target: range.words, units };
}

/** A day's journal counts from midnight, also for “yesterday evening”. */
async function journalOf(
  store: Store,
  { from, to }: { from: Instant; to: Instant },
  { filter, timeZone }: Question,
): Promise<Unit[]> {
  const within = narrow(filter, { from: startOfDay(from, timeZone), to });
  return (await store.units.list({ ...within, kinds: ['note'] }, { limit: MAX_UNITS })).filter(isJournal);
}

function isJournal(unit: Unit): boolean {
  return unit.kind === 'note' && unit.payload.uri.startsWith('journal/');
}

function isRequestedKind(question: Question, kind: Unit['kind']): boolean {
  return question.filter.kinds?.includes(kind) ?? true;
}
