import { z } from 'zod';
import {
  emotionSchema,
  KINDS,
  SCOPES,
  SENSITIVITIES,
  type Instant,
  type Sensitivity,
  type Unit,
} from '../model/model.ts';
import type { UnitFilter } from '../store/store.ts';
import { EMOTION_MODES } from './mood.ts';

export const PROFILE_NAMES = ['conversation', 'fast', 'salience', 'associative', 'weighted'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

export const STRATEGIES = ['semantic_only', 'keyword_boost', 'temporal', 'hybrid'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** `fast`: without a language model. `deep`: a language model suggests queries and selects the results. */
const MODES = ['fast', 'deep'] as const;
export type Mode = (typeof MODES)[number];

/** How memories are put into a prompt: key parts quoted, one line each, or in full. (Deep recall, phase 3) */
export const INJECTION_STRATEGIES = ['quote_key_parts', 'summarize', 'full'] as const;
export type InjectionStrategy = (typeof INJECTION_STRATEGIES)[number];

const QUERY_TYPES = ['factual', 'conceptual', 'procedural', 'temporal', 'comparative'] as const;
export type QueryType = (typeof QUERY_TYPES)[number];

const time = z.union([z.date(), z.string(), z.number()]);

/**
 * Minimum values of the labels. With `conversation` they are probabilities of relevance, 0..1; with the other profiles
 * they are scores.
 */
const thresholdsSchema = z.strictObject({
  high: z.number().optional(),
  medium: z.number().optional(),
  /**
   * With `conversation`: the minimum probability, 0..1, that the memory contains anything for the utterance; below it
   * every hit is `low`. Default about .35, a little more in large memories.
   */
  answerable: z.number().gt(0).lt(1).optional(),
});

/** Defaults for all recalls of a memory; each recall may override them. */
export const recallDefaultsSchema = z.strictObject({
  /** The scoring profile: a shipped one, or the name of a profile file; default `conversation`. */
  profile: z.string().optional(),
  /** Forces a strategy; default: hybrid with `conversation`, selected by the intent with the others. */
  strategy: z.enum(STRATEGIES).optional(),
  /** Only units that occurred within this many days before `now`; default: any age. */
  maxAgeDays: z.number().positive().max(1_000_000).optional(),
  /**
   * The minimum cosine with the query for vector search results, −1..1; results by words or time stay. Suitable values
   * depend on the embedder. Default: none.
   */
  similarityThreshold: z.number().min(-1).max(1).optional(),
  /** Minimum values for `high` and `medium`, the labels that are injected; default: the profile's. */
  thresholds: thresholdsSchema.optional(),
});
export type RecallDefaults = z.input<typeof recallDefaultsSchema>;

/** The options of a recall. */
export const recallOptionsSchema = z.strictObject({
  ...recallDefaultsSchema.shape,
  /** The recent conversation, oldest line first, without the utterance itself. */
  context: z.array(z.object({ speaker: z.string(), text: z.string() })).optional(),
  /** Default `fast`. `deep` uses the language model, if there is one. */
  mode: z.enum(MODES).optional(),
  /** Time limit of a whole deep recall; later replies of the model are ignored. Milliseconds, default 2,000. */
  timeLimitMs: z.int().min(1).max(600_000).optional(),
  /** When the utterance is said: the reference for “yesterday” and for ages. Default: now. */
  now: time.optional(),
  /** Recall as it would have been at this instant. */
  asOf: time.optional(),
  kinds: z.array(z.enum(KINDS)).min(1).optional(),
  /** The highest sensitivity level that may be found; default `private`: secrets are only found on request. */
  maxSensitivity: z.enum(SENSITIVITIES).optional(),
  /** The first day or instant that may be found. */
  from: time.optional(),
  /** Units must have occurred before this instant. */
  to: time.optional(),
  scope: z.enum(SCOPES).optional(),
  conversationId: z.string().optional(),
  /** Only units stored before this turn. */
  beforeTurnId: z.int().positive().optional(),
  /** Units to leave out because they are already in the prompt. */
  exceptUnitIds: z.array(z.int().positive()).max(10_000).optional(),
  /** Maximum number of hits; default 10. */
  limit: z.int().min(1).max(1_000).optional(),
  /** Maximum tokens of the passages of all hits together; default 1,500. */
  budgetTokens: z.int().min(0).optional(),
  /** The current mood; default: the mood that the utterance shows. */
  emotion: emotionSchema.optional(),
  /**
   * The wanted emotion of memories, if the profile weighs emotion: that of the mood (`congruent`, the default),
   * comforting in distress (`supportive`), or any (`none`).
   */
  emotionMode: z.enum(EMOTION_MODES).optional(),
  /** Whether the result contains the trace. */
  explain: z.boolean().optional(),
  /** Whether recalled units count as accessed; default true. */
  count: z.boolean().optional(),
});
export type RecallOptions = z.input<typeof recallOptionsSchema>;

export interface ContextLine {
  readonly speaker: string;
  readonly text: string;
}

/** The question of a recall with all defaults resolved: the input of the stages. */
export interface Question {
  readonly utterance: string;
  /** Oldest first. */
  readonly context: readonly ContextLine[];
  readonly now: Instant;
  readonly timeZone: string;
  readonly filter: UnitFilter;
  /** The sensitivity up to which the caller asked to see what is masked; undefined: nothing of it. */
  readonly reveals?: Sensitivity | undefined;
  /** The minimum cosine of vector search results; null: any. */
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
  /** Other readings, the most likely first. */
  readonly alternatives: readonly { readonly from: Instant; readonly to: Instant }[];
}

/** A number that a profile can weigh. 0 to 1 unless its definition says otherwise. */
export type FeatureName = string;
export type Features = Readonly<Record<FeatureName, number>>;

/** A scored unit, by its id. */
export interface Scored {
  readonly unitId: number;
  readonly features: Features;
  readonly score: number;
}

/** A scored unit together with the unit itself. */
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
  /** In a deep recall: the model's reason for choosing it. */
  readonly reason: string | null;
}

/** A verbatim part of a text. */
export interface Quote {
  readonly text: string;
  /** UTF-16 offsets in the text; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

export interface Hit {
  readonly unitId: number;
  readonly kind: Unit['kind'];
  readonly text: string;
  /** For a long text, the passage that answers, about 100 to 130 tokens, for use in a prompt. For a short text, all of it. */
  readonly passage: Quote;
  /** For an episode: its speaker, and its place in the conversation. */
  readonly speaker: string | null;
  readonly conversationId: string | null;
  readonly turnIndex: number | null;
  readonly turnId: number | null;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  readonly score: number;
  readonly relevance: Relevance;
  /** The calibrated probability that it is relevant to the utterance, 0..1; null if the profile gives none. */
  readonly probability: number | null;
  /** Number of tokens of the passage. */
  readonly tokens: number;
  readonly why: Why;
}
