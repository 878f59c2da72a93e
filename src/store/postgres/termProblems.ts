import type { Unit } from '../../model/model.ts';
import type { DocumentTerms } from '../../text/text.ts';
import { parseColumn } from '../rows/rows.ts';
import type { Session } from './session.ts';

/** Terms that are read at a time. */
const PAGE_SIZE = 10_000;
/** The id of a term that is not in the table: no posting has it. */
const MISSING = -1;

/** Each unit must be in the lists of exactly its own terms, with the right counts. */
export async function postingProblems(
  session: Session,
  documents: readonly { readonly unit: Unit; readonly document: DocumentTerms }[],
): Promise<string[]> {
  const ids = await termIds(session, new Set(documents.flatMap(({ document }) => document.terms)));
  const rows = await session.all<{ id: number; length: number; postings: string }>(
    `SELECT x.unit_id AS id, x.length, coalesce((SELECT json_object_agg(p.term_id, p.times) FROM posting p
       WHERE p.memory_id = $1 AND p.unit_id = x.unit_id), '{}') AS postings
     FROM unit_text x WHERE x.memory_id = $1 AND x.unit_id = ANY (?::bigint[])`,
    documents.map(({ unit }) => unit.id),
  );
  const kept = new Map(rows.map((row) => [row.id, row]));
  return documents.flatMap(({ unit, document: { terms } }) => {
    const row = kept.get(unit.id);
    if (!row) return `Unit ${unit.id} is not in the text index.`;
    const expected = terms.map((term) => ids.get(term) ?? MISSING);
    if (!hasExactly(expected, parseColumn<'counts'>(row.postings))) {
      return `The words of unit ${unit.id} in the text index are not those of its text.`;
    }
    return row.length === Math.min(terms.length, 65_535)
      ? []
      : `The text index has a wrong length for unit ${unit.id}.`;
  });
}

async function termIds(session: Session, terms: ReadonlySet<string>): Promise<Map<string, number>> {
  const rows = await session.all<{ term: string; id: number }>(
    'SELECT term, id FROM term WHERE memory_id = $1 AND term = ANY (?::text[])',
    [...terms],
  );
  return new Map(rows.map(({ term, id }) => [term, id]));
}

function hasExactly(termIds: readonly number[], kept: Readonly<Record<string, number>>): boolean {
  const counts = new Map<number, number>();
  for (const id of termIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  const isSame = [...counts].every(([id, n]) => kept[id] === Math.min(n, 255));
  return isSame && counts.size === Object.keys(kept).length;
}

export async function entryProblems(session: Session, max: number): Promise<string[]> {
  const orphans = await session.all<{ id: number }>(
    `SELECT DISTINCT unit_id AS id FROM posting p WHERE memory_id = $1 AND NOT EXISTS (
       SELECT 1 FROM unit u WHERE u.memory_id = $1 AND u.id = p.unit_id) LIMIT ${max}`,
  );
  const shared = await session.all<{ id: number }>(
    `SELECT id FROM term WHERE memory_id = $1 GROUP BY id HAVING count(*) > 1 LIMIT ${max}`,
  );
  return [
    ...orphans.map(({ id }) => `The text index contains unit ${id}, which does not exist.`),
    ...shared.map(({ id }) => `Several terms of the text index have the id ${id}.`),
  ];
}

export async function forEachTerm(
  session: Session,
  body: (term: string, documents: number) => void,
): Promise<void> {
  for (let after = ''; ;) {
    const rows = await session.all<{ term: string; documents: number }>(
      `SELECT term, documents FROM term WHERE memory_id = $1 AND term > ? ORDER BY term LIMIT ${PAGE_SIZE}`,
      after,
    );
    const last = rows.at(-1);
    if (!last) return;
    for (const { term, documents } of rows) body(term, documents);
    after = last.term;
  }
}
