/** How a fact came to be what it is: everything that held of the same subject, one after the other. */
import { MemoryError, type Instant, type Sensitivity, type UnitOf } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { isAlike } from './alike.ts';
import { readKnownFacts } from './knownFacts.ts';
import { predicateKey } from './predicates.ts';
import { subjectKey, userNames } from './subjects.ts';

type Fact = UnitOf<'fact'>;

/** A fact, while it held. */
export interface FactPeriod {
  readonly unitId: number;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** When it was first told. */
  readonly toldAt: Instant;
  /** Null: nobody said since when. */
  readonly validFrom: Instant | null;
  /** Exclusive; null: it holds. */
  readonly validTo: Instant | null;
  readonly confidence: number;
  readonly state: Fact['state'];
  /** The turns that tell of it or of its end, oldest first; those more sensitive than asked for are left out. */
  readonly evidence: readonly FactEvidence[];
}

export interface FactEvidence {
  readonly unitId: number;
  readonly conversationId: string;
  readonly turnIndex: number;
  readonly speaker: string;
  readonly text: string;
  readonly occurredAt: Instant;
}

/**
 * All facts of the subject and predicate of a fact, whatever they are worded like, oldest first: where somebody lived,
 * and lives. Archived ones too, unless another says the same.
 * @param options `maxSensitivity`: the most sensitive that is told, facts and turns; default `private`
 * @throws MemoryError NOT_FOUND when there is no such fact, or none that may be told; INVALID_INPUT when it is no fact
 */
export async function factHistory(
  store: Store,
  unitId: number,
  { maxSensitivity = 'private' }: { readonly maxSensitivity?: Sensitivity } = {},
): Promise<FactPeriod[]> {
  const facts = await readKnownFacts(store, { maxSensitivity, withArchived: true });
  const fact = facts.find(({ id }) => id === unitId) ?? (await explainAbsence(store, unitId));
  const user = userNames(facts);
  const keyOf = ({ payload }: Fact) =>
    `${subjectKey(payload.subject, user)}\n${predicateKey(payload.predicate)}`;
  const key = keyOf(fact);
  const periods = withoutMerged(facts.filter((other) => keyOf(other) === key));
  const said = await readEvidence(store, periods, maxSensitivity);
  return periods
    .toSorted((a, b) => startOf(a) - startOf(b) || a.id - b.id)
    .map((period) => describe(period, said));
}

async function explainAbsence(store: Store, unitId: number): Promise<never> {
  const [unit] = await store.units.get([unitId]);
  if (unit && unit.kind !== 'fact') {
    throw new MemoryError('INVALID_INPUT', `Unit ${unitId} is no fact; its kind is ${unit.kind}.`);
  }
  throw new MemoryError('NOT_FOUND', `There is no fact ${unitId}.`);
}

/** Without archived ones that another says the same as: they were merged into it. */
function withoutMerged(facts: readonly Fact[]): Fact[] {
  const kept = facts.filter((fact) => fact.state !== 'archived');
  const saysTheSame = (fact: Fact) =>
    kept.some(
      ({ payload }) => isAlike(payload.object, fact.payload.object) && overlaps(payload, fact.payload),
    );
  return facts.filter((fact) => fact.state !== 'archived' || !saysTheSame(fact));
}

type Validity = Pick<Fact['payload'], 'validFrom' | 'validTo'>;

function overlaps(a: Validity, b: Validity): boolean {
  return (
    (a.validFrom ?? -Infinity) < (b.validTo ?? Infinity) &&
    (b.validFrom ?? -Infinity) < (a.validTo ?? Infinity)
  );
}

function startOf({ payload, occurredAt }: Fact): Instant {
  return payload.validFrom ?? occurredAt;
}

async function readEvidence(
  store: Store,
  facts: readonly Fact[],
  maxSensitivity: Sensitivity,
): Promise<Map<number, FactEvidence>> {
  const ids = [...new Set(facts.flatMap(({ payload }) => payload.evidence))];
  const allowed = await store.units.filter(ids, { kinds: ['episode'], maxSensitivity, withArchived: true });
  const units = await store.units.get(allowed);
  return new Map(
    units.flatMap(({ id: unitId, kind, occurredAt, payload }) => {
      if (kind !== 'episode') return [];
      const { conversationId, turnIndex, speaker, text } = payload;
      return [[unitId, { unitId, conversationId, turnIndex, speaker, text, occurredAt }] as const];
    }),
  );
}

function describe(fact: Fact, said: ReadonlyMap<number, FactEvidence>): FactPeriod {
  const { subject, predicate, object, validFrom, validTo } = fact.payload;
  const evidence = fact.payload.evidence.flatMap((id) => said.get(id) ?? []);
  return {
    unitId: fact.id,
    subject,
    predicate,
    object,
    toldAt: fact.occurredAt,
    validFrom,
    validTo,
    confidence: fact.confidence,
    state: fact.state,
    evidence: evidence.toSorted((a, b) => a.occurredAt - b.occurredAt || a.unitId - b.unitId),
  };
}
