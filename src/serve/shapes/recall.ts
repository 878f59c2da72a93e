import { z } from 'zod';
import {
  KINDS,
  packOptionsSchema,
  PROFILE_NAMES,
  recallOptionsSchema,
  SECTION_NAMES,
  STRATEGIES,
  type Pack,
  type RecallResult,
} from '../../engine/engine.ts';
import { count, explained, id, named, typed } from './named.ts';

const whyShape = named(
  'Why',
  z.object({
    sentence: z.string().describe('In the language of the utterance.'),
    reason: z.string().nullable().describe('Of a deep recall: what the model says of it.'),
    contributions: z.array(
      z.object({ feature: z.string(), value: z.number(), weight: z.number(), contribution: z.number() }),
    ),
  }),
);
const hitShape = named(
  'Hit',
  z.looseObject({
    unitId: id,
    kind: z.enum(KINDS),
    text: z.string(),
    speaker: z.string().nullable().describe('Of an episode: who said it.'),
    conversationId: z.string().nullable(),
    turnIndex: count.nullable(),
    turnId: id.nullable(),
    occurredAt: z.string().describe('ISO 8601, UTC.'),
    score: z.number(),
    relevance: z.enum(['high', 'medium', 'low']),
    tokens: count,
    why: whyShape,
  }),
);
const recallMetadataShape = named(
  'RecallMetadata',
  z.looseObject({
    profile: z.enum(PROFILE_NAMES),
    strategyUsed: z.enum([...STRATEGIES, 'direct']),
    intent: z.looseObject({
      language: z.enum(['ja', 'zh', 'en']),
      queryType: z.string(),
      keywords: z.array(z.string()),
      importance: z.number(),
    }),
    vectors: z.string().describe('`used`, or why they were not.'),
    reranker: z.string().describe('`off`, `used` or `failed`.'),
    totalLatencyMs: z.number(),
    breakdown: z.record(z.string(), z.number()).describe('Milliseconds by stage.'),
    candidatesBefore: count,
    candidatesAfter: count,
    totalTokens: count,
    budgetRemaining: z.number(),
  }),
);
const recallSchema = z.looseObject({
  hits: z.array(hitShape).describe('Best first.'),
  inject: z.boolean().describe('Whether they are worth a place in a prompt.'),
  metadata: recallMetadataShape,
  trace: z.looseObject({}).optional().describe('Everything that was decided; with `explain`.'),
});
export const recallShape = named('Recall', typed<RecallResult>(recallSchema));
export const packShape = named(
  'Pack',
  typed<Pack>(
    z.looseObject({
      text: z.string().describe('Ready for the prompt; empty when there is nothing to say.'),
      tokens: count,
      budgetTokens: count,
      language: z.enum(['ja', 'zh', 'en']),
      sections: z.array(
        z.object({ name: z.enum(SECTION_NAMES), shown: count, available: count, unitIds: z.array(id) }),
      ),
      isCut: z.boolean().describe('Whether persona and contract alone were over the budget.'),
      recall: recallShape,
    }),
  ),
);

const OPTION_WORDS = {
  context: 'The conversation just before, oldest line first.',
  profile: 'Which weights score; default `conversation`.',
  mode: '`deep` asks the language model, if there is one; default `fast`.',
  timeLimitMs: 'Of a deep recall, in milliseconds; default 2,000.',
  strategy: 'Default: what the utterance calls for.',
  now: 'When it is said; default: now.',
  asOf: 'Recall as it would have been then.',
  maxSensitivity: 'The most sensitive that may be found; default `private`.',
  from: 'The first day or instant that may be found.',
  to: 'The instant before which it must have occurred.',
  beforeTurnId: 'Only what came in before this turn.',
  exceptUnitIds: 'What is in the prompt anyway.',
  budgetTokens: 'Most tokens of text in all; default 1,500.',
} as const;
const utterance = z.string().describe('What is said now.');

export const recallRequestShape = named(
  'RecallRequest',
  explained(recallOptionsSchema.omit({ explain: true }), {
    ...OPTION_WORDS,
    limit: 'Most hits; default 10.',
    count: 'Whether being recalled counts; default true.',
  }).extend({ utterance }),
);
export const packRequestShape = named(
  'PackRequest',
  explained(packOptionsSchema, {
    ...OPTION_WORDS,
    persona: 'Who the companion is.',
    contract: 'What companion and person have agreed on.',
    language: 'Of headings and reasons; default: the utterance’s.',
  }).extend({ utterance }),
);
