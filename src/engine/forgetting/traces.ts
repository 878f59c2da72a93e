/** Finds what else in a memory comes from the erased turns, by its evidence or by its words. */
import {
  unitText,
  type Episode,
  type Topic,
  type Unit,
  type UnitOf,
  unitsOfKind,
} from '../../model/model.ts';
import type { Erasure, Store } from '../../store/store.ts';
import { documentTerms, terms } from '../../text/text.ts';
import { ANY, listAll } from './selection.ts';

type Note = UnitOf<'note'>;
const DERIVED = ['fact', 'summary', 'loop', 'capsule'] as const;
/** The most members from which a topic is renamed. */
const MAX_MEMBERS = 1_000;

export interface Traces {
  readonly units: readonly Unit[];
  readonly reworded: Erasure['reworded'];
  readonly topics: Erasure['topics'];
  /** Notes in files with a word that only the erased turns contained: they are files of a person, and are kept. */
  readonly notes: readonly Note[];
}

export interface Tracing {
  readonly store: Store;
  readonly episodes: readonly Episode[];
  /** Whether the episodes are erased already, and counted nowhere. */
  readonly areErased?: true;
  /** Derived units that are erased in any case. */
  readonly units: readonly Unit[];
  readonly nameTopic: (unitIds: readonly number[]) => Promise<Pick<Topic, 'title' | 'summary'>>;
}

export async function findTraces(tracing: Tracing): Promise<Traces> {
  const { store, episodes } = tracing;
  const chosen = new Set(tracing.units.map(({ id }) => id));
  // A text written by hand is not a trace of erased turns.
  const stays = (unit: Unit) => episodes.length === 0 && isWrittenByHand(unit) && !chosen.has(unit.id);
  const notes = unitsOfKind('note', await listAll(store, { ...ANY, kinds: ['note'] }));
  const [removed, standing] = [notes.filter(isRemoved), notes.filter((note) => !isRemoved(note))];
  const all = [...(await listAll(store, { ...ANY, kinds: DERIVED })), ...removed];
  const derived = all.filter((unit) => !stays(unit));
  const named = tracing.units.filter((unit) => unit.kind !== 'note' || isRemoved(unit));
  const counted = tracing.areErased ? named : [...episodes, ...named];
  const own = await ownTerms(store, { forgotten: [...episodes, ...named], counted, derived });
  const tells = (text: string) => terms(text).some((term) => own.has(term));
  const gone = new Set(episodes.map(({ id }) => id));
  const units = derived.filter(
    (unit) => chosen.has(unit.id) || isOnlyFrom(unit, gone) || tells(unitText(unit)),
  );
  const left = derived.filter((unit) => !units.includes(unit));
  return {
    units,
    reworded: [
      ...left.flatMap((unit) => withoutEvidence(unit, gone)),
      ...reopened(left, units),
      ...(await withoutNotes(store, episodes, tells)),
      ...(await withoutEarlierText(
        store,
        standing.filter((note) => episodes.length > 0 || chosen.has(note.id)),
        { chosen, tells },
      )),
    ],
    topics: await renamed(tracing, gone, { own, tells }),
    notes: standing.filter((note) => tells(unitText(note))),
  };
}

/** Terms that would remain only in derived units: a unit that contains one quotes the erased text. */
async function ownTerms(
  store: Store,
  units: {
    readonly forgotten: readonly Unit[];
    /** Those of them that the index still counts. */
    readonly counted: readonly Unit[];
    readonly derived: readonly Unit[];
  },
): Promise<ReadonlySet<string>> {
  const { forgotten, counted, derived } = units;
  const said = new Set(forgotten.flatMap((unit) => terms(wordsOf(unit))));
  const { documentFrequency } = await store.indexes.text.statistics({ terms: [...said], speakers: [] });
  const left = new Map(documentFrequency);
  const notes = await listAll(store, { ...ANY, kinds: ['note'] });
  const uncounted = new Map([...counted, ...derived, ...notes].map((unit) => [unit.id, unit]));
  for (const unit of uncounted.values()) {
    for (const term of new Set(documentTerms(unit, store.timeZone).terms)) {
      const count = left.get(term);
      if (count !== undefined) left.set(term, count - 1);
    }
  }
  return new Set([...said].filter((term) => (left.get(term) ?? 0) <= 0));
}

function wordsOf(unit: Unit): string {
  return unit.kind === 'episode' ? `${unit.payload.speaker} ${unitText(unit)}` : unitText(unit);
}

function evidenceOf(unit: Unit): readonly number[] {
  return 'evidence' in unit.payload ? unit.payload.evidence : [];
}

/** A note whose section is in no file any more. */
function isRemoved({ state }: Unit): boolean {
  return state === 'archived';
}

/** Notes in files that are chosen, or whose earlier text contains an erased term and the present text does not. */
async function withoutEarlierText(
  store: Store,
  notes: readonly Note[],
  { chosen, tells }: { readonly chosen: ReadonlySet<number>; readonly tells: (text: string) => boolean },
): Promise<Erasure['reworded']> {
  const reworded: Erasure['reworded'][number][] = [];
  for (const note of notes) {
    if (note.version === 1 || (!chosen.has(note.id) && tells(unitText(note)))) continue;
    const earlier = (await store.units.versions(note.id)).filter(({ version }) => version < note.version);
    const isTrace = chosen.has(note.id) || earlier.some(({ snapshot }) => tells(unitText(snapshot)));
    if (isTrace && earlier.length > 0) reworded.push({ unitId: note.id, payload: note.payload });
  }
  return reworded;
}

/** Written by hand, and not derived. */
function isWrittenByHand(unit: Unit): boolean {
  if (unit.kind === 'note') return true;
  return (unit.kind === 'fact' || unit.kind === 'loop') && unit.payload.evidence.length === 0;
}

/** A fact is kept while it has other evidence; summaries and similar units depend on all their evidence. */
function isOnlyFrom(unit: Unit, gone: ReadonlySet<number>): boolean {
  const evidence = evidenceOf(unit);
  if (unit.kind === 'fact' || unit.kind === 'loop')
    return evidence.length > 0 && evidence.every((id) => gone.has(id));
  return evidence.some((id) => gone.has(id));
}

function withoutEvidence(unit: Unit, gone: ReadonlySet<number>): Erasure['reworded'] {
  const evidence = evidenceOf(unit);
  if (!evidence.some((id) => gone.has(id))) return [];
  const kept = evidence.filter((id) => !gone.has(id));
  return [{ unitId: unit.id, payload: { ...unit.payload, evidence: kept } }];
}

/** Facts that an erased fact had ended. */
function reopened(left: readonly Unit[], erased: readonly Unit[]): Erasure['reworded'] {
  const ends = erased.flatMap((unit) =>
    unit.kind === 'fact' && unit.payload.validFrom !== null
      ? [[factKey(unit, unit.payload.validFrom), unit.payload.validTo] as const]
      : [],
  );
  const endOf = new Map(ends);
  return left.flatMap((unit) => {
    if (unit.kind !== 'fact' || unit.payload.validTo === null) return [];
    const key = factKey(unit, unit.payload.validTo);
    return endOf.has(key)
      ? [{ unitId: unit.id, payload: { ...unit.payload, validTo: endOf.get(key) ?? null } }]
      : [];
  });
}

function factKey({ payload }: UnitOf<'fact'>, at: number): string {
  return JSON.stringify([payload.subject, payload.predicate, at]);
}

/** Removes notes in other episodes of the same conversations that contain an erased term. */
async function withoutNotes(
  store: Store,
  episodes: readonly Episode[],
  tells: (text: string) => boolean,
): Promise<Erasure['reworded']> {
  const gone = new Set(episodes.map(({ id }) => id));
  const reworded: Erasure['reworded'][number][] = [];
  for (const conversationId of new Set(episodes.map(({ payload }) => payload.conversationId))) {
    for (const unit of await listAll(store, { ...ANY, conversationId, kinds: ['episode'] })) {
      if (unit.kind !== 'episode' || gone.has(unit.id)) continue;
      const { contextNote, reflection } = unit.payload;
      if (!tells(`${contextNote ?? ''}\n${reflection ?? ''}`)) continue;
      reworded.push({ unitId: unit.id, payload: { ...unit.payload, contextNote: null, reflection: null } });
    }
  }
  return reworded;
}

/** Topics that lose members, or whose texts contain an erased term: renamed from the remaining members. */
async function renamed(
  { store, episodes, nameTopic }: Tracing,
  gone: ReadonlySet<number>,
  { own, tells }: { own: ReadonlySet<string>; tells: (text: string) => boolean },
): Promise<Erasure['topics']> {
  const touched = new Set(
    (await store.topics.ofUnits(episodes.map(({ id }) => id))).values().toArray().flat(),
  );
  const named = await store.topics.search([...own], MAX_MEMBERS);
  const topics = await store.topics.get([...new Set([...touched, ...named.map(({ topicId }) => topicId)])]);
  const renamed: Erasure['topics'][number][] = [];
  for (const topic of topics) {
    const quotes = tells(`${topic.title}\n${topic.summary ?? ''}`);
    if (!quotes && (topic.source === 'user' || !touched.has(topic.id))) continue;
    const members = await store.topics.membersOf(topic.id, { limit: MAX_MEMBERS, withDescendants: true });
    const left = members.filter((unitId) => !gone.has(unitId));
    if (left.length === 0) continue;
    renamed.push({ id: topic.id, ...(await nameTopic(left)), source: 'forgotten' });
  }
  return renamed;
}
