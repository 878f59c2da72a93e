/** The schemas that several operations share, with their names in the OpenAPI document. */
export {
  chatRequestShape,
  chatShapes,
  companionEventShape,
  metaRequestShape,
  notificationShape,
} from './companion.ts';
export { anyUnitQuery, pageOf, pageQuery, TIME, unitQuery } from './lists.ts';
export { instant, NAMED } from './named.ts';
export { problemShape } from './problem.ts';
export {
  autoRecallRequestShape,
  bundleShape,
  explorationShape,
  exploreRequestShape,
  packRequestShape,
  packShape,
  recallRequestShape,
  recallShape,
} from './recall.ts';
export {
  appendedTurnShape,
  conversationShape,
  edgeShape,
  entityShape,
  jobShape,
  mentionShape,
  newTurnShape,
  settingsPatchShape,
  settingsShape,
  statsShape,
  turnShape,
} from './stored.ts';
export {
  factPeriodShape,
  factShape,
  loopShape,
  newUnitShape,
  notesShape,
  summaryShape,
  unitShape,
  sensitiveTurnShape,
  unitVersionShape,
} from './units.ts';
export { checkpointShape, journalEntryShape, planShape, topicShape } from './topics.ts';
