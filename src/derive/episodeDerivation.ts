import type { z } from 'zod';
import type { LanguageModel } from '../llm/llm.ts';
import type { Episode } from '../model/model.ts';
import type { Prompt } from './prompts.ts';
import type { Passage } from './passage.ts';

/** A kind of learning from turns: by rules, or as one part of a request to a model. */
export interface EpisodeDerivation {
  /** The kind in marks and sources: `extract_facts`. */
  readonly kind: string;
  /** Sources of episodes that are skipped; default: `meta_request` and `reminder`. */
  readonly exceptSources?: readonly string[];
  /** The question for a model about the turns; null when there is none, or it was asked before. */
  ask(passage: Passage, model: LanguageModel, signal: AbortSignal): Promise<Question | null>;
  byRules(episodes: readonly Episode[], signal: AbortSignal): Promise<void>;
}

/** One part of a request: its instructions, its input, and the handler of its part of the reply. */
export interface Question {
  readonly prompt: Prompt;
  /** The values of the prompt's placeholders. */
  readonly values: Readonly<Record<string, string>>;
  readonly shape: z.ZodRawShape;
  /** Stores the results of a reply that fits the schema. */
  keep(reply: unknown): Promise<void>;
}

/** A question whose answer is parsed by its schema. */
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
