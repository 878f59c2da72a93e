import type { z } from 'zod';
import type { RecallMetadata } from '../pipeline.ts';
import { recallOptionsSchema, type Quote, type Why } from '../types.ts';

/** What a caller may ask: as of a recall, but for turns alone. `budgetTokens` is for all words of the bundle. */
export const autoRecallOptionsSchema = recallOptionsSchema.omit({ kinds: true, explain: true });
export type AutoRecallOptions = z.input<typeof autoRecallOptionsSchema>;

/** What a conversation calls to mind: quotes, the experiences they belong to, and why. */
export interface Bundle {
  /**
   * What was recalled, best first, then what stands around it in its topics. What is only loosely related is left out
   * unless there is nothing else.
   */
  readonly highlights: readonly Highlight[];
  /** The topics of the highlights, the leading one first. */
  readonly topics: readonly BundleTopic[];
  /** A sentence for each of the topics, and one for what belongs to none of them; in the language of the utterance. */
  readonly why: readonly string[];
  /** Whether it is worth a place in the prompt. */
  readonly inject: boolean;
  /** Of the recall; times, tokens and `candidatesAfter` are the bundle's. */
  readonly metadata: RecallMetadata;
}

export interface Highlight {
  readonly unitId: number;
  /** Opens the turn, or its place in its conversation. */
  readonly turnId: number;
  readonly conversationId: string;
  readonly turnIndex: number;
  readonly speaker: string;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  readonly quote: Quote;
  /** Strongest first. */
  readonly topicIds: readonly number[];
  /** Of the recall; null where it is here for its topic alone. */
  readonly score: number | null;
  readonly why: Why;
}

export interface BundleTopic {
  readonly id: number;
  readonly title: string;
  readonly summary: string | null;
  /** 0..1. */
  readonly strength: number;
  /** How many of the highlights belong to it. */
  readonly highlights: number;
  /** When its first and its last episode occurred, ISO 8601, UTC. */
  readonly period: { readonly from: string; readonly to: string } | null;
}
