import { z } from 'zod';
import {
  edgeSchema,
  entitySchema,
  jobSchema,
  KINDS,
  newTurnSchema,
  unitEntitySchema,
} from '../../engine/engine.ts';
import { publicSettingsSchema, settingsPatchSchema } from '../../settings/settings.ts';
import { count, withDescriptions, id, INSTANT, instant, named } from './named.ts';

export const entityShape = named(
  'Entity',
  withDescriptions(entitySchema, { aliases: 'Other names.', salience: 'Importance, 0 to 1.' }),
);
export const edgeShape = named(
  'Edge',
  withDescriptions(edgeSchema, { evidence: 'Ids of the episodes that state it.' }),
);
export const mentionShape = named(
  'Mention',
  withDescriptions(unitEntitySchema, {
    surface: 'The words that name it.',
    confidence: 'Confidence, 0 to 1.',
  }),
);

export const jobShape = named(
  'Job',
  withDescriptions(jobSchema, {
    key: 'Unique among unfinished jobs.',
    attempts: 'Number of attempts.',
    runAfter: `It does not run before this instant. ${INSTANT}`,
    leaseOwner: 'The worker that runs it.',
    leaseUntil: 'After this instant another worker may run it.',
  }),
);

export const newTurnShape = named(
  'NewTurn',
  withDescriptions(newTurnSchema, {
    turnIndex: 'Its index in the conversation, from 0; default: the next free one.',
    speaker: '`user`, `ai`, or a name.',
    text: 'The text; stored word for word.',
    occurredAt: 'ISO 8601, without a zone the memory’s local time; or milliseconds. Default: now.',
    meta: 'Further data about it.',
    imageSummary: 'Description of the image that came with it.',
    masks: 'Places of personal data and secrets in the text; default: those that the rules find.',
    isSpeakerMasked: 'Units get a name that stands for the speaker’s; default: when it is personal data.',
  }),
);
export const turnShape = named(
  'Turn',
  z.object({
    id,
    conversationId: z.string(),
    turnIndex: count.describe('Its index in the conversation, from 0.'),
    speaker: z.string().describe('`user`, `ai`, or a name.'),
    text: z.string(),
    occurredAt: instant,
    meta: newTurnSchema.shape.meta.unwrap(),
    salt: z
      .string()
      .describe('Random part of the hashed content, so that the text cannot be guessed from the hash.'),
    contentHash: z.string().describe('SHA-256 of its own content.'),
    chainHash: z.string().describe('SHA-256 of the previous chain hash and its content hash.'),
    rawPointer: z.string().nullable().describe('The archive object with a copy; null: there is none yet.'),
    isForgotten: z.boolean().describe('Its text was erased; its place in the chain stays.'),
  }),
);
export const appendedTurnShape = named(
  'AddedTurn',
  z.object({
    turnId: id,
    unitId: id.describe('The episode of the turn.'),
    turnIndex: count,
    isNew: z.boolean().describe('False if it was already stored.'),
  }),
);
export const conversationShape = named(
  'Conversation',
  z.object({ conversationId: z.string(), turns: count, firstTurnAt: instant, lastTurnAt: instant }),
);

const vectorModelShape = named(
  'VectorModel',
  z.object({ id: z.string(), dimensions: count, count: count.describe('Vectors made.') }),
);
export const statsShape = named(
  'Stats',
  z.object({
    memoryId: z.string(),
    timeZone: z.string().describe('IANA time zone.'),
    schemaVersion: count,
    turns: count,
    conversations: count,
    units: z.record(z.enum(KINDS), count),
    topics: count.describe('Active ones.'),
    jobs: z.object({ queued: count, running: count, failed: count }),
    sizeBytes: count,
    firstTurnAt: instant.nullable(),
    lastTurnAt: instant.nullable(),
    embedder: z.string().nullable().describe('The embedder of the searched vectors.'),
    model: z.string().nullable().describe('The language model for background work.'),
    vectorModel: vectorModelShape.nullable().describe('The model of the stored vectors.'),
    nextVectorModel: vectorModelShape
      .nullable()
      .describe('The model whose vectors are being computed to replace them, with the progress.'),
  }),
);

export const settingsShape = named('Settings', publicSettingsSchema);
export const settingsPatchShape = named('SettingsPatch', settingsPatchSchema);
