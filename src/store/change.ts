import type { NewUnitParsed, Payloads, Unit } from '../model/model.ts';

export type UnitChange =
  | { readonly type: 'add'; readonly unit: NewUnitParsed; readonly reason: string }
  | {
      readonly type: 'update';
      readonly unitId: number;
      /** The fields that change. */
      readonly set: Partial<
        Pick<
          Unit,
          | 'state'
          | 'confidence'
          | 'salience'
          | 'sensitivity'
          | 'pinned'
          | 'topicTags'
          | 'expiresAt'
          | 'reinforcement'
          | 'emotion'
        >
      > & {
        /** Of a derived unit. */
        readonly content?: NewUnitParsed['content'];
        /** For an episode: metadata that is added to its text. */
        readonly notes?: Partial<
          Pick<Payloads['episode'], 'imageSummary' | 'contextNote' | 'reflection' | 'masks'>
        >;
      };
      readonly reason: string;
      /** The version that was read; if the current one differs, VERSION_CONFLICT is thrown. */
      readonly expectedVersion?: number;
    }
  /** Restores a unit to an earlier version. That creates a new version, whose parent is the earlier one. */
  | {
      readonly type: 'restore';
      readonly unitId: number;
      readonly version: number;
      readonly reason: string;
      readonly expectedVersion?: number;
    };

/** Identifies the input of a derivation: with an equal mark the result would be the same. */
export interface DerivationMark {
  readonly unitId: number;
  /** The name of the derivation: `extract_facts`. */
  readonly kind: string;
  /** A hash of the whole input: form, prompt version, model, text. */
  readonly fingerprint: string;
}
