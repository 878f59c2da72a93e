import type { Instant } from '../../model/model.ts';
import { CheckpointTable } from './checkpoints.ts';
import { DerivationMarks } from './derivationMarks.ts';
import { DerivationTable } from './derivations.ts';
import { EntityRows } from './entities.ts';
import { JobRows } from './jobRows.ts';
import { JournalRows } from './journal/journal.ts';
import { RowRecorder } from './rowImages.ts';
import type { Session } from './session.ts';
import { TextIndex } from './textIndex.ts';
import { Centroids, TopicRows, TopicText } from './topics/topics.ts';
import { TurnTable } from './turns.ts';
import { UnitTable } from './units.ts';
import { VectorRows } from './vectors.ts';

interface MemoryFacts {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly now: () => Instant;
}

/** The tables of one memory, read and written by one session: a transaction, or a statement at a time. */
export class Tables {
  readonly session: Session;
  readonly memoryId: string;
  readonly timeZone: string;
  readonly now: () => Instant;
  readonly recorder: RowRecorder;
  readonly jobs: JobRows;
  readonly textIndex: TextIndex;
  readonly turns: TurnTable;
  readonly checkpoints: CheckpointTable;
  readonly centroids: Centroids;
  readonly vectors: VectorRows;
  readonly units: UnitTable;
  readonly marks: DerivationMarks;
  readonly entities: EntityRows;
  readonly derivations: DerivationTable;
  readonly topicText: TopicText;
  readonly topics: TopicRows;
  readonly journal: JournalRows;

  constructor(session: Session, facts: MemoryFacts) {
    this.session = session;
    this.memoryId = facts.memoryId;
    this.timeZone = facts.timeZone;
    this.now = facts.now;
    this.recorder = new RowRecorder(session);
    this.jobs = new JobRows(session);
    this.textIndex = new TextIndex(session, facts.timeZone);
    this.turns = new TurnTable(session, this.jobs, this.textIndex);
    this.checkpoints = new CheckpointTable(session, this.turns, facts.memoryId);
    this.centroids = new Centroids(session, this.recorder);
    this.vectors = new VectorRows(session, this.recorder, this.centroids);
    this.units = new UnitTable(this);
    this.marks = new DerivationMarks(session);
    this.entities = new EntityRows(session, this.units, facts.now);
    this.derivations = new DerivationTable(this);
    this.topicText = new TopicText(session);
    this.topics = new TopicRows(session, this.recorder, this.centroids, this.topicText);
    this.journal = new JournalRows(this);
  }
}
