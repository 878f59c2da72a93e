/** Marks that identify completed derivations. */
import { createHash } from 'node:crypto';
import type { DerivationMark } from '../store/store.ts';

export interface MarkParts {
  readonly unitId: number;
  /** The name of the derivation: `extract_facts`. */
  readonly kind: string;
  /** The version of the prompt or rules. */
  readonly version: number;
  /** The model; null: rules. */
  readonly modelId: string | null;
  /** All text that is read: of the unit and of those around it. Not known facts, since each derivation changes them. */
  readonly words: readonly string[];
}

export function markOf({ unitId, kind, version, modelId, words }: MarkParts): DerivationMark {
  const form = modelId === null ? 'rules' : 'model';
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([form, version, modelId, words]))
    .digest('hex');
  return { unitId, kind, fingerprint };
}
