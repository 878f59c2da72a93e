/** Finds derived units to archive and derived units that say the same. Episodes are evidence and are never changed. */
import {
  DAY_MS,
  unitText,
  withHiddenWords,
  type Instant,
  type PlanOperation,
  type Unit,
  type UnitOf,
} from '../model/model.ts';
import type { Store } from '../store/store.ts';
import type { Pause } from '../async/async.ts';
import { normalizeStatement } from './normalizeStatement.ts';
import { unitsOf } from './validate.ts';
import { languageOf, WORDING } from './wording.ts';

/** A unit that was not recalled or changed for half a year … */
const FADED_AFTER_MS = 180 * DAY_MS;
/** … and whose salience is below this, and confidence low, is archived. */
const MAX_FADED_SALIENCE = 0.5;
const MAX_FADED_CONFIDENCE = 0.5;
const PAGE = 500;
/** Notes written by hand or by another program; the content of a file is not changed. */
const OWN_NOTES = new Set(['user', 'import']);

/** At most one operation for expired units and one for faded units; one for each group of units that say the same. */
export async function proposeConsolidation(
  store: Store,
  now: Instant,
  pause: Pause,
): Promise<PlanOperation[]> {
  const expired: Unit[] = [];
  const faded: Unit[] = [];
  const byGist = new Map<string, Unit[]>();
  for await (const unit of readDerived(store)) {
    await pause();
    if (isExpired(unit, now)) {
      expired.push(unit);
      continue;
    }
    if (hasFaded(unit, now)) faded.push(unit);
    const gist = normalizedTextOf(unit);
    if (gist !== null) byGist.set(gist, [...(byGist.get(gist) ?? []), unit]);
  }
  const merges = [...byGist.values()].flatMap(mergeOf);
  // A unit that was merged with another has not faded.
  const merged = new Set(merges.flatMap(unitsOf));
  const alone = faded.filter(({ id }) => !merged.has(id));
  return [...merges, ...archiveOf(expired, 'expired'), ...archiveOf(alone, 'faded')];
}

/** Derived units that are active and may be archived, newest first. */
async function* readDerived(store: Store): AsyncGenerator<Unit> {
  const filter = { kinds: ['fact', 'summary', 'loop', 'capsule', 'note'], maxSensitivity: 'secret' } as const;
  for (let last: Unit | undefined; ;) {
    const after = last && { occurredAt: last.occurredAt, unitId: last.id };
    const page = await store.units.list(filter, { limit: PAGE, ...(after && { after }) });
    yield* page.filter((unit) => unit.kind !== 'note' || OWN_NOTES.has(unit.source));
    if (page.length < PAGE) return;
    last = page.at(-1);
  }
}

function isExpired({ pinned, expiresAt }: Unit, now: Instant): boolean {
  return !pinned && expiresAt !== null && expiresAt <= now;
}

/** Old, unimportant, and never recalled. Facts that ended are kept as history, and so are loops that are not due yet. */
function hasFaded(unit: Unit, now: Instant): boolean {
  if (unit.kind !== 'fact' && unit.kind !== 'loop' && unit.kind !== 'summary') return false;
  if (unit.kind === 'fact' && unit.payload.validTo !== null) return false;
  if (unit.kind === 'loop' && (unit.payload.dueAt ?? -Infinity) > now) return false;
  const isOld = Math.max(unit.occurredAt, unit.updatedAt) <= now - FADED_AFTER_MS;
  const isWeak = unit.salience < MAX_FADED_SALIENCE && unit.confidence < MAX_FADED_CONFIDENCE;
  return isOld && isWeak && !unit.pinned && unit.accessCount === 0 && unit.reinforcement === 0;
}

function archiveOf(units: readonly Unit[], why: 'expired' | 'faded'): PlanOperation[] {
  if (units.length === 0) return [];
  const unitIds = units.map(({ id }) => id).sort((a, b) => a - b);
  const { reasons } = WORDING[languageOf(units.map(unitText))];
  return [{ type: 'archiveUnits', unitIds, reason: reasons[why] }];
}

/** A key that is equal for units that say the same; null for units that are not compared. */
function normalizedTextOf(unit: Unit): string | null {
  const common = [unit.kind, unit.sensitivity, unit.scope];
  if (unit.kind === 'fact') {
    const { subject, predicate, object, validTo } = withHiddenWords(unit).payload;
    return JSON.stringify([...common, ...[subject, predicate, object].map(normalizeStatement), validTo]);
  }
  if (unit.kind !== 'note') return null;
  const { uri, section, memoryType, text } = withHiddenWords(unit).payload;
  return JSON.stringify([...common, uri, section, memoryType, normalizeStatement(text)]);
}

function mergeOf(units: readonly Unit[]): PlanOperation[] {
  const [into, ...others] = [...units].sort(byMergePriority);
  if (!into) return [];
  const merged = others.filter((unit) => !unit.pinned && hasSameStart(into, unit));
  if (merged.length === 0) return [];
  const unitIds = merged.map(({ id }) => id).sort((a, b) => a - b);
  const { reasons } = WORDING[languageOf([unitText(into)])];
  return [{ type: 'mergeUnits', unitIds, intoId: into.id, reason: reasons.saysTheSame }];
}

/** Orders units so that the first takes in the others: pinned first, then the most confident, most reinforced, oldest. */
function byMergePriority(a: Unit, b: Unit): number {
  return (
    Number(b.pinned) - Number(a.pinned) ||
    b.confidence - a.confidence ||
    b.reinforcement - a.reinforcement ||
    a.occurredAt - b.occurredAt ||
    a.id - b.id
  );
}

/** A fact with another start date is another fact. */
function hasSameStart(a: Unit, b: Unit): boolean {
  if (a.kind !== 'fact' || b.kind !== 'fact') return true;
  const [one, other] = [a.payload.validFrom, b.payload.validFrom];
  return other === null || one === other;
}

/** The unit, extended by the metadata of others that say the same. */
export function reinforced(into: Unit, others: readonly Unit[]) {
  const all = [into, ...others];
  return {
    reinforcement: into.reinforcement + others.reduce((sum, { reinforcement }) => sum + 1 + reinforcement, 0),
    confidence: Math.max(...all.map(({ confidence }) => confidence)),
    salience: Math.max(...all.map(({ salience }) => salience)),
    // If one of them never expires, the result never expires.
    expiresAt: all.some(({ expiresAt }) => expiresAt === null)
      ? null
      : Math.max(...all.map(({ expiresAt }) => expiresAt ?? 0)),
    ...withEvidence(into, others),
  };
}

type Witnessed = Exclude<Unit, UnitOf<'episode'> | UnitOf<'note'>>;

function withEvidence(into: Unit, others: readonly Unit[]) {
  if (!isWitnessed(into)) return {};
  const evidence = [
    ...new Set([into, ...others].flatMap((unit) => (isWitnessed(unit) ? unit.payload.evidence : []))),
  ];
  const payload = { ...into.payload, evidence };
  return { content: { kind: into.kind, payload } as { kind: 'fact'; payload: UnitOf<'fact'>['payload'] } };
}

function isWitnessed(unit: Unit): unit is Witnessed {
  return unit.kind !== 'episode' && unit.kind !== 'note';
}
