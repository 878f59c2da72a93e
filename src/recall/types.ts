import { z } from 'zod';
import { emotionSchema, KINDS, SCOPES, SENSITIVITIES, type Instant, type Unit } from '../model/model.ts';
import type { UnitFilter } from '../store/store.ts';
import { EMOTION_MODES } from './mood.ts';

export const PROFILE_NAMES = ['conversation', 'fast', 'salience', 'associative', 'weighted'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

export const STRATEGIES = ['semantic_only', 'keyword_boost', 'temporal', 'hybrid'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** Without a language model, or with one that says what to look for and what belongs. */
const MODES = ['fast', 'deep'] as const;
export type Mode = (typeof MODES)[number];

/** How memories are put into a prompt: what matters quoted, a line for each, or whole. (Deep recall, phase 3) */
export const INJECTION_STRATEGIES = ['quote_key_parts', 'summarize', 'full'] as const;
export type InjectionStrategy = (typeof INJECTION_STRATEGIES)[number];

const QUERY_TYPES = ['factual', 'conceptual', 'procedural', 'temporal', 'comparative'] as const;
export type QueryType = (typeof QUERY_TYPES)[number];

const time = z.union([z.date(), z.string(), z.number()]);

/**
 * From where a hit is called so. With `conversation` `high` and `medium` are probabilities that it matters, 0..1; with the
 * other profiles they are scores.
 */
const thresholdsSchema = z.strictObject({
  high: z.number().optional(),
  medium: z.number().optional(),
  /**
   * With `conversation`: how likely the memory must hold anything for the utterance, 0..1, for any hit to be more than
   * `low`; default about .35, a little more in large memories.
   */
  answerable: z.number().gt(0).lt(1).optional(),
});

/** What holds for all recalls of a memory, unless a recall says otherwise. */
export const recallDefaultsSchema = z.strictObject({
  /** Which weights score: a shipped profile, or the name of a profile file; default `conversation`. */
  profile: z.string().optional(),
  /** Forces a strategy; default: hybrid with `conversation`, what the intent calls for with the others. */
  strategy: z.enum(STRATEGIES).optional(),
  /** Only what occurred in so many days before `now`; default: any age. */
  maxAgeDays: z.number().positive().max(1_000_000).optional(),
  /**
   * The least cosine with the query by which something is found by its meaning, −1..1; what words or times find stays.
   * What is alike depends on the embedder. Default: none.
   */
  similarityThreshold: z.number().min(-1).max(1).optional(),
  /** From where a hit is `high` or `medium`, which is what is injected; default: the profile's. */
  thresholds: thresholdsSchema.optional(),
});
export type RecallDefaults = z.input<typeof recallDefaultsSchema>;

/** What a caller may ask of a recall. */
export const recallOptionsSchema = z.strictObject({
  ...recallDefaultsSchema.shape,
  /** The recent conversation, oldest line first, without the utterance itself. */
  context: z.array(z.object({ speaker: z.string(), text: z.string() })).optional(),
  /** Default `fast`. `deep` asks the language model, if there is one. */
  mode: z.enum(MODES).optional(),
  /** Of a deep recall, in all; what the model has not said by then is done without. Milliseconds, default 2,000. */
  timeLimitMs: z.int().min(1).max(600_000).optional(),
  /** When the utterance is said: what “yesterday” is relative to, and what age is measured from. Default: now. */
  now: time.optional(),
  /** Recall as it would have been at this instant. */
  asOf: time.optional(),
  kinds: z.array(z.enum(KINDS)).min(1).optional(),
  /** The most sensitive that may be found; default `private`: secrets only when asked for. */
  maxSensitivity: z.enum(SENSITIVITIES).optional(),
  /** First day, or instant, that may be found. */
  from: time.optional(),
  /** The instant before which it must have occurred. */
  to: time.optional(),
  scope: z.enum(SCOPES).optional(),
  conversationId: z.string().optional(),
  /** Only what came in before this turn. */
  beforeTurnId: z.int().positive().optional(),
  /** Not these: what is in the prompt anyway. */
  exceptUnitIds: z.array(z.int().positive()).max(10_000).optional(),
  /** Most hits; default 10. */
  limit: z.int().min(1).max(1_000).optional(),
  /** Most tokens of the passages of all hits together; default 1,500. */
  budgetTokens: z.int().min(0).optional(),
  /** The mood in which one is reminded; default: the one that the utterance shows. */
  emotion: emotionSchema.optional(),
  /**
   * What memories should feel like, as far as the profile weighs feeling: as the mood (`congruent`, the default), in
   * distress what comforts (`supportive`), or whatever they do (`none`).
   */
  emotionMode: z.enum(EMOTION_MODES).optional(),
  /** Whether the answer carries the trace. */
  explain: z.boolean().optional(),
  /** Whether being recalled counts as an access; default true. */
  count: z.boolean().optional(),
});
export type RecallOptions = z.input<typeof recallOptionsSchema>;

export interface ContextLine {
  readonly speaker: string;
  readonly text: string;
}

/** A recall's question with everything settled: what the stages work on. */
export interface Question {
  readonly utterance: string;
  /** Oldest first. */
  readonly context: readonly ContextLine[];
  readonly now: Instant;
  readonly timeZone: string;
  readonly filter: UnitFilter;
  /** The least cosine by which a search finds something by its meaning; null: any. */
  readonly similarityThreshold: number | null;
  readonly limit: number;
  readonly budgetTokens: number;
}

export interface TimeRange {
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  /** The words that name it. */
  readonly words: string;
  /** Other readings, the likelier first. */
  readonly alternatives: readonly { readonly from: Instant; readonly to: Instant }[];
}

/** Every number that a profile can weigh. Each is 0 to 1 except where its definition says otherwise. */
export type FeatureName = string;
export type Features = Readonly<Record<FeatureName, number>>;

/** A unit that may be the answer, by its id. */
export interface Scored {
  readonly unitId: number;
  readonly features: Features;
  readonly score: number;
}

/** One of the best of them, with the unit itself. */
export interface Candidate extends Scored {
  readonly unit: Unit;
}

export interface Contribution {
  readonly feature: FeatureName;
  readonly value: number;
  readonly weight: number;
  /** value × weight: what it adds to the score. */
  readonly contribution: number;
}

export type Relevance = 'high' | 'medium' | 'low';

export interface Why {
  /** One sentence in the user's language. */
  readonly sentence: string;
  /** Largest contribution first. */
  readonly contributions: readonly Contribution[];
  /** Of a deep recall: the model's reason for choosing it. */
  readonly reason: string | null;
}

/** Words of a text as they stand in it. */
export interface Quote {
  readonly text: string;
  /** Where they stand, in UTF-16 units; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

export interface Hit {
  readonly unitId: number;
  readonly kind: Unit['kind'];
  readonly text: string;
  /** Of a long text the passage that answers, about 100 to 130 tokens: what is worth a place in a prompt. Of a short one all of it. */
  readonly passage: Quote;
  /** Of an episode: who said it, where and when in the conversation. */
  readonly speaker: string | null;
  readonly conversationId: string | null;
  readonly turnIndex: number | null;
  readonly turnId: number | null;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  readonly score: number;
  readonly relevance: Relevance;
  /** How likely it matters for the utterance, 0..1, calibrated; null where the profile cannot tell. */
  readonly probability: number | null;
  /** Of the passage. */
  readonly tokens: number;
  readonly why: Why;
}
