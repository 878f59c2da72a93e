import { z } from 'zod';
import {
  emotionSchema,
  KINDS,
  newUnitSchema,
  payloadSchemas,
  sensitiveSpanSchema,
  unitCommonSchema,
  unitVersionSchema,
  type Kind,
} from '../../engine/engine.ts';
import { count, withDescriptions, id, INSTANT, instant, named } from './named.ts';

named('Emotion', emotionSchema);

const EVIDENCE = 'Ids of the episodes it is based on.';

/** The descriptions of the fields of each kind of unit. */
const payloads = {
  episode: withDescriptions(payloadSchemas.episode, {
    turnId: 'Its turn, with the same text.',
    speaker: '`user`, `ai`, or a name.',
    imageSummary: 'Description of the image that came with it.',
    contextNote: 'A note about the context.',
    reflection: 'A model’s reflection on the turn.',
    masks:
      'Places of personal data and secrets in the text, masked wherever it is searched, learnt from or recalled.',
    isSpeakerMasked: 'The turn has the speaker’s name, which is personal data; this one stands for it.',
  }),
  fact: withDescriptions(payloadSchemas.fact, {
    objectEntityId: 'The entity of the object, if it is one.',
    validFrom: `Start of its validity. ${INSTANT}`,
    validTo: 'End of its validity; null if it is still valid.',
    evidence: EVIDENCE,
  }),
  summary: withDescriptions(payloadSchemas.summary, {
    scopeKey: 'The week, person or topic.',
    range: 'The period it covers.',
    evidence: EVIDENCE,
  }),
  loop: withDescriptions(payloadSchemas.loop, {
    text: 'The unfinished matter.',
    dueAt: INSTANT,
    evidence: EVIDENCE,
  }),
  capsule: withDescriptions(payloadSchemas.capsule, { text: 'The current state.', evidence: EVIDENCE }),
  note: withDescriptions(payloadSchemas.note, {
    uri: 'The Markdown file.',
    section: 'The section in the file.',
  }),
};

/** The metadata of an episode in addition to its text. */
export const notesShape = payloads.episode
  .pick({ imageSummary: true, contextNote: true, reflection: true })
  .partial();

const common = withDescriptions(unitCommonSchema, {
  occurredAt: INSTANT,
  source: '`chat`, `notification`, `meta_request`, `import`, `note`, or the derivation that created it.',
  state: '`archived` units are kept but not recalled.',
  confidence: 'Confidence, 0 to 1.',
  salience: 'Importance, 0 to 1.',
  sensitivity: '`secret` units are recalled only on request.',
  pinned: 'Pinned facts are always in the pack.',
  expiresAt: 'From this instant on it is no longer recalled.',
  reinforcement: 'How often it was confirmed.',
  accessCount: 'How often it was recalled.',
  version: 'Starts at 1; increases with every change.',
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
    toldAt: instant.describe(`When it was first stated. ${INSTANT}`),
    validFrom: instant.nullable().describe('Start of its validity; null if unknown.'),
    validTo: instant.nullable().describe('End of its validity; null if it is still valid.'),
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
      .describe('The turns that state it or its end, oldest first.'),
  }),
);
export const sensitiveUnitShape = named(
  'SensitiveUnit',
  z.object({
    unitId: id,
    kind: z.enum(KINDS),
    turnId: id.nullable().describe('Null for other units than turns, as the three below.'),
    conversationId: z.string().nullable(),
    turnIndex: count.nullable(),
    speaker: z.string().nullable(),
    uri: z.string().nullable().describe('The file of a note.'),
    occurredAt: instant,
    sensitivity: unitCommonSchema.shape.sensitivity,
    version: unitCommonSchema.shape.version,
    text: z.string().describe('The fields of a fact, and headings and text of a note, one after the other.'),
    isShown: z
      .boolean()
      .describe('Whether the text is word for word; false: what was found is masked in it.'),
    isMasked: z.boolean().describe('False: it is only marked.'),
    places: z
      .array(sensitiveSpanSchema.extend({ text: z.string() }))
      .describe('What was found, in order; `from` and `to` are those in the text word for word.'),
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
  withDescriptions(newUnitSchema, { occurredAt: `${INSTANT} Default: now.`, source: 'Origin of the unit.' }),
);
