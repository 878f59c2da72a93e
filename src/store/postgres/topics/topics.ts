/** Topics in PostgreSQL: what other files need of how topics lie. */
export { assignTopics } from './assignment.ts';
export { Centroids } from './centroids.ts';
export { listTopics, nearestTopics, topicDirections, topicMembers, topicsOfUnits } from './topicQueries.ts';
export { findCycle } from './topicGraph.ts';
export { TopicRows } from './topicRows.ts';
export { searchTopics } from './topicSearch.ts';
export { TopicText } from './topicText.ts';
export { reconcileTopics, topicProblems } from './topicUpkeep.ts';
