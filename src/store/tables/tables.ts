/**
 * Tables that every store keeps alike, written once. A store gives them a `Driver`, which runs their statements, and
 * `OwnParts`, what it does in its own way. Callers hold the transaction.
 */
import type { Instant } from '../../model/model.ts';
import { DerivationMarks } from './derivationMarks.ts';
import { JournalRows } from './journal.ts';
import { EntityRows } from './entities.ts';
import { JobQueue } from './jobQueue.ts';
import type { OwnParts } from './ownParts.ts';
import type { TableParts } from './parts.ts';
import { RowRecorder } from './rowImages.ts';
import { Sql, type Driver } from './sql.ts';
import { Centroids } from './centroids.ts';
import { CheckpointTable } from './checkpoints.ts';
import { TopicRows } from './topicRows.ts';
import { TopicText } from './topicText.ts';
import { UnitRows } from './unitRows.ts';

export { applyDerivation } from './derivations.ts';
export { entityProblems, reconcileEntities } from './entityUpkeep.ts';
export { eraseRows, removeHistory } from './erasure.ts';
export { DUE_JOB, type JobQueue } from './jobQueue.ts';
export { applyToNoteFiles, listNoteFiles } from './noteFiles.ts';
export type { OwnParts } from './ownParts.ts';
export type { TableParts } from './parts.ts';
export type { RowRecorder } from './rowImages.ts';
export type { Driver, SqlValue } from './sql.ts';
export { perform, performNow, type Steps } from './steps.ts';
export { assignTopics } from './topicAssignment.ts';
export { readSum, type Centroids } from './centroids.ts';
export {
  listTopics,
  TOPICS_BELOW,
  topicDirections,
  topicMembers,
  topicsOfUnits,
  updateTopic,
} from './topicQueries.ts';
export { searchTopics } from './topicSearch.ts';
export { reconcileTopics, topicProblems } from './topicUpkeep.ts';
export { reconcileUnits, unitProblems } from './unitUpkeep.ts';

export interface MemoryFacts {
  readonly memoryId: string;
  readonly now: () => Instant;
}

export class SharedTables implements TableParts {
  readonly tx: Sql;
  readonly own: OwnParts;
  readonly now: () => Instant;
  readonly recorder: RowRecorder;
  readonly marks: DerivationMarks;
  readonly units: UnitRows;
  readonly entities: EntityRows;
  readonly jobs: JobQueue;
  readonly checkpoints: CheckpointTable;
  readonly centroids: Centroids;
  readonly topicText: TopicText;
  readonly topics: TopicRows;
  readonly journal: JournalRows;

  constructor(driver: Driver, own: OwnParts, { memoryId, now }: MemoryFacts) {
    this.tx = new Sql(driver);
    this.own = own;
    this.now = now;
    this.recorder = new RowRecorder(this.tx, own);
    this.marks = new DerivationMarks(this.tx);
    this.units = new UnitRows(this.tx, this.recorder, own);
    this.entities = new EntityRows(this.tx, this.units, now);
    this.jobs = new JobQueue(this.tx);
    this.checkpoints = new CheckpointTable(this.tx, own, memoryId);
    this.centroids = new Centroids(this.tx, this.recorder, own);
    this.topicText = new TopicText(this.tx);
    this.topics = new TopicRows(this.tx, this.recorder, this.centroids, this.topicText);
    this.journal = new JournalRows(this);
  }
}
