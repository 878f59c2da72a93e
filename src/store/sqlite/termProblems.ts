import type { OwnParts } from '../tables/tables.ts';
import type { Database } from './database.ts';

/** The table `term` and FTS5's own vocabulary must agree with the units' text. */
const SOURCES = {
  statistics: 'SELECT term, documents FROM term',
  'text index': 'SELECT term, doc AS documents FROM temp.vocabulary',
} as const;

export function termParts(
  db: Database,
): Pick<OwnParts, 'termSources' | 'forEachTerm' | 'entryProblems' | 'postingProblems'> {
  return {
    // FTS5 tells only the frequencies of terms.
    postingProblems: () => [],
    termSources: Object.keys(SOURCES),
    forEachTerm(source, body) {
      db.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, unit_text, row)');
      const sql = source === 'statistics' ? SOURCES.statistics : SOURCES['text index'];
      const rows = db.iterate<{ term: string; documents: number }>(sql);
      for (const { term, documents } of rows) body(term, documents);
    },
    entryProblems: (max) => entryProblems(db, max),
  };
}

function entryProblems(db: Database, max: number): string[] {
  const unindexed = db.all<{ id: number }>(
    'SELECT id FROM unit EXCEPT SELECT rowid FROM unit_text LIMIT +?',
    max,
  );
  const orphans = db.all<{ id: number }>(
    'SELECT rowid AS id FROM unit_text EXCEPT SELECT id FROM unit LIMIT +?',
    max,
  );
  return [
    ...unindexed.map(({ id }) => `Unit ${id} is not in the text index.`),
    ...orphans.map(({ id }) => `The text index contains unit ${id}, which does not exist.`),
  ];
}
