import type { Instant } from '../../model/model.ts';
import { JobRows } from './jobRows.ts';
import { nearestTopics } from './nearestTopics.ts';
import { SharedTables } from '../tables/tables.ts';
import type { Session } from './session.ts';
import { TextIndex } from './textIndex.ts';
import { noteEvents } from './outbox.ts';
import { schemaProblems } from './schemaCheck.ts';
import { entryProblems, forEachTerm, postingProblems } from './termProblems.ts';
import { forgetTurns } from './turns.ts';
import { VectorSearch, type ServingSet } from './vectorSearch.ts';
import { noteNewUnits, PostgresVectorStorage } from './vectorStorage.ts';

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

  constructor(session: Session, facts: MemoryFacts) {
    this.session = session;
    this.memoryId = facts.memoryId;
    this.timeZone = facts.timeZone;
    this.now = facts.now;
    const vectorStorage = new PostgresVectorStorage(session, facts.servingSet);
    const search = new VectorSearch(session, () => this.shared.vectors.sets, facts.servingSet);
    this.shared = new SharedTables(
      session,
      {
        vectorStorage,
        searchVectors: (vector, filter, limit) => search.search(vector, filter, limit),
        cosines: (vector, unitIds) => search.cosines(vector, unitIds),
        servingVectors: (unitIds) => search.vectors(unitIds),
        newestWithout: (modelId, options) => search.newestWithout(modelId, options),
        searchText: (terms, filter, limit) => this.textIndex.search(terms, filter, limit),
        textStatistics: (about) => this.textIndex.statistics(about),
        // No copies are kept in memory.
        noteCentroid: () => {},
        nearestTopics: (vector, limit) => nearestTopics(this.shared.centroids, vector, limit),
        // There are no references that the database checks.
        deferReferenceChecks: () => {},
        noteNewUnits: (unitIds) => noteNewUnits(session, unitIds),
        announce: (episodes) => noteEvents(session, episodes),
        addToTextIndex: (added) => this.textIndex.add(added),
        removeFromTextIndex: (removed) => this.textIndex.remove(removed),
        insertJobs: (jobs, at) => this.jobs.insert(jobs, at),
        forgetTurns: (turns) => forgetTurns(session, turns),
        allowLongStatements: () => session.allowLongStatements(),
        clearTextIndex: () => this.textIndex.clear(),
        forgetKeys: () => session.keys.forgetPages(),
        schemaProblems: async () =>
          (await schemaProblems(session)).map((message) => ({ code: 'SCHEMA_WRONG', message }) as const),
        // After an error the transaction cannot be continued.
        isDamage: () => false,
        postingProblems: (documents) => postingProblems(session, documents),
        entryProblems: (max) => entryProblems(session, max),
        termSources: ['statistics'],
        forEachTerm: (_, body) => forEachTerm(session, body),
      },
      facts,
    );
    this.jobs = new JobRows(session);
    this.textIndex = new TextIndex(session, facts.timeZone);
  }
}
