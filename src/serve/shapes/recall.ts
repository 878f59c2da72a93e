import { z } from 'zod';
import {
  autoRecallOptionsSchema,
  emotionSchema,
  exploreOptionsSchema,
  exploreQuerySchema,
  KINDS,
  packOptionsSchema,
  recallOptionsSchema,
  SECTION_NAMES,
  STRATEGIES,
  type Bundle,
  type Exploration,
  type Pack,
  type RecallResult,
} from '../../engine/engine.ts';
import type { ChatMemory } from '../../companion/companion.ts';
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
    passage: z
      .object({ text: z.string(), from: count, to: count })
      .describe('Of a long text the part that answers and where it stands; of a short one all of it.'),
    speaker: z.string().nullable().describe('Of an episode: who said it.'),
    conversationId: z.string().nullable(),
    turnIndex: count.nullable(),
    turnId: id.nullable(),
    occurredAt: z.string().describe('ISO 8601, UTC.'),
    score: z.number(),
    relevance: z.enum(['high', 'medium', 'low']),
    probability: z
      .number()
      .nullable()
      .describe('How likely it matters, 0 to 1; null where the profile cannot tell.'),
    tokens: count.describe('Of the passage.'),
    why: whyShape,
  }),
);
const recallMetadataShape = named(
  'RecallMetadata',
  z.looseObject({
    profile: z.string(),
    strategyUsed: z.enum([...STRATEGIES, 'direct']),
    intent: z.looseObject({
      language: z.enum(['ja', 'zh', 'en']),
      queryType: z.string().nullable().describe('What it asks; null where that cannot be told.'),
      keywords: z.array(z.string()),
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
const packSchema = z.looseObject({
  text: z.string().describe('Ready for the prompt; empty when there is nothing to say.'),
  tokens: count,
  budgetTokens: count,
  language: z.enum(['ja', 'zh', 'en']),
  sections: z.array(
    z.object({ name: z.enum(SECTION_NAMES), shown: count, available: count, unitIds: z.array(id) }),
  ),
  isCut: z.boolean().describe('Whether persona and contract alone were over the budget.'),
  recall: recallShape,
});
export const packShape = named('Pack', typed<Pack>(packSchema));
export const chatMemoryShape = named(
  'ChatMemory',
  typed<ChatMemory>(
    packSchema.extend({
      recentUnitIds: z
        .array(id)
        .describe(
          'What was just said, with the utterance: it stands in the prompt anyway and is not recalled.',
        ),
    }),
  ),
);

const quoteShape = named(
  'Quote',
  z.object({
    text: z.string().describe('Word for word.'),
    from: count.describe('Where it stands in the whole text, in UTF-16 units.'),
    to: count,
  }),
);
const periodShape = z.object({ from: z.string(), to: z.string() }).describe('ISO 8601, UTC.');
const metadataOf = { totalLatencyMs: z.number(), breakdown: z.record(z.string(), z.number()) };

export const bundleShape = named(
  'Bundle',
  typed<Bundle>(
    z.looseObject({
      highlights: z.array(
        z.looseObject({
          unitId: id,
          turnId: id,
          conversationId: z.string().describe('With `turnIndex`: opens the turn in its conversation.'),
          turnIndex: count,
          speaker: z.string(),
          occurredAt: z.string().describe('ISO 8601, UTC.'),
          quote: quoteShape,
          topicIds: z.array(id),
          score: z.number().nullable().describe('Null where it is here for its topic alone.'),
          why: whyShape,
        }),
      ),
      topics: z.array(
        z.looseObject({
          id,
          title: z.string(),
          summary: z.string().nullable(),
          strength: z.number(),
          highlights: count.describe('How many of them belong to it.'),
          period: periodShape.nullable(),
        }),
      ),
      why: z.array(z.string()).describe('Sentences in the language of the utterance.'),
      inject: z.boolean().describe('Whether it is worth a place in a prompt.'),
      metadata: recallMetadataShape,
    }),
  ),
);

const exploredItemShape = named(
  'ExploredItem',
  z.looseObject({
    unitId: id,
    kind: z.enum(KINDS),
    speaker: z.string().nullable(),
    conversationId: z.string().nullable(),
    turnIndex: count.nullable(),
    turnId: id.nullable(),
    occurredAt: z.string().describe('ISO 8601, UTC.'),
    quote: quoteShape,
    emotion: emotionSchema.nullable(),
    topicIds: z.array(id),
    validity: z
      .object({ from: z.string().nullable(), to: z.string().nullable() })
      .nullable()
      .describe('Of a fact: since when it holds, and until when.'),
    score: z.number(),
    why: whyShape,
  }),
);
const topicLinkShape = z.object({ id, title: z.string() });
const explored = {
  understood: z.looseObject({}).describe('How the question was read: words, period, feeling, topic, entity.'),
  language: z.enum(['ja', 'zh', 'en']),
  why: z.string().describe('What was looked for, in a sentence.'),
  nothing: z
    .object({ reason: z.string(), sentence: z.string() })
    .nullable()
    .describe('Why there is nothing; null when there is something.'),
  nextCursor: z.string().nullable().describe('For the next page, with the same question; null on the last.'),
  metadata: z.looseObject(metadataOf),
};
export const explorationShape = named(
  'Exploration',
  typed<Exploration>(
    z.discriminatedUnion('view', [
      z.looseObject({
        view: z.literal('topic'),
        topics: z.array(
          z.looseObject({
            ...topicLinkShape.shape,
            summary: z.string().nullable(),
            strength: z.number(),
            members: count,
            period: periodShape.nullable(),
            parents: z.array(topicLinkShape),
            children: z.array(topicLinkShape),
            episodes: z.array(exploredItemShape).describe('The weightiest first.'),
            score: z.number(),
            why: z.string(),
          }),
        ),
        ...explored,
      }),
      z.looseObject({
        view: z.literal('timeline'),
        groups: z
          .array(
            z.object({
              conversationId: z.string().nullable(),
              date: z.string().describe('By the clock of the memory.'),
              items: z.array(exploredItemShape),
            }),
          )
          .describe('In order of time.'),
        ...explored,
      }),
      z.looseObject({
        view: z.literal('quote'),
        quotes: z.array(exploredItemShape).describe('Best first.'),
        ...explored,
      }),
    ]),
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
  emotion: 'The mood in which one is reminded; default: the one that the utterance shows.',
  emotionMode:
    'Whether memories of like feeling come first (`congruent`), in distress those that comfort (`supportive`), or neither (`none`).',
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
export const autoRecallRequestShape = named(
  'AutoRecallRequest',
  explained(autoRecallOptionsSchema, {
    ...OPTION_WORDS,
    limit: 'Most highlights; default 10.',
    count: 'Whether being recalled counts; default true.',
  }).extend({ utterance }),
);
const exploreQueryShape = named(
  'ExploreQuery',
  explained(exploreQuerySchema, {
    text: 'In a sentence or in words; times that it names count as a period.',
    keywords: 'Every one of them is said; in a string, with space between them.',
    from: 'The first day, or instant.',
    to: 'The instant before which it occurred.',
    period: 'The time in words: 去年の夏, 上个月, “last spring”.',
    emotion: 'A feeling, or one of its keys: what feels alike.',
    topic: 'By id, or by title.',
    entity: 'Whom or what it speaks of, by id, or by name.',
  }),
);
export const exploreRequestShape = named(
  'ExploreRequest',
  explained(exploreOptionsSchema, {
    view: 'Default: `quote` for words and feelings, else `timeline`.',
    limit: 'Most quotes, turns or topics of a page; default 20.',
    cursor: '`nextCursor` of the page before, for the same question.',
    now: 'What “yesterday” is relative to; default: now.',
    asOf: 'Explore as it would have been then.',
    kinds: 'Default: episodes.',
    withPastFacts: 'Also facts that hold no more; default false.',
    maxSensitivity: 'The most sensitive that may be found; default `private`.',
    language: 'Of the reasons; default: that of the words asked with, or found.',
    count: 'Whether being shown counts; default true.',
  }).extend({ query: exploreQueryShape.describe('At least one thing, and all of them at once.') }),
);
