import type { Unit } from '../../model/model.ts';
import type { DocumentTerms } from '../../text/text.ts';
import { parseColumn } from '../rows/rows.ts';
import type { Session } from './session.ts';

/** Terms that are read at a time. */
const PAGE_SIZE = 10_000;

/** Each unit must be in the lists of exactly its own terms, with the right counts. */
export async function postingProblems(
  session: Session,
  documents: readonly { readonly unit: Unit; readonly document: DocumentTerms }[],
): Promise<string[]> {
  const rows = await session.all<{ id: number; length: number; terms: string }>(
    `SELECT x.unit_id AS id, x.length, coalesce((
       SELECT json_object_agg(coalesce(t.term, '#' || p.term_id), p.times)
       FROM posting p LEFT JOIN term t ON t.memory_id = $1 AND t.id = p.term_id
       WHERE p.memory_id = $1 AND p.unit_id = x.unit_id), '{}') AS terms
     FROM unit_text x WHERE x.memory_id = $1 AND x.unit_id = ANY (?::bigint[])`,
    documents.map(({ unit }) => unit.id),
  );
  const kept = new Map(rows.map((row) => [row.id, row]));
  return documents.flatMap(({ unit, document: { terms } }) => {
    const row = kept.get(unit.id);
    if (!row) return `Unit ${unit.id} is not in the text index.`;
    if (!holdsJust(terms, parseColumn<'counts'>(row.terms))) {
      return `The words of unit ${unit.id} in the text index are not those of its text.`;
    }
    return row.length === Math.min(terms.length, 65_535)
      ? []
      : `The text index has a wrong length for unit ${unit.id}.`;
  });
}

function holdsJust(terms: readonly string[], kept: Readonly<Record<string, number>>): boolean {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const isSame = [...counts].every(([term, n]) => kept[term] === Math.min(n, 255));
  return isSame && counts.size === Object.keys(kept).length;
}

export async function entryProblems(session: Session, max: number): Promise<string[]> {
  const strays = await session.all<{ id: number }>(
    `SELECT DISTINCT unit_id AS id FROM posting p WHERE memory_id = $1 AND NOT EXISTS (
       SELECT 1 FROM unit u WHERE u.memory_id = $1 AND u.id = p.unit_id) LIMIT ${max}`,
  );
  return strays.map(({ id }) => `The text index contains unit ${id}, which does not exist.`);
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
