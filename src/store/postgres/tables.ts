import type { Instant } from '../../model/model.ts';
import { JobRows } from './jobRows.ts';
import { SharedTables } from '../tables/tables.ts';
import type { Session } from './session.ts';
import { TextIndex } from './textIndex.ts';
import { TurnTable } from './turns.ts';
import { UnitTable } from './units.ts';
import { VectorRows, type ServingSet } from './vectors.ts';
import { noteNewUnits } from './vectorSet.ts';

interface MemoryFacts {
  readonly memoryId: string;
  readonly timeZone: string;
  readonly now: () => Instant;
  readonly servingSet: ServingSet;
}

/** The tables of one memory, used by one session: a transaction, or single statements. */
export class Tables {
  readonly session: Session;
  readonly memoryId: string;
  readonly timeZone: string;
  readonly now: () => Instant;
  readonly shared: SharedTables;
  readonly jobs: JobRows;
  readonly textIndex: TextIndex;
  readonly turns: TurnTable;
  readonly vectors: VectorRows;
  readonly units: UnitTable;

  constructor(session: Session, facts: MemoryFacts) {
    this.session = session;
    this.memoryId = facts.memoryId;
    this.timeZone = facts.timeZone;
    this.now = facts.now;
    this.shared = new SharedTables(
      session,
      {
        vectorRow: (key) => this.vectors.row(key),
        servingVectors: (unitIds) => this.vectors.serving(unitIds),
        restoreVector: (place, vector, follows) => this.vectors.restore(place, vector, follows),
        // No copies are kept in memory.
        noteCentroid: () => {},
        searchEpisodes: (terms, limit) => this.textIndex.search(terms, { kinds: ['episode'] }, limit),
        unit: (id) => this.units.get(id),
        units: (ids) => this.units.getMany(ids),
        unitOfRow: (row) => this.units.ofRow(row),
        firstEpisode: (unitId) => this.units.firstEpisode(unitId),
        noteUnit: (unitId, { isNew }) => (isNew ? noteNewUnits(session, [unitId]) : undefined),
        addToTextIndex: (added) => this.textIndex.add(added),
        removeFromTextIndex: (removed) => this.textIndex.remove(removed),
        removeVectors: (unitIds) => this.vectors.remove(unitIds),
        refreshVectorFilters: (unit) => this.vectors.refreshMetadata(unit),
        turnRows: (page) => this.turns.rows(page),
        insertJobs: (jobs, at) => this.jobs.insert(jobs, at),
        forgetTurns: (turnIds) => this.turns.forget(turnIds),
      },
      facts,
    );
    this.jobs = new JobRows(session);
    this.textIndex = new TextIndex(session, facts.timeZone);
    this.turns = new TurnTable(session, this.jobs, this.textIndex);
    this.vectors = new VectorRows(session, this.shared, facts.servingSet);
    this.units = new UnitTable(session);
  }
}
