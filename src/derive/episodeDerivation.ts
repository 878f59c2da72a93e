import type { z } from 'zod';
import type { LanguageModel } from '../llm/llm.ts';
import type { Episode } from '../model/model.ts';
import type { Prompt } from './prompts.ts';
import type { Passage } from './passage.ts';

/** One thing that is learnt from turns: by rules, or as one part of what a model is asked about them. */
export interface EpisodeDerivation {
  /** Names marks and sources: `extract_facts`. */
  readonly kind: string;
  /** Sources of episodes that are left alone; default: `meta_request` and `reminder`. */
  readonly exceptSources?: readonly string[];
  /** What a model is to be asked about the turns; null where there is nothing to ask, or it was asked before. */
  ask(passage: Passage, model: LanguageModel, signal: AbortSignal): Promise<Question | null>;
  byRules(episodes: readonly Episode[], signal: AbortSignal): Promise<void>;
}

/** One part of a request: its instructions, its material, and what becomes of its part of the reply. */
export interface Question {
  readonly prompt: Prompt;
  /** What the prompt's placeholders stand for. */
  readonly values: Readonly<Record<string, string>>;
  readonly shape: z.ZodRawShape;
  /** Keeps what the reply says; `reply` fits the shape. */
  keep(reply: unknown): Promise<void>;
}

/** A question whose answer is read by its schema. */
export function question<Schema extends z.ZodObject>({
  prompt,
  values,
  schema,
  keep,
}: {
  readonly prompt: Prompt;
  readonly values: Readonly<Record<string, string>>;
  readonly schema: Schema;
  readonly keep: (reply: z.output<Schema>) => Promise<void>;
}): Question {
  return { prompt, values, shape: schema.shape, keep: async (reply) => keep(schema.parse(reply)) };
}
