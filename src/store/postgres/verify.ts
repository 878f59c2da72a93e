import { KINDS, type Unit } from '../../model/model.ts';
import { documentTimes } from '../../text/text.ts';
import {
  ChainWalk,
  FORGOTTEN,
  hashedDocument,
  openPayload,
  parseColumn,
  Tally,
  type ChainCheck,
} from '../rows/rows.ts';
import type { Verification } from '../store.ts';
import type { Session } from './session.ts';
import { schemaProblems } from './schemaCheck.ts';
import type { Tables } from './tables.ts';
import { entityProblems, perform, topicProblems, unitProblems } from '../tables/tables.ts';

type Problem = Verification['problems'][number];
type Report = (code: Problem['code'], message: string) => void;
/** More would repeat the same cause. */
const MAX_PROBLEMS = 100;
const MANY = 1_000;

/** Compares everything derived with its source. Reads the whole memory. */
export async function verifyMemory(tables: Tables): Promise<Verification> {
  await tables.session.allowLongStatements();
  tables.session.keys.forgetPages();
  const problems: Problem[] = [];
  const report: Report = (code, message) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ code, message });
  };
  for (const message of await schemaProblems(tables.session)) report('SCHEMA_WRONG', message);
  const chain = await checkChain(tables, report);
  await checkEpisodes(tables, report);
  const unreadable = await unreadableUnits(tables);
  for (const id of unreadable) {
    report('UNIT_WRONG', `Unit ${id} cannot be decrypted: it was changed.`);
  }
  const { turns, forgotten, checkpoints, firstBadTurn } = chain;
  const chainHead = Buffer.from(chain.head).toString('hex');
  const result = { turns, forgotten, chainHead, checkpoints, firstBadTurn, problems };
  // The following checks read all units.
  if (unreadable.length > 0) return { ...result, units: await tables.units.count() };
  const units = await checkTextIndex(tables, report);
  for (const message of await tables.vectors.problems()) report('INDEX_WRONG', message);
  for (const id of await tables.turns.miscounted()) {
    report('INDEX_WRONG', `The list of conversations is wrong about ${JSON.stringify(id)}.`);
  }
  const others = [
    ...(await perform(unitProblems(tables.shared, MAX_PROBLEMS))),
    ...(await perform(entityProblems(tables.shared, MAX_PROBLEMS))),
    ...(await perform(topicProblems(tables.shared, MAX_PROBLEMS))),
  ];
  for (const { code, message } of others) report(code, message);
  return { ...result, units };
}

/** Units whose payload cannot be decrypted. */
async function unreadableUnits({ session }: Tables): Promise<number[]> {
  const ids: number[] = [];
  for (let afterId = 0; ;) {
    const rows = await session.all<{ id: number; payload: string }>(
      `SELECT id, payload FROM unit WHERE memory_id = $1 AND id > ? ORDER BY id LIMIT ${MANY}`,
      afterId,
    );
    const last = rows.at(-1);
    if (!last) return ids;
    ids.push(...rows.filter(({ payload }) => !canBeRead(session, payload)).map(({ id }) => id));
    afterId = last.id;
  }
}

function canBeRead({ keys }: Session, payload: string): boolean {
  try {
    openPayload(keys, payload);
    return true;
  } catch {
    return false;
  }
}

async function checkChain({ turns, shared }: Tables, report: Report): Promise<ChainCheck> {
  const walk = new ChainWalk(
    await perform(shared.checkpoints.list()),
    (checkpoint) => shared.checkpoints.isSigned(checkpoint),
    (message) => report('CHAIN_BROKEN', message),
  );
  for (let afterId = 0; ;) {
    const rows = await turns.rows({ afterId, limit: MANY });
    for (const row of rows) walk.step(row);
    const last = rows.at(-1);
    if (!last) return walk.end();
    afterId = last.id;
  }
}

async function checkEpisodes({ session }: Tables, report: Report): Promise<void> {
  const wrong = await session.all<{ id: number }>(
    `SELECT t.id FROM turn t LEFT JOIN unit u ON u.memory_id = $1 AND u.turn_id = t.id
     WHERE t.memory_id = $1 AND NOT starts_with(t.conversation_id, '${FORGOTTEN}') AND (u.id IS NULL OR u.kind <> ${KINDS.indexOf('episode')}
       OR u.conversation_id <> t.conversation_id OR u.turn_index <> t.turn_index OR u.occurred_at <> t.occurred_at)
     LIMIT ${MAX_PROBLEMS}`,
  );
  for (const { id } of wrong) report('UNIT_WRONG', `Turn ${id} has no episode, or one that differs from it.`);
  const orphans = await session.all<{ id: number }>(
    `SELECT u.id FROM unit u LEFT JOIN turn t ON t.memory_id = $1 AND t.id = u.turn_id
     WHERE u.memory_id = $1 AND t.id IS NULL
       AND (u.turn_id IS NOT NULL OR u.kind = ${KINDS.indexOf('episode')}) LIMIT ${MAX_PROBLEMS}`,
  );
  for (const { id } of orphans) report('UNIT_WRONG', `Unit ${id} is an episode whose turn is missing.`);
}

async function checkTextIndex(tables: Tables, report: Report): Promise<number> {
  const tally = new Tally();
  const counted = await tables.session.all<TermRow>(
    'SELECT id, term, documents FROM term WHERE memory_id = $1',
  );
  const termsById = new Map(counted.map(({ id, term }) => [String(id), term]));
  let units = 0;
  for await (const page of tables.units.pages()) {
    for (const unit of page) tally.count(unit, hashedDocument(unit, tables.timeZone, tables.session.keys));
    await checkPostings(page, termsById, tables, report);
    await checkTimes(page, tables, report);
    units += page.length;
  }
  const strays = await tables.session.all<{ id: number }>(
    `SELECT DISTINCT unit_id AS id FROM posting p WHERE memory_id = $1 AND NOT EXISTS (
       SELECT 1 FROM unit u WHERE u.memory_id = $1 AND u.id = p.unit_id) LIMIT 100`,
  );
  for (const { id } of strays)
    report('INDEX_WRONG', `The text index contains unit ${id}, which does not exist.`);
  compareFrequencies(counted, tally, report);
  await compareTotals(tables, tally, report);
  return units;
}

/** Each unit must be in the lists of exactly its own terms, with the right counts. */
async function checkPostings(
  units: readonly Unit[],
  termsById: ReadonlyMap<string, string>,
  tables: Tables,
  report: Report,
): Promise<void> {
  const rows = await tables.session.all<{ id: number; length: number; terms: string }>(
    `SELECT x.unit_id AS id, x.length, coalesce((
       SELECT json_object_agg(p.term_id, p.times) FROM posting p
         WHERE p.memory_id = $1 AND p.unit_id = x.unit_id), '{}') AS terms
     FROM unit_text x WHERE x.memory_id = $1 AND x.unit_id = ANY (?::bigint[])`,
    units.map((unit) => unit.id),
  );
  const kept = new Map(rows.map((row) => [row.id, row]));
  for (const unit of units) {
    const row = kept.get(unit.id);
    const { terms } = hashedDocument(unit, tables.timeZone, tables.session.keys);
    if (!row) report('INDEX_WRONG', `Unit ${unit.id} is not in the text index.`);
    else if (!holdsJust(terms, namedTerms(row.terms, termsById))) {
      report('INDEX_WRONG', `The words of unit ${unit.id} in the text index are not those of its text.`);
    } else if (row.length !== Math.min(terms.length, 65_535)) {
      report('INDEX_WRONG', `The text index has a wrong length for unit ${unit.id}.`);
    }
  }
}

interface TermRow {
  readonly id: number;
  readonly term: string;
  readonly documents: number;
}

/** How often each term occurs, from JSON that has that by the terms' ids. */
function namedTerms(json: string, termsById: ReadonlyMap<string, string>): Map<string, number> {
  const times = Object.entries(parseColumn<'counts'>(json));
  return new Map(times.map(([id, n]) => [termsById.get(id) ?? `#${id}`, n]));
}

function holdsJust(terms: readonly string[], kept: ReadonlyMap<string, number>): boolean {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts.size === kept.size && [...counts].every(([term, n]) => kept.get(term) === Math.min(n, 255));
}

async function checkTimes(units: readonly Unit[], tables: Tables, report: Report): Promise<void> {
  const kept = await tables.textIndex.timesOf(units.map((unit) => unit.id));
  for (const unit of units) {
    const expected = documentTimes(unit, tables.timeZone).sort((a, b) => a.from - b.from || a.to - b.to);
    if (JSON.stringify(expected) !== JSON.stringify(kept.get(unit.id) ?? [])) {
      report('INDEX_WRONG', `The index has other times for unit ${unit.id} than its text mentions.`);
    }
  }
}

function compareFrequencies(counted: readonly TermRow[], tally: Tally, report: Report): void {
  for (const { term, documents } of counted) {
    const expected = tally.documents.get(term) ?? 0;
    if (documents === expected) continue;
    report(
      'INDEX_WRONG',
      `The statistics count ${documents} units with one term, but there are ${expected}.`,
    );
  }
  const missing = tally.documents.size - counted.length;
  if (missing > 0) report('INDEX_WRONG', `The statistics lack ${missing} terms.`);
}

async function compareTotals({ session }: Tables, tally: Tally, report: Report): Promise<void> {
  const kinds = await session.all<{ kind: number; documents: number; terms: number }>(
    'SELECT kind, documents, terms FROM indexed WHERE memory_id = $1 AND documents > 0',
  );
  if (kinds.length !== tally.kinds.size) {
    report('INDEX_WRONG', 'The statistics lack a kind of unit, or contain one too many.');
  }
  for (const { kind, documents, terms } of kinds) {
    const expected = tally.kinds.get(kind);
    if (documents !== expected?.units || terms !== expected.terms) {
      report('INDEX_WRONG', `The statistics of ${KINDS[kind]} units are wrong.`);
    }
  }
  const speakers = await session.all<{ name: string; turns: number; terms: number; questions: number }>(
    'SELECT name, turns, terms, questions FROM speaker WHERE memory_id = $1 AND turns > 0',
  );
  if (speakers.length !== tally.speakers.size) {
    report('INDEX_WRONG', 'The statistics lack a speaker, or contain one too many.');
  }
  for (const { name, turns, terms, questions } of speakers) {
    const expected = tally.speakers.get(session.keys.open(name));
    if (turns !== expected?.turns || terms !== expected.terms || questions !== expected.questions) {
      report(
        'INDEX_WRONG',
        `The statistics of speaker ${JSON.stringify(session.keys.open(name))} are wrong.`,
      );
    }
  }
}
