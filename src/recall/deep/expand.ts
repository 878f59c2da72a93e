/** Deep recall, phase 1: turns the utterance into search queries. */
import { z } from 'zod';
import type { LanguageModel } from '../../llm/llm.ts';
import type { Language } from '../../text/text.ts';
import type { Question } from '../types.ts';
import { promptAbout } from './wording.ts';

const MAX_QUERIES = 5;
/** Maximum length of a query, in UTF-16 units. */
const QUERY_CHARS = 300;

const expansionSchema = z.object({
  expanded_queries: z.array(z.string()),
  detected_references: z.array(
    z.object({
      type: z.enum(['anaphora', 'temporal', 'ellipsis', 'topic']),
      surface: z.string(),
      resolved: z.string(),
    }),
  ),
});

/** Words that refer to earlier lines, and what they mean. */
export type DetectedReference = z.output<typeof expansionSchema>['detected_references'][number];

export interface Expansion {
  /** Without the utterance itself; no duplicates. */
  readonly queries: readonly string[];
  readonly references: readonly DetectedReference[];
}

/** @throws MemoryError MODEL_FAILED */
export async function expand(
  model: LanguageModel,
  question: Question,
  language: Language,
  signal: AbortSignal,
): Promise<Expansion> {
  const { value } = await model.generateObject(
    {
      ...promptAbout('expand', question, language),
      purpose: 'expand_query',
      name: 'expansion',
      schema: expansionSchema,
      temperature: 0,
      repairs: false,
    },
    signal,
  );
  const queries = value.expanded_queries
    .map((query) => query.trim().slice(0, QUERY_CHARS).toWellFormed())
    .filter((query) => query !== '' && query !== question.utterance.trim());
  return { queries: [...new Set(queries)].slice(0, MAX_QUERIES), references: value.detected_references };
}
