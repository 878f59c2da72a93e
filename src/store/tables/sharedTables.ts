/** The tables that every store keeps alike, and how they use one another. */
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
import { TurnRows } from './turns.ts';
import { UnitReading } from './unitReading.ts';
import { VectorSets } from './vectorSets.ts';
import { VectorRows } from './vectors.ts';
import { UnitRows } from './unitRows.ts';

export interface MemoryFacts {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly now: () => Instant;
}

export class SharedTables implements TableParts {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly tx: Sql;
  readonly own: OwnParts;
  readonly now: () => Instant;
  readonly reading: UnitReading;
  readonly turns: TurnRows;
  readonly recorder: RowRecorder;
  readonly marks: DerivationMarks;
  readonly units: UnitRows;
  readonly entities: EntityRows;
  readonly jobs: JobQueue;
  readonly checkpoints: CheckpointTable;
  readonly centroids: Centroids;
  readonly topicText: TopicText;
  readonly topics: TopicRows;
  readonly vectors: VectorRows;
  readonly journal: JournalRows;

  constructor(driver: Driver, own: OwnParts, facts: MemoryFacts) {
    this.memoryId = facts.memoryId;
    this.timeZone = facts.timeZone;
    this.tx = new Sql(driver);
    this.own = own;
    this.now = facts.now;
    this.reading = new UnitReading(this.tx);
    this.turns = new TurnRows(this.tx, own);
    const vectorSets = new VectorSets(this.tx, own.vectorStorage);
    this.recorder = new RowRecorder(this.tx, vectorSets);
    this.marks = new DerivationMarks(this.tx);
    this.units = new UnitRows(this);
    this.entities = new EntityRows(this.tx, this.units, facts.now);
    this.jobs = new JobQueue(this.tx);
    this.checkpoints = new CheckpointTable(this.tx, this.turns, facts.memoryId);
    this.centroids = new Centroids(this.tx, this.recorder, own);
    this.topicText = new TopicText(this.tx);
    this.topics = new TopicRows(this.tx, this.recorder, this.centroids, this.topicText);
    this.vectors = new VectorRows(vectorSets, this);
    this.journal = new JournalRows(this);
  }
}
