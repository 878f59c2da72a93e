/** The history of a fact: all values of the same subject and predicate over time. */
import {
  maskedWords,
  MemoryError,
  revealed,
  unitsOfKind,
  type Instant,
  type Sensitivity,
  type UnitOf,
} from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { isAlike } from './similarity.ts';
import { readKnownFacts } from './knownFacts.ts';
import { predicateKey } from '../../text/text.ts';
import { subjectKey, userNames } from './subjects.ts';

type Fact = UnitOf<'fact'>;

/** A fact with the period in which it was true. */
export interface FactPeriod {
  readonly unitId: number;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** When it was first stated. */
  readonly toldAt: Instant;
  /** Null: unknown. */
  readonly validFrom: Instant | null;
  /** Exclusive; null: it is still true. */
  readonly validTo: Instant | null;
  readonly confidence: number;
  readonly state: Fact['state'];
  /** The turns that state the fact or its end, oldest first, without those above the requested sensitivity. */
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
 * All facts with the subject and predicate of a fact, whatever their wording, oldest first: where somebody lived, and
 * lives. Archived ones are included, unless another says the same.
 * @param options `maxSensitivity`: the highest sensitivity of facts and turns that are returned; default `private`
 * @throws MemoryError NOT_FOUND when there is no such fact, or it is too sensitive; INVALID_INPUT when the unit is not
 * a fact
 */
export async function factHistory(
  store: Store,
  unitId: number,
  options: { readonly maxSensitivity?: Sensitivity } = {},
): Promise<FactPeriod[]> {
  const { maxSensitivity = 'private' } = options;
  const facts = await readKnownFacts(store, { maxSensitivity, withArchived: true });
  const fact = facts.find(({ id }) => id === unitId) ?? (await explainAbsence(store, unitId));
  const user = userNames(facts);
  const keyOf = ({ payload }: Fact) =>
    `${subjectKey(payload.subject, user)}\n${predicateKey(payload.predicate)}`;
  const key = keyOf(fact);
  const periods = withoutMerged(facts.filter((other) => keyOf(other) === key));
  const evidenceById = await readEvidence(store, periods, options.maxSensitivity);
  return periods
    .toSorted((a, b) => startOf(a) - startOf(b) || a.id - b.id)
    .map((period) => describe(period, evidenceById));
}

async function explainAbsence(store: Store, unitId: number): Promise<never> {
  const [unit] = await store.units.get([unitId]);
  if (unit && unit.kind !== 'fact') {
    throw new MemoryError('INVALID_INPUT', `Unit ${unitId} is no fact; its kind is ${unit.kind}.`);
  }
  throw new MemoryError('NOT_FOUND', `There is no fact ${unitId}.`);
}

/** Without archived facts that were merged into another. */
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
  maxSensitivity: Sensitivity | undefined,
): Promise<Map<number, FactEvidence>> {
  const ids = [...new Set(facts.flatMap(({ payload }) => payload.evidence))];
  const allowed = await store.units.filter(ids, {
    kinds: ['episode'],
    ...(maxSensitivity && { maxSensitivity }),
    withArchived: true,
  });
  const units = await store.units.get(allowed);
  return new Map(
    unitsOfKind('episode', units).map((episode) => {
      const { id: unitId, occurredAt, payload } = revealed(episode, maxSensitivity);
      const { conversationId, turnIndex, speaker } = payload;
      const text = maskedWords(payload);
      return [unitId, { unitId, conversationId, turnIndex, speaker, text, occurredAt }] as const;
    }),
  );
}

function describe(fact: Fact, evidenceById: ReadonlyMap<number, FactEvidence>): FactPeriod {
  const { subject, predicate, object, validFrom, validTo } = fact.payload;
  const evidence = fact.payload.evidence.flatMap((id) => evidenceById.get(id) ?? []);
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
