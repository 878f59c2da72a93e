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
import { count, withDescriptions, id, named, typed } from './named.ts';

const whyShape = named(
  'Why',
  z.object({
    sentence: z.string().describe('In the language of the utterance.'),
    reason: z.string().nullable().describe('In a deep recall: the model’s reason.'),
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
      .describe('For a long text, the passage that answers, with its position; for a short one, all of it.'),
    speaker: z.string().nullable().describe('Of an episode: its speaker.'),
    conversationId: z.string().nullable(),
    turnIndex: count.nullable(),
    turnId: id.nullable(),
    occurredAt: z.string().describe('ISO 8601, UTC.'),
    score: z.number(),
    relevance: z.enum(['high', 'medium', 'low']),
    probability: z
      .number()
      .nullable()
      .describe('Probability that it is relevant, 0 to 1; null if the profile gives none.'),
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
      queryType: z.string().nullable().describe('The type of question; null if unknown.'),
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
  inject: z.boolean().describe('Whether the hits should be added to the prompt.'),
  metadata: recallMetadataShape,
  trace: z.looseObject({}).optional().describe('All decisions; only with `explain`.'),
});
export const recallShape = named('Recall', typed<RecallResult>(recallSchema));
const packSchema = z.looseObject({
  text: z.string().describe('Text for the prompt; may be empty.'),
  tokens: count,
  budgetTokens: count,
  language: z.enum(['ja', 'zh', 'en']),
  sections: z.array(
    z.object({ name: z.enum(SECTION_NAMES), shown: count, available: count, unitIds: z.array(id) }),
  ),
  isCut: z.boolean().describe('Whether persona and contract alone exceed the budget.'),
  recall: recallShape,
});
export const packShape = named('Pack', typed<Pack>(packSchema));
export const chatMemoryShape = named(
  'ChatMemory',
  typed<ChatMemory>(
    packSchema.extend({
      recentUnitIds: z
        .array(id)
        .describe('The last turns and the utterance: they are in the prompt already and are not recalled.'),
    }),
  ),
);

const quoteShape = named(
  'Quote',
  z.object({
    text: z.string().describe('Word for word.'),
    from: count.describe('Its position in the whole text, in UTF-16 units.'),
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
          score: z.number().nullable().describe('Null if it was added only because of its topic.'),
          why: whyShape,
        }),
      ),
      topics: z.array(
        z.looseObject({
          id,
          title: z.string(),
          summary: z.string().nullable(),
          strength: z.number(),
          highlights: count.describe('Number of highlights in this topic.'),
          period: periodShape.nullable(),
        }),
      ),
      why: z.array(z.string()).describe('Sentences in the language of the utterance.'),
      inject: z.boolean().describe('Whether the bundle should be added to the prompt.'),
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
      .describe('Of a fact: its validity.'),
    score: z.number(),
    why: whyShape,
  }),
);
const topicLinkShape = z.object({ id, title: z.string() });
const explored = {
  understood: z.looseObject({}).describe('How the question was read: words, period, feeling, topic, entity.'),
  language: z.enum(['ja', 'zh', 'en']),
  why: z.string().describe('The search in one sentence.'),
  nothing: z
    .object({ reason: z.string(), sentence: z.string() })
    .nullable()
    .describe('Why the result is empty; null if it is not.'),
  nextCursor: z
    .string()
    .nullable()
    .describe('Cursor of the next page of the same question; null on the last page.'),
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
            episodes: z.array(exploredItemShape).describe('The most salient first.'),
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
              date: z.string().describe('In the memory’s time zone.'),
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
  context: 'The last lines of the conversation, oldest first.',
  profile: 'The scoring profile; default `conversation`.',
  mode: '`deep` uses the language model, if there is one; default `fast`.',
  timeLimitMs: 'Time limit of a deep recall in milliseconds; default 2,000.',
  strategy: 'Default: selected for the utterance.',
  now: 'Time of the utterance; default: now.',
  asOf: 'Recall as it would have been at this time.',
  maxSensitivity: 'The highest sensitivity level that may be found; default `private`.',
  from: 'The first day or instant that may be found.',
  to: 'Units must have occurred before this instant.',
  beforeTurnId: 'Only units stored before this turn.',
  exceptUnitIds: 'Units to leave out because they are in the prompt already.',
  budgetTokens: 'Maximum tokens of text in total; default 1,500.',
  emotion: 'The current mood; default: the mood that the utterance shows.',
  emotionMode:
    'Prefers memories with a similar emotion (`congruent`), comforting ones in distress (`supportive`), or neither (`none`).',
} as const;
const utterance = z.string().describe('The current utterance.');

export const recallRequestShape = named(
  'RecallRequest',
  withDescriptions(recallOptionsSchema.omit({ explain: true }), {
    ...OPTION_WORDS,
    limit: 'Maximum number of hits; default 10.',
    count: 'Whether recalled units count as accessed; default true.',
  }).extend({ utterance }),
);
export const packRequestShape = named(
  'PackRequest',
  withDescriptions(packOptionsSchema, {
    ...OPTION_WORDS,
    persona: 'Who the companion is.',
    contract: 'The agreement between companion and user.',
    language: 'Language of headings and reasons; default: the utterance’s.',
  }).extend({ utterance }),
);
export const autoRecallRequestShape = named(
  'AutoRecallRequest',
  withDescriptions(autoRecallOptionsSchema, {
    ...OPTION_WORDS,
    limit: 'Maximum number of highlights; default 10.',
    count: 'Whether recalled units count as accessed; default true.',
  }).extend({ utterance }),
);
const exploreQueryShape = named(
  'ExploreQuery',
  withDescriptions(exploreQuerySchema, {
    text: 'A sentence or words; time expressions count as a period.',
    keywords: 'All of them must occur; in a string, separated by spaces.',
    from: 'The first day or instant.',
    to: 'Units must have occurred before this instant.',
    period: 'The time in words: 去年の夏, 上个月, “last spring”.',
    emotion: 'An emotion, or one of its keys: finds units with a similar emotion.',
    topic: 'By id or title.',
    entity: 'A mentioned person or thing, by id or name.',
  }),
);
export const exploreRequestShape = named(
  'ExploreRequest',
  withDescriptions(exploreOptionsSchema, {
    view: 'Default: `quote` for words and emotions, else `timeline`.',
    limit: 'Maximum number of quotes, turns or topics on a page; default 20.',
    cursor: '`nextCursor` of the previous page, for the same question.',
    now: 'The time that “yesterday” is relative to; default: now.',
    asOf: 'Explore the memory as it was at this time.',
    kinds: 'Default: episodes.',
    withPastFacts: 'Also facts that are no longer valid; default false.',
    maxSensitivity: 'The highest sensitivity level that may be found; default `private`.',
    language: 'Language of the reasons; default: that of the query’s words, or of the results.',
    count: 'Whether shown units count as accessed; default true.',
  }).extend({ query: exploreQueryShape.describe('At least one condition; all must match.') }),
);
