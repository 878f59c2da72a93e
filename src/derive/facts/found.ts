import type { Instant, Sensitivity, Scope } from '../../model/model.ts';

/** A fact as an episode gives it, before it is held against what is known. */
export interface FoundFact {
  readonly subject: string;
  /** In the language of the evidence. */
  readonly predicate: string;
  /** Empty, where `ends`: whatever was known of the predicate. */
  readonly object: string;
  /** The entity that the object names, if the memory knows it. */
  readonly objectEntityId?: number;
  readonly validFrom: Instant | null;
  readonly validTo: Instant | null;
  readonly confidence: number;
  /** Whether it says that something holds no more. */
  readonly ends: boolean;
  /** A known fact that it does away with. */
  readonly contradicts: number | null;
}

/** The episode that facts were found in. */
export interface Evidence {
  readonly unitId: number;
  readonly at: Instant;
  readonly source: string;
  readonly sensitivity: Sensitivity;
  readonly scope: Scope;
  /** As sure as repeating it can make a fact. */
  readonly mostConfidence: number;
}
