/**
 * Applies an episode's facts to the known facts.
 *
 *     known     lives in Tokyo  [Jan ───────────────►          lives in Tokyo [Jan ──── May)
 *     found     lives in Osaka, said in May             ──►    lives in Osaka           [May ────►
 *
 * A repeated fact is reinforced; a new value of an exclusive predicate closes the old fact; nothing is erased.
 */
import { newUnitSchema, type Instant, type UnitOf } from '../../model/model.ts';
import type { UnitChange } from '../../store/store.ts';
import { isNoMoreSensitive } from '../scene.ts';
import { isAlike, isCloser, isPartOfName } from './similarity.ts';
import type { Evidence, FoundFact } from './foundFact.ts';
import { isExclusive, oppositeOf, salienceOf } from './predicates.ts';
import { predicateKey } from '../../text/text.ts';
import { subjectKey, type UserNames } from './subjects.ts';

type Fact = UnitOf<'fact'>;
type Payload = Fact['payload'];

/** A fact during the changes. */
interface Draft {
  /** Null: a new one. */
  readonly unit: Fact | null;
  readonly key: string;
  payload: Payload;
  confidence: number;
  reinforcement: number;
  /** The reason for the change; null: unchanged. */
  reason: string | null;
}

/** The share of the distance to the highest confidence that a repetition adds. */
const REINFORCED = 0.3;
/** Predicates that end together: who leaves a job also loses its place. */
const ENDS_WITH: Readonly<Record<string, readonly string[]>> = {
  workplace: ['workplace', 'job'],
  hobby: ['hobby', 'likes', 'plays'],
  likes: ['likes', 'hobby'],
};

export function reconcile(
  found: readonly FoundFact[],
  known: readonly Fact[],
  user: UserNames,
  evidence: Evidence,
): UnitChange[] {
  const drafts = known.map(draftOf);
  const bySubject = Map.groupBy(drafts, ({ payload }) => subjectKey(payload.subject, user));
  for (const fact of found) {
    const subject = subjectKey(fact.subject, user);
    const about = bySubject.get(subject) ?? [];
    bySubject.set(subject, about);
    const contradicted = drafts.find(({ unit }) => unit !== null && unit.id === fact.contradicts);
    if (fact.ends) end(fact, about, evidence);
    else if (contradicted && isSame(contradicted, fact))
      close(contradicted, fact.validTo ?? evidence.at, evidence);
    else if (!repeat(fact, about, evidence)) about.push(add(fact, about, contradicted, evidence));
  }
  return [...new Set([...drafts, ...[...bySubject.values()].flat()])].flatMap((draft) =>
    changeOf(draft, evidence),
  );
}

function draftOf(unit: Fact): Draft {
  const { payload, confidence, reinforcement } = unit;
  return { unit, key: predicateKey(payload.predicate), payload, confidence, reinforcement, reason: null };
}

function holdsAt({ payload }: Draft, at: Instant): boolean {
  return payload.validTo === null || payload.validTo > at;
}

/** Closes the facts that this fact says to be over. */
function end(fact: FoundFact, about: readonly Draft[], evidence: Evidence): void {
  const at = fact.validTo ?? fact.validFrom ?? evidence.at;
  const key = predicateKey(fact.predicate);
  const keys = ENDS_WITH[key] ?? [key];
  for (const draft of about) {
    const { object } = draft.payload;
    const isMeant = fact.object === '' || isAlike(object, fact.object) || isCloser(object, fact.object);
    if (keys.includes(draft.key) && isMeant) close(draft, at, evidence);
  }
}

/** Ends a fact at an instant, unless it was stated later than its end. */
function close(draft: Draft, at: Instant, evidence: Evidence): boolean {
  const { unit, payload } = draft;
  if (!holdsAt(draft, at) || unit === null || unit.occurredAt > evidence.at) return false;
  // A fact that was to begin later has been denied since.
  const validTo = payload.validFrom !== null && payload.validFrom >= at ? evidence.at : at;
  draft.payload = { ...payload, validTo, evidence: withEvidence(payload.evidence, evidence) };
  draft.reason = 'no longer holds';
  return true;
}

/** Reinforces the fact if it is known. */
function repeat(fact: FoundFact, about: readonly Draft[], evidence: Evidence): boolean {
  const at = fact.validFrom ?? evidence.at;
  const draft = about.find(
    (draft) =>
      isSame(draft, fact) &&
      holdsAt(draft, at) &&
      (draft.unit === null || isNoMoreSensitive(draft.unit.sensitivity, evidence.sensitivity)),
  );
  if (!draft) return false;
  if (draft.unit === null || draft.payload.evidence.includes(evidence.unitId)) return true;
  const { maxConfidence } = evidence;
  draft.payload = {
    ...draft.payload,
    evidence: withEvidence(draft.payload.evidence, evidence),
    validFrom: draft.payload.validFrom ?? fact.validFrom,
    validTo: draft.payload.validTo ?? fact.validTo,
  };
  draft.confidence += Math.max(0, maxConfidence - draft.confidence) * REINFORCED;
  draft.reinforcement += 1;
  draft.reason = 'said again';
  return true;
}

function isSame(draft: Draft, fact: FoundFact): boolean {
  const key = predicateKey(fact.predicate);
  if (draft.key !== key) return false;
  const [one, other] = [draft.payload.object, fact.object];
  if (isAlike(one, other)) return true;
  return key === 'name' ? isPartOfName(one, other) : isExclusive(key) && isCloser(one, other);
}

/** Adds a new fact at its place in time among the facts that it excludes. */
function add(
  fact: FoundFact,
  about: readonly Draft[],
  contradicted: Draft | undefined,
  evidence: Evidence,
): Draft {
  const key = predicateKey(fact.predicate);
  const at = fact.validFrom ?? evidence.at;
  const isOver = fact.validTo !== null && fact.validTo <= evidence.at;
  const rivals = isOver ? [] : about.filter((draft) => isRuledOut(draft, key, fact.object));
  if (contradicted && !rivals.includes(contradicted)) rivals.push(contradicted);
  const closed = rivals.filter((draft) => close(draft, at, evidence));
  // An older statement that was added later: it was true until the start of the next known fact.
  const later = rivals
    .filter(({ unit }) => unit !== null && unit.occurredAt > evidence.at)
    .map(({ unit, payload }) => payload.validFrom ?? unit?.occurredAt ?? evidence.at)
    .filter((start) => start > at);
  const { subject, predicate, object, confidence } = fact;
  return {
    unit: null,
    key,
    payload: {
      subject,
      predicate,
      object,
      objectEntityId: fact.objectEntityId ?? null,
      validFrom: fact.validFrom ?? (closed.length > 0 ? at : null),
      validTo: fact.validTo ?? (later.length > 0 ? Math.min(...later) : null),
      evidence: [evidence.unitId],
    },
    confidence,
    reinforcement: 0,
    reason: 'found',
  };
}

function isRuledOut(draft: Draft, key: string, object: string): boolean {
  if (draft.key === key) return isExclusive(key);
  const known = draft.payload.object;
  const isOfSame = isAlike(known, object) || (isExclusive(draft.key) && isCloser(known, object));
  return draft.key === oppositeOf(key) && isOfSame;
}

function withEvidence(ids: readonly number[], { unitId }: Evidence): number[] {
  return ids.includes(unitId) ? [...ids] : [...ids, unitId];
}

function changeOf(draft: Draft, evidence: Evidence): UnitChange[] {
  const { unit, key, payload, confidence, reinforcement, reason } = draft;
  if (reason === null) return [];
  const content = { kind: 'fact' as const, payload };
  if (unit) {
    return [
      {
        type: 'update',
        unitId: unit.id,
        set: { content, confidence, reinforcement },
        reason,
        expectedVersion: unit.version,
      },
    ];
  }
  const { at: occurredAt, source, sensitivity, scope } = evidence;
  const added = { occurredAt, source, sensitivity, scope, confidence, salience: salienceOf(key), content };
  return [{ type: 'add', unit: newUnitSchema.parse(added), reason: source }];
}
