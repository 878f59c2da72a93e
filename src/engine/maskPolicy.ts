/** Applies the memory's policy for personal data and secrets to statements: units, notes, imports. */
import type { SensitivePolicy } from '../ingest/ingest.ts';
import {
  hiddenIn,
  MemoryError,
  SENSITIVITIES,
  sensitivityOf,
  type Sensitivity,
  type Stated,
} from '../model/model.ts';
import { maskFound, maskStatement } from '../text/text.ts';

export interface Examined<S> {
  readonly stated: S;
  /** By what was found: of what is masked, and of what the policy leaves as it is. */
  readonly sensitivity: Sensitivity;
}

/** @throws MemoryError SENSITIVE_TEXT, which names the kinds that were found, without their text */
export function examine<S extends Stated>(
  given: S,
  policy: SensitivePolicy,
  before: Stated | null = null,
): Examined<S> {
  const known = maskStatement(given, { before, detects: false });
  // A new unit with its hidden words was examined before.
  const detects = policy !== 'off' && (before !== null || hiddenIn(given) === undefined);
  const all = detects ? maskStatement(given, { before }) : known;
  if (policy === 'refuse' && all.kinds.length > known.kinds.length) {
    const kinds = [...new Set(all.kinds)].join(', ');
    throw new MemoryError('SENSITIVE_TEXT', `The unit was rejected: it seems to contain ${kinds}.`);
  }
  const stated = policy === 'mask' ? withoutFoundInData(all.masked) : known.masked;
  return { stated, sensitivity: sensitivityOf(all.kinds.map((kind) => ({ kind }))) };
}

/** The same for data that cannot be rejected, such as a file of notes: it is masked instead, without storing the original words. */
export function examineWithoutRejecting<S extends Stated>(
  given: S,
  policy: SensitivePolicy,
  before: Stated | null = null,
): Examined<S> {
  if (policy !== 'refuse') return examine(given, policy, before);
  const { stated, sensitivity } = examine(given, 'mask', before);
  if (!hiddenIn(stated)?.length) return { stated, sensitivity };
  return { stated: { ...stated, payload: { ...stated.payload, hidden: [] } }, sensitivity };
}

/** Masks the structured part of a summary. Its original words are not stored. */
function withoutFoundInData<S extends Stated>(stated: S): S {
  const structured: unknown = Object.entries(stated.payload).find(([name]) => name === 'structured')?.[1];
  if (!structured) return stated;
  const masked: unknown = JSON.parse(JSON.stringify(structured), (_, part: unknown) =>
    typeof part === 'string' ? maskFound(part) : part,
  );
  return { ...stated, payload: { ...stated.payload, structured: masked } };
}

export function higher(one: Sensitivity, other: Sensitivity): Sensitivity {
  return SENSITIVITIES.indexOf(one) >= SENSITIVITIES.indexOf(other) ? one : other;
}

/** The sensitivity of a unit that was reworded: what was raised because of its old words falls with them. */
export function sensitivityAfter(
  { stated, sensitivity: found }: Examined<Stated>,
  before: Stated & { readonly sensitivity: Sensitivity },
): Sensitivity {
  const wasFound = sensitivityOf(hiddenIn(before) ?? []);
  const isRaised = wasFound !== 'normal' && before.sensitivity === wasFound && hiddenIn(stated) !== undefined;
  return isRaised ? found : higher(before.sensitivity, found);
}
