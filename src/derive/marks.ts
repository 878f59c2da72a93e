/** What tells a derivation that was made from one that was not. */
import { createHash } from 'node:crypto';
import type { DerivationMark } from '../store/store.ts';

export interface MarkParts {
  readonly unitId: number;
  /** The derivation: `extract_facts`. */
  readonly kind: string;
  /** Of the prompt, or of the rules. */
  readonly version: number;
  /** The model asked; null: by rules. */
  readonly modelId: string | null;
  /** Everything that is read: the unit's own words, those around it. What is known already is not among them, since it changes with every derivation. */
  readonly words: readonly string[];
}

export function markOf({ unitId, kind, version, modelId, words }: MarkParts): DerivationMark {
  const form = modelId === null ? 'rules' : 'model';
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([form, version, modelId, words]))
    .digest('hex');
  return { unitId, kind, fingerprint };
}
