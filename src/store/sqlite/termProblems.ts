import type { Tally } from '../rows/rows.ts';
import type { Database } from './database.ts';

/** Three sources must agree: the units' text, the table `term`, and FTS5's own vocabulary. Also entries for no unit. */
export function termProblems(db: Database, tally: Tally): string[] {
  db.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, unit_text, row)');
  const counted = db.all<{ term: string; documents: number; source: string }>(
    `SELECT term, documents, 'statistics' AS source FROM term
     UNION ALL SELECT term, doc, 'text index' FROM temp.vocabulary`,
  );
  const sizes = new Map<string, number>();
  const problems = missing(db);
  for (const { term, documents, source } of counted) {
    sizes.set(source, (sizes.get(source) ?? 0) + 1);
    const expected = tally.documents.get(term) ?? 0;
    if (documents === expected) continue;
    problems.push(
      `The ${source} count ${documents} units with the term of hash ${term}, but there are ${expected}.`,
    );
  }
  for (const source of ['statistics', 'text index']) {
    const lacking = tally.documents.size - (sizes.get(source) ?? 0);
    if (lacking > 0) problems.push(`The ${source} lack ${lacking} terms.`);
  }
  return problems;
}

/** Units without an entry, and entries without a unit. */
function missing(db: Database): string[] {
  const unindexed = db.all<{ id: number }>(
    'SELECT id FROM unit EXCEPT SELECT rowid FROM unit_text LIMIT 100',
  );
  const strays = db.all<{ id: number }>(
    'SELECT rowid AS id FROM unit_text EXCEPT SELECT id FROM unit LIMIT 100',
  );
  return [
    ...unindexed.map(({ id }) => `Unit ${id} is not in the text index.`),
    ...strays.map(({ id }) => `The text index contains unit ${id}, which does not exist.`),
  ];
}
