import {
  DAY_MS,
  localDate,
  revealed,
  unitText,
  type Instant,
  type Unit,
  type UnitOf,
  unitsOfKind,
} from '../model/model.ts';
import { unitsAsOf } from '../recall/recall.ts';
import type { Store, UnitFilter } from '../store/store.ts';
import { oneLine, snippet, terms, type Language } from '../text/text.ts';
import { quote } from './quote.ts';
import { isRedacted } from './redacted.ts';
import type { Entry, Section } from './sections.ts';

/** The most candidates in each section; the budget decides later how many are shown. */
const MAX_CANDIDATES = { facts: 24, notes: 8, summaries: 4, loops: 10 } as const;
/** Files of notes that are relevant whatever is asked: preferences and instructions. (DESIGN §8) */
const PROFILE_NOTES = [
  'user/instructions.md',
  'user/preferences.md',
  'agent/instructions.md',
  'agent/preferences.md',
];
/** The longest passage of a note, in UTF-16 units. */
const NOTE_CHARS = 400;
/** The most units from which they are chosen. */
const MAX_READ = 1_000;
/** Age at which a fact's recency is e^−1, days. */
const RECENCY_TAU_DAYS = 45;

export interface ProfileQuery {
  /** The utterance and the context before it. */
  readonly about: string;
  readonly language: Language;
  /** When the question is asked: what had expired, had not happened yet, or was no longer true at that time is left out. */
  readonly at: Instant;
  /** Units that recall found relevant to the utterance, best first: they come first in their sections. */
  readonly relevantIds: readonly number[];
}

/**
 * Capsule, facts, summaries and open loops: units relevant to the utterance first, pinned facts always, then units
 * that are always relevant.
 * @param mayBeShown with `asOf`, texts are shown as they were at that time
 */
export async function gatherProfileSections(
  store: Store,
  { about, language, at: now, relevantIds }: ProfileQuery,
  { maxSensitivity, scope, asOf }: UnitFilter,
): Promise<Section[]> {
  const filter: UnitFilter = {
    aliveAt: now,
    asOf: asOf ?? now,
    validAt: asOf ?? now,
    ...(maxSensitivity && { maxSensitivity }),
    ...(scope && { scope }),
  };
  const list = async <K extends 'capsule' | 'fact' | 'summary' | 'loop'>(
    kind: K,
    limit: number,
    more: Pick<UnitFilter, 'pinned'> = {},
  ) => {
    const units = await store.units.list({ ...filter, ...more, kinds: [kind] }, { limit });
    return inTheirWords(unitsOfKind(kind, units));
  };
  const inTheirWords = async <U extends Unit>(units: readonly U[]) => {
    const told = asOf === undefined ? units : await unitsAsOf(store, units, asOf);
    return told.map((unit) => revealed(unit, maxSensitivity)).filter((unit) => !isRedacted(unitText(unit)));
  };
  const [capsules, pinned, newest, newestSummaries, newestLoops] = await Promise.all([
    list('capsule', 1),
    list('fact', MAX_READ, { pinned: true }),
    list('fact', MAX_READ),
    list('summary', MAX_READ),
    list('loop', MAX_READ),
  ]);
  const standingNotes = (await readProfileNotes(store, filter))
    .map((note) => revealed(note, maxSensitivity))
    .filter((note) => !isRedacted(unitText(note)));
  const read = new Set(
    [pinned, newest, newestSummaries, newestLoops, standingNotes].flat().map(({ id }) => id),
  );
  // Relevant units that are older than all units that were read.
  const older = await inTheirWords(await store.units.get(relevantIds.filter((id) => !read.has(id))));
  const among = <K extends Unit['kind']>(kind: K) =>
    older.filter((unit): unit is UnitOf<K> => unit.kind === kind);
  const known = [...pinned, ...newest, ...among('fact')];
  const facts = [...new Map(known.map((fact) => [fact.id, fact])).values()];
  const notes = [...standingNotes, ...among('note')];
  const summaries = [...newestSummaries, ...among('summary')];
  const loops = [...newestLoops, ...among('loop')];
  const first = relevantFirst(relevantIds);
  const section = (name: Section['name'], entries: Entry[]): Section => ({ name, own: '', entries });
  return [
    section(
      'CONTEXT_CAPSULE',
      capsules.map((unit) => entry(unit.id, oneLine(unit.payload.text))),
    ),
    section('STABLE_FACTS', [
      ...first(bestFacts(facts, now, relevantIds)).map((unit) => entry(unit.id, factLine(unit, language))),
      ...first(bestNotes(notes, about))
        .slice(0, MAX_CANDIDATES.notes)
        .map((unit) => entry(unit.id, noteLine(unit, about, language))),
    ]),
    section(
      'SHARED_NARRATIVE',
      first(bestSummaries(summaries, about))
        .slice(0, MAX_CANDIDATES.summaries)
        .map((unit) => entry(unit.id, summaryLine(unit))),
    ),
    section(
      'OPEN_LOOPS',
      first(byDueDate(loops))
        .slice(0, MAX_CANDIDATES.loops)
        .map((unit) => entry(unit.id, loopLine(unit, store.timeZone, language))),
    ),
  ];
}

/** Puts units relevant to the utterance first; otherwise keeps the order. */
function relevantFirst(
  relevantIds: readonly number[],
): <U extends { readonly id: number }>(units: readonly U[]) => U[] {
  const places = new Map(relevantIds.map((id, place) => [id, place]));
  const placeOf = ({ id }: { readonly id: number }) => places.get(id) ?? Infinity;
  return (units) => units.toSorted((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)));
}

function entry(unitId: number, line: string): Entry {
  return { lines: [`- ${line}`], unitIds: [unitId] };
}

/**
 * The relationship and the latest week, then people and topics that the conversation mentions, then the most
 * recent.
 */
function bestSummaries(summaries: readonly UnitOf<'summary'>[], about: string): UnitOf<'summary'>[] {
  const aboutText = about.toLowerCase();
  const newest = [...summaries].sort((a, b) => lastEventAt(b) - lastEventAt(a) || b.id - a.id);
  const first = (scope: UnitOf<'summary'>['payload']['scope']) =>
    newest.filter((unit) => unit.payload.scope === scope).slice(0, 1);
  const ofSubjects = newest.filter(({ payload }) => payload.scope === 'person' || payload.scope === 'topic');
  const isTalkedAbout = (unit: UnitOf<'summary'>) => aboutText.includes(titleOf(unit).toLowerCase());
  const order = [
    ...first('relationship'),
    ...first('weekly'),
    ...ofSubjects.filter(isTalkedAbout),
    ...ofSubjects,
    ...newest,
  ];
  return [...new Set(order)];
}

/** The end of the period that it covers; without a period, when it was last updated. */
function lastEventAt({ payload, updatedAt }: UnitOf<'summary'>): Instant {
  return payload.range?.to ?? updatedAt;
}

/** The subject of a summary, in words. */
function titleOf({ payload }: UnitOf<'summary'>): string {
  const title = payload.structured?.['title'];
  return typeof title === 'string' ? title : payload.scopeKey;
}

function summaryLine(unit: UnitOf<'summary'>): string {
  const title = oneLine(titleOf(unit));
  return `${title ? `${title}: ` : ''}${oneLine(unit.payload.text)}`;
}

/** Ranked by 0.45 confidence + 0.25 salience + 0.20 recency + 0.10 pinned. (DESIGN §5) */
function bestFacts(
  facts: readonly UnitOf<'fact'>[],
  now: Instant,
  relevantIds: readonly number[],
): UnitOf<'fact'>[] {
  const rank = ({ id, pinned }: UnitOf<'fact'>) => (relevantIds.includes(id) ? 0 : pinned ? 1 : 2);
  const always = facts.filter((fact) => rank(fact) < 2).length;
  return facts
    .map((fact) => ({ fact, score: factScore(fact, now) }))
    .sort((a, b) => rank(a.fact) - rank(b.fact) || b.score - a.score || a.fact.id - b.fact.id)
    .slice(0, Math.max(MAX_CANDIDATES.facts, always))
    .map(({ fact }) => fact);
}

/** The score by which facts are ranked, 0..1. */
export function factScore(
  fact: Pick<UnitOf<'fact'>, 'confidence' | 'salience' | 'occurredAt' | 'pinned'>,
  now: Instant,
): number {
  const recency = Math.exp(-Math.max(0, now - fact.occurredAt) / DAY_MS / RECENCY_TAU_DAYS);
  return 0.45 * fact.confidence + 0.25 * fact.salience + 0.2 * recency + 0.1 * (fact.pinned ? 1 : 0);
}

async function readProfileNotes(store: Store, filter: UnitFilter): Promise<UnitOf<'note'>[]> {
  const { asOf: _, validAt: __, ...present } = filter;
  // Most memories of companions have no notes, and the chat waits for this.
  if ((await store.units.list({ ...present, kinds: ['note'] }, { limit: 1 })).length === 0) return [];
  const files = PROFILE_NOTES.map((uri) =>
    store.units.list({ ...present, kinds: ['note'], uri }, { limit: MAX_READ }),
  );
  return (await Promise.all(files)).flat().filter((unit) => unit.kind === 'note');
}

/** Those that share most words with the conversation, then those reinforced most often. */
function bestNotes(notes: readonly UnitOf<'note'>[], about: string): UnitOf<'note'>[] {
  const queryTerms = new Set(terms(about));
  return notes
    .map((note) => ({ note, shared: new Set(terms(unitText(note))).intersection(queryTerms).size }))
    .sort(
      (a, b) => b.shared - a.shared || b.note.reinforcement - a.note.reinforcement || a.note.id - b.note.id,
    )
    .map(({ note }) => note);
}

function noteLine({ payload }: UnitOf<'note'>, about: string, language: Language): string {
  const words = snippet(payload.text, { maxChars: NOTE_CHARS, around: terms(about) });
  const section = oneLine(payload.section);
  return `${section ? `${section}: ` : ''}${quote(words, language)}`;
}

function factLine({ payload }: UnitOf<'fact'>, language: Language): string {
  const [subject, predicate, object] = [payload.subject, payload.predicate, payload.object].map(oneLine);
  return language === 'en' ? `${subject} ${predicate} ${object}` : `${subject}｜${predicate}｜${object}`;
}

/** Open loops: those due soonest first, then the newest. */
function byDueDate(loops: readonly UnitOf<'loop'>[]): UnitOf<'loop'>[] {
  const due = (loop: UnitOf<'loop'>) => loop.payload.dueAt ?? Infinity;
  return loops
    .filter((loop) => loop.payload.status === 'open')
    .sort((a, b) => (due(a) === due(b) ? b.occurredAt - a.occurredAt || a.id - b.id : due(a) - due(b)));
}

function loopLine(loop: UnitOf<'loop'>, timeZone: string, language: Language): string {
  const { text, dueAt } = loop.payload;
  if (dueAt === null) return quote(text, language);
  const date = localDate(dueAt, timeZone);
  const until = { ja: `${date}まで`, zh: `截止${date}`, en: `due ${date}` }[language];
  return language === 'en' ? `${quote(text, language)} (${until})` : `${quote(text, language)}（${until}）`;
}
