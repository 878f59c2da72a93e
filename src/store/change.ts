import type { NewUnitParsed, Payloads, Unit } from '../model/model.ts';

export type UnitChange =
  | { readonly type: 'add'; readonly unit: NewUnitParsed; readonly reason: string }
  | {
      readonly type: 'update';
      readonly unitId: number;
      /** Only these fields change. */
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
        /** Of an episode: what is noted beside its words. */
        readonly notes?: Partial<Pick<Payloads['episode'], 'imageSummary' | 'contextNote' | 'reflection'>>;
      };
      readonly reason: string;
      /** The version it was read at: another one is a VERSION_CONFLICT. */
      readonly expectedVersion?: number;
    }
  /** Makes a unit as it was in an earlier version; that is a version too, whose parent is the earlier one. */
  | {
      readonly type: 'restore';
      readonly unitId: number;
      readonly version: number;
      readonly reason: string;
      readonly expectedVersion?: number;
    };

/** What a derivation was made of: the same again makes the same again. */
export interface DerivationMark {
  readonly unitId: number;
  /** The derivation: `extract_facts`. */
  readonly kind: string;
  /** Of everything that went in: form, prompt version, model, words. */
  readonly fingerprint: string;
}
