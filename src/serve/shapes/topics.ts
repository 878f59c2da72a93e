import {
  checkpointSchema,
  journalEntrySchema,
  reorganizationPlanSchema,
  topicSchema,
} from '../../engine/engine.ts';
import { withDescriptions, INSTANT, named } from './named.ts';

export const topicShape = named(
  'Topic',
  withDescriptions(topicSchema, {
    source: 'Origin of its name: `user`, or the derivation.',
    state: 'An `archived` topic has no episodes; it can be restored.',
    successorId: 'The topic that replaced it.',
    strength: 'Importance, 0 to 1.',
    members: 'Number of its own episodes, without those of its subtopics.',
    firstAt: `When its first own episode occurred. ${INSTANT}`,
    lastAt: `When its last own episode occurred. ${INSTANT}`,
    centroidEmotion: 'Mean emotion of its episodes.',
    version: 'Starts at 1; increases with every change except those of its episodes.',
  }),
);

export const planShape = named(
  'ReorganizationPlan',
  withDescriptions(reorganizationPlanSchema, {
    by: '`rules`, or the model’s id.',
    refresh: 'Topics whose strength, centroid and emotion are recomputed.',
  }),
);

export const journalEntryShape = named(
  'JournalEntry',
  withDescriptions(journalEntrySchema, {
    key: 'Key that prevents it from running twice; null if started by a user.',
    plan: 'The operations.',
    state: 'Whether it is applied, or was undone.',
  }),
);

export const checkpointShape = named(
  'Checkpoint',
  withDescriptions(checkpointSchema, {
    turnId: 'The last turn it covers.',
    chainHash: 'Chain hash of that turn, hex.',
    publicKey: 'Ed25519, base64 of the SPKI DER form.',
    signature: 'Base64.',
  }),
);
