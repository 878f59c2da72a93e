import { DAY_MS, unitText, type Instant, type Unit } from '../model/model.ts';
import { lexicalSimilarityWith } from '../text/text.ts';
import { bestOf, byMaximum, minMax } from './fuse.ts';
import { feelingMatch, type Feeling } from './mood.ts';
import type { SearchResults } from './search.ts';
import type { Features } from './types.ts';

/** Time constant of reactivation: a recalled memory is easier to recall again for about this long. */
const REACTIVATION_TAU_DAYS = 7;

/** Every feature that a specified profile, or a profile file based on one, can weigh. */
export const FEATURE_NAMES = [
  'semantic',
  'vector',
  'keyword',
  'rrf',
  'lexical',
  'recency',
  'reinforcement',
  'access',
  'topicStrength',
  'emotion',
  'reactivation',
  'timeMatch',
  'pinned',
] as const;

/** The input from which the features of the specified profiles are computed. */
export interface FeatureInput {
  readonly units: readonly Unit[];
  readonly results: SearchResults;
  /** Cosines with the utterance of units that no search found. */
  readonly expanded: ReadonlyMap<number, number>;
  /** For the units that have topics. */
  readonly topicStrengths: ReadonlyMap<number, number>;
  /** Reciprocal rank fusion of all their lists. */
  readonly fused: ReadonlyMap<number, number>;
  readonly utterance: string;
  readonly now: Instant;
  /** The age at which `recency` is e^−1. */
  readonly recencyTauDays: number;
  /** The wanted emotion; null: emotion does not count. */
  readonly feeling: Feeling | null;
  readonly timeRange: { readonly from: Instant; readonly to: Instant } | null;
}

/**
 * The features of the four specified profiles, each 0..1, by unit.
 *
 * - `semantic`: cosine with the utterance (0 when negative); if no vectors were searched, `rrf` is used instead.
 * - `vector`, `keyword`: scores of the two searches scaled to 0..1 over their results; 0 if absent from a search.
 * - `rrf`: reciprocal rank fusion of all lists, divided by its maximum.
 * - `lexical`: Dice of character 3-grams × min(1, |query 3-grams| / 30).
 * - `recency`: e^(−age / τ). `reinforcement`: log(r+1)/log(max+2); `access`: the same for accesses. (Notes §4)
 * - `topicStrength`: of its strongest topic. `emotion`: cosine of the emotions, 0 if negative or either is unknown.
 * - `reactivation`: e^(−days since last recalled / 7), 0 if never. `timeMatch`: 1 inside the time range of the query.
 * - `pinned`: 1 if pinned.
 */
export function computeFeatures(input: FeatureInput): Map<number, Features> {
  const { results } = input;
  const vector = bestOf(results.vector);
  const keyword = bestOf(results.keyword);
  const rrf = byMaximum(input.fused);
  const cosines = new Map([
    ...input.expanded,
    ...vector.map(({ unitId, score }) => [unitId, score] as const),
  ]);
  const vectorShare = minMax(vector);
  const keywordShare = minMax(keyword);
  const lexical = lexicalSimilarityWith(input.utterance);
  const maxReinforcement = Math.max(0, ...input.units.map((unit) => unit.reinforcement));
  const maxAccessCount = Math.max(0, ...input.units.map((unit) => unit.accessCount));
  const semantic = results.vectorState === 'used' ? cosines : rrf;
  return new Map(
    input.units.map((unit) => [
      unit.id,
      {
        semantic: Math.max(0, semantic.get(unit.id) ?? 0),
        vector: vectorShare.get(unit.id) ?? 0,
        keyword: keywordShare.get(unit.id) ?? 0,
        rrf: rrf.get(unit.id) ?? 0,
        lexical: lexical(unitText(unit)),
        recency: recency(input.now - unit.occurredAt, input.recencyTauDays),
        reinforcement: logShare(unit.reinforcement, maxReinforcement),
        access: logShare(unit.accessCount, maxAccessCount),
        topicStrength: input.topicStrengths.get(unit.id) ?? 0,
        emotion: feelingMatch(input.feeling, unit.emotion),
        reactivation:
          unit.lastAccessedAt === null ? 0 : recency(input.now - unit.lastAccessedAt, REACTIVATION_TAU_DAYS),
        timeMatch: isWithin(unit.occurredAt, input.timeRange) ? 1 : 0,
        pinned: unit.pinned ? 1 : 0,
      } satisfies Record<(typeof FEATURE_NAMES)[number], number>,
    ]),
  );
}

/** e^(−age/τ): 1 now and in the future, 1/e at τ. A half-life h corresponds to τ = h / ln 2. */
export function recency(ageMs: number, tauDays: number): number {
  return Math.exp(-Math.max(0, ageMs) / DAY_MS / tauDays);
}

/** log(n+1) / log(max+2): grows ever more slowly, and stays below 1. (Notes §4) */
export function logShare(count: number, greatest: number): number {
  return Math.log(count + 1) / Math.log(greatest + 2);
}

function isWithin(at: Instant, range: FeatureInput['timeRange']): boolean {
  return range !== null && at >= range.from && at < range.to;
}
