/**
 * Tables that every store keeps alike, written once. A store gives them a `Driver`, which runs their statements, and
 * `OwnParts`, what it does in its own way. Callers hold the transaction.
 */
export { eraseRows, removeHistory } from './erasure.ts';
export { createGroups, type Runner } from './groups.ts';
export { filterSql } from './filter.ts';
export { DUE_JOB, type JobQueue } from './jobQueue.ts';
export { readInfo } from './info.ts';
export type { OwnParts, TextIndexFilling } from './ownParts.ts';
export type { TableParts } from './parts.ts';
export { rebuildMemory, reindexText } from './rebuild.ts';
export { hashRows } from './rowHashes.ts';
export type { RowRecorder } from './rowImages.ts';
export { Sql, type Driver, type SqlValue } from './sql.ts';
export { perform, performNow, type Steps } from './steps.ts';
export { readSum, type Centroids } from './centroids.ts';
export {
  bytesOf,
  VectorSets,
  type CountedSet,
  type SetInfo,
  type VectorPlace,
  type VectorSet,
  type VectorStorage,
} from './vectorSets.ts';
export { verifyMemory } from './verify.ts';
export { SharedTables, type MemoryFacts } from './sharedTables.ts';
