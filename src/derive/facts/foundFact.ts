import type { Instant, Sensitivity, Scope } from '../../model/model.ts';

/** A fact found in an episode, before it is compared with known facts. */
export interface FoundFact {
  readonly subject: string;
  /** In the language of the evidence. */
  readonly predicate: string;
  /** If empty with `ends`: any known object of the predicate. */
  readonly object: string;
  /** The known entity that the object names. */
  readonly objectEntityId?: number;
  readonly validFrom: Instant | null;
  readonly validTo: Instant | null;
  readonly confidence: number;
  /** Whether the statement says that something is no longer true. */
  readonly ends: boolean;
  /** A known fact that it contradicts. */
  readonly contradicts: number | null;
}

/** The episode in which facts were found. */
export interface Evidence {
  readonly unitId: number;
  readonly at: Instant;
  readonly source: string;
  readonly sensitivity: Sensitivity;
  readonly scope: Scope;
  /** The highest confidence that repetition can reach. */
  readonly maxConfidence: number;
}
