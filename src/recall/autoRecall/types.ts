import type { z } from 'zod';
import type { RecallMetadata } from '../pipeline.ts';
import { recallOptionsSchema, type Quote, type Why } from '../types.ts';

/** Recall options, restricted to episodes. `budgetTokens` covers all text of the bundle. */
export const autoRecallOptionsSchema = recallOptionsSchema.omit({ kinds: true, explain: true });
export type AutoRecallOptions = z.input<typeof autoRecallOptionsSchema>;

/** The result of automatic recall: quotes, their topics, and the reasons. */
export interface Bundle {
  /**
   * Recalled episodes, best first, then episodes around them in the same topics. Loosely related episodes are included
   * only when there are no better ones.
   */
  readonly highlights: readonly Highlight[];
  /** The topics of the highlights, the leading topic first. */
  readonly topics: readonly BundleTopic[];
  /** One sentence for each topic and one for the highlights without a topic, in the language of the utterance. */
  readonly why: readonly string[];
  /** Whether the bundle should be added to the prompt. */
  readonly inject: boolean;
  /** The recall's metadata; times, tokens and `candidatesAfter` describe the bundle. */
  readonly metadata: RecallMetadata;
}

export interface Highlight {
  readonly unitId: number;
  /** Id of the turn. Use it to open the turn or its place in the conversation. */
  readonly turnId: number;
  readonly conversationId: string;
  readonly turnIndex: number;
  readonly speaker: string;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  readonly quote: Quote;
  /** The strongest topic first. */
  readonly topicIds: readonly number[];
  /** The score in the recall; null if the episode was added only because of its topic. */
  readonly score: number | null;
  readonly why: Why;
}

export interface BundleTopic {
  readonly id: number;
  readonly title: string;
  readonly summary: string | null;
  /** 0..1. */
  readonly strength: number;
  /** Number of highlights in this topic. */
  readonly highlights: number;
  /** When the first and the last episode occurred, ISO 8601, UTC. */
  readonly period: { readonly from: string; readonly to: string } | null;
}
