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
import { count, explained, id, INSTANT, instant, named } from './named.ts';

export const entityShape = named(
  'Entity',
  explained(entitySchema, { aliases: 'Other names it goes by.', salience: 'How much it matters, 0 to 1.' }),
);
export const edgeShape = named(
  'Edge',
  explained(edgeSchema, { evidence: 'Ids of the episodes that say so.' }),
);
export const mentionShape = named(
  'Mention',
  explained(unitEntitySchema, { surface: 'The words that name it.', confidence: 'How sure it is, 0 to 1.' }),
);

export const jobShape = named(
  'Job',
  explained(jobSchema, {
    key: 'Two unfinished jobs never share a key.',
    attempts: 'How often it was begun.',
    runAfter: `Not before this instant. ${INSTANT}`,
    leaseOwner: 'The worker that has it in hand.',
    leaseUntil: 'After this instant another worker may take it.',
  }),
);

export const newTurnShape = named(
  'NewTurn',
  explained(newTurnSchema, {
    turnIndex: 'Its place in the conversation, from 0; default: the next that is free.',
    speaker: '`user`, `ai`, or a name.',
    text: 'What was said; kept word for word.',
    occurredAt: 'ISO 8601, without a zone the memory’s local time; or milliseconds. Default: now.',
    meta: 'Whatever else is known of it.',
    imageSummary: 'What an image that came with it shows.',
  }),
);
export const turnShape = named(
  'Turn',
  z.object({
    id,
    conversationId: z.string(),
    turnIndex: count.describe('Its place in the conversation, from 0.'),
    speaker: z.string().describe('`user`, `ai`, or a name.'),
    text: z.string(),
    occurredAt: instant,
    meta: newTurnSchema.shape.meta.unwrap(),
    salt: z
      .string()
      .describe('Random, and part of what is hashed, so that the words cannot be guessed from the hash.'),
    contentHash: z.string().describe('SHA-256 of its own content.'),
    chainHash: z.string().describe('SHA-256 of the chain hash before it and its content hash.'),
    rawPointer: z
      .string()
      .nullable()
      .describe('The object of the archive that holds a copy; null: there is none yet.'),
    isForgotten: z.boolean().describe('Its words are gone; its place in the chain is left.'),
  }),
);
export const appendedTurnShape = named(
  'AddedTurn',
  z.object({
    turnId: id,
    unitId: id.describe('The episode that stands for the turn.'),
    turnIndex: count,
    isNew: z.boolean().describe('False when it had been kept before.'),
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
    timeZone: z.string().describe('IANA zone of its wall clock.'),
    schemaVersion: count,
    turns: count,
    conversations: count,
    units: z.record(z.enum(KINDS), count),
    topics: count.describe('Those that are active.'),
    jobs: z.object({ queued: count, running: count, failed: count }),
    sizeBytes: count,
    firstTurnAt: instant.nullable(),
    lastTurnAt: instant.nullable(),
    embedder: z.string().nullable().describe('What makes the vectors that serve.'),
    model: z.string().nullable().describe('The language model of background work.'),
    vectorModel: vectorModelShape.nullable().describe('Whose vectors are kept.'),
    nextVectorModel: vectorModelShape
      .nullable()
      .describe('The model whose vectors are being made to take over, and how far that is.'),
  }),
);

export const settingsShape = named('Settings', publicSettingsSchema);
export const settingsPatchShape = named('SettingsPatch', settingsPatchSchema);
