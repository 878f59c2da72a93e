import type { Unit } from '../../model/model.ts';
import type { DocumentTerms } from '../../text/text.ts';
import { hashedDocument, TermDigest } from '../rows/rows.ts';
import type { SharedTables } from './sharedTables.ts';
import { settled, type Steps } from './steps.ts';

/** Buckets whose terms are counted together, an eighth of all. */
const BUCKETS_AT_ONCE = 8_192;

export interface UnitDocument {
  readonly unit: Unit;
  readonly document: DocumentTerms;
}

/** The units with their terms, as keyed hashes. */
export function documentsOf({ tx, timeZone }: SharedTables, units: readonly Unit[]): UnitDocument[] {
  return units.map((unit) => ({ unit, document: hashedDocument(unit, timeZone, tx.keys) }));
}

/**
 * Terms that the text index counts differently than `expected`, which was made from all units. Without a list of all
 * terms: only those of differing buckets are counted, in another pass over the units.
 */
export function* termProblems(tables: SharedTables, expected: TermDigest, max: number): Steps<string[]> {
  const { own } = tables;
  const problems: string[] = [];
  for (const source of own.termSources) {
    const stored = new TermDigest(expected);
    yield* settled(own.forEachTerm(source, (term, documents) => stored.add(term, documents)));
    const differing = expected.differing(stored);
    for (let at = 0; at < differing.length && problems.length < max; at += BUCKETS_AT_ONCE) {
      const buckets = new Set(differing.slice(at, at + BUCKETS_AT_ONCE));
      const isWanted = (term: string) => buckets.has(expected.bucketOf(term));
      problems.push(...(yield* miscountedTerms(tables, source, isWanted)));
    }
  }
  return problems;
}

function* miscountedTerms(
  tables: SharedTables,
  source: string,
  isWanted: (term: string) => boolean,
): Steps<string[]> {
  const expected = new Map<string, number>();
  yield* tables.reading.forEachPage((units) => {
    for (const { document } of documentsOf(tables, units)) {
      for (const term of new Set(document.terms)) {
        if (isWanted(term)) expected.set(term, (expected.get(term) ?? 0) + 1);
      }
    }
  });
  const problems: string[] = [];
  let found = 0;
  const compare = (term: string, documents: number) => {
    if (!isWanted(term)) return;
    found += 1;
    const count = expected.get(term) ?? 0;
    if (documents === count) return;
    problems.push(
      `The ${source} count ${documents} units with the term of hash ${term}, but there are ${count}.`,
    );
  };
  yield* settled(tables.own.forEachTerm(source, compare));
  const lacking = expected.size - found;
  if (lacking > 0) problems.push(`The ${source} lack ${lacking} terms.`);
  return problems;
}
