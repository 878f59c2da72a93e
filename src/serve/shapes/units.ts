import { z } from 'zod';
import {
  emotionSchema,
  newUnitSchema,
  payloadSchemas,
  unitCommonSchema,
  unitVersionSchema,
  type Kind,
} from '../../engine/engine.ts';
import { count, explained, id, INSTANT, instant, named } from './named.ts';

named('Emotion', emotionSchema);

const EVIDENCE = 'Ids of the episodes that it rests on.';

/** The descriptions of the fields of each kind of unit. */
const payloads = {
  episode: explained(payloadSchemas.episode, {
    turnId: 'The turn it stands for, whose words are its own.',
    speaker: '`user`, `ai`, or a name.',
    imageSummary: 'What an image that came with it shows.',
    contextNote: 'What is to be known about it.',
    reflection: 'What a model made of it.',
  }),
  fact: explained(payloadSchemas.fact, {
    objectEntityId: 'The entity that the object names, if it is one.',
    validFrom: `Since when it holds. ${INSTANT}`,
    validTo: 'The instant at which it ceased to hold; null while it holds.',
    evidence: EVIDENCE,
  }),
  summary: explained(payloadSchemas.summary, {
    scopeKey: 'Which week, person or topic.',
    range: 'From when to when.',
    evidence: EVIDENCE,
  }),
  loop: explained(payloadSchemas.loop, { text: 'What is unfinished.', dueAt: INSTANT, evidence: EVIDENCE }),
  capsule: explained(payloadSchemas.capsule, { text: 'How things stand now.', evidence: EVIDENCE }),
  note: explained(payloadSchemas.note, { uri: 'The Markdown file.', section: 'The section of it.' }),
};

/** The metadata of an episode in addition to its text. */
export const notesShape = payloads.episode
  .pick({ imageSummary: true, contextNote: true, reflection: true })
  .partial();

const common = explained(unitCommonSchema, {
  occurredAt: INSTANT,
  source: '`chat`, `notification`, `meta_request`, `import`, `note`, or the derivation that made it.',
  state: 'What is `archived` is kept and not recalled.',
  confidence: 'How sure it is, 0 to 1.',
  salience: 'How much it matters, 0 to 1.',
  sensitivity: 'What is `secret` is recalled only when asked for.',
  pinned: 'Whether it always has a place.',
  expiresAt: 'After this instant it is no longer recalled.',
  reinforcement: 'How often the same was said again.',
  accessCount: 'How often it was recalled.',
  version: '1 at first, one more with every change.',
});

const unitOf = <K extends Kind>(kind: K) => common.extend({ kind: z.literal(kind), payload: payloads[kind] });

const episodeShape = named('Episode', unitOf('episode'));
export const factShape = named('Fact', unitOf('fact'));
export const summaryShape = named('Summary', unitOf('summary'));
export const loopShape = named('OpenLoop', unitOf('loop'));
export const unitShape = named(
  'Unit',
  z.discriminatedUnion('kind', [
    episodeShape,
    factShape,
    summaryShape,
    loopShape,
    named('Capsule', unitOf('capsule')),
    named('Note', unitOf('note')),
  ]),
);
export const factPeriodShape = named(
  'FactPeriod',
  z.object({
    unitId: id,
    subject: z.string(),
    predicate: z.string(),
    object: z.string(),
    toldAt: instant.describe(`When it was first told. ${INSTANT}`),
    validFrom: instant.nullable().describe('Null: nobody said since when.'),
    validTo: instant.nullable().describe('The instant at which it ceased to hold; null: it holds.'),
    confidence: z.number(),
    state: unitCommonSchema.shape.state,
    evidence: z
      .array(
        z.object({
          unitId: id,
          conversationId: z.string(),
          turnIndex: count,
          speaker: z.string(),
          text: z.string(),
          occurredAt: instant,
        }),
      )
      .describe('The turns that tell of it or of its end, oldest first.'),
  }),
);
export const unitVersionShape = named('UnitVersion', unitVersionSchema);

const CONTENT_NAMES = {
  fact: 'FactContent',
  summary: 'SummaryContent',
  loop: 'OpenLoopContent',
  capsule: 'CapsuleContent',
  note: 'NoteContent',
};
for (const option of newUnitSchema.shape.content.options)
  named(CONTENT_NAMES[option.shape.kind.value], option);

export const newUnitShape = named(
  'NewUnit',
  explained(newUnitSchema, { occurredAt: `${INSTANT} Default: now.`, source: 'Who or what says so.' }),
);
