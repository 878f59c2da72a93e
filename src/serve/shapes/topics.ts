import {
  checkpointSchema,
  journalEntrySchema,
  reorganizationPlanSchema,
  topicSchema,
} from '../../engine/engine.ts';
import { explained, INSTANT, named } from './named.ts';

export const topicShape = named(
  'Topic',
  explained(topicSchema, {
    source: 'Who or what named it: `user`, or the derivation.',
    state: 'What is `archived` has no episodes; it is kept to be brought back.',
    successorId: 'The topic that took its place.',
    strength: 'How much it matters, 0 to 1.',
    members: 'Its own episodes, without those of the topics below it.',
    firstAt: `When its first own episode occurred. ${INSTANT}`,
    lastAt: `When its last own episode occurred. ${INSTANT}`,
    centroidEmotion: 'How its episodes feel, on average.',
    version: '1 at first, one more with every change but that of its episodes.',
  }),
);

export const planShape = named(
  'ReorganizationPlan',
  explained(reorganizationPlanSchema, {
    by: '`rules`, or the model’s id.',
    refresh: 'Topics whose strength, centre and feeling are computed anew.',
  }),
);

export const journalEntryShape = named(
  'JournalEntry',
  explained(journalEntrySchema, {
    key: 'What made it once only; null when done by hand.',
    plan: 'What was carried out.',
    state: 'Whether it holds, or was undone.',
  }),
);

export const checkpointShape = named(
  'Checkpoint',
  explained(checkpointSchema, {
    turnId: 'The last turn that it covers.',
    chainHash: 'Of that turn, hex.',
    publicKey: 'Ed25519, base64 of the SPKI DER form.',
    signature: 'Base64.',
  }),
);
