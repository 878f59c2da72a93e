import { KINDS, type Unit, messageOf } from '../../model/model.ts';
import { documentTimes } from '../../text/text.ts';
import type { Verification } from '../store.ts';
import {
  FORGOTTEN,
  hashedDocument,
  openPayload,
  openTags,
  parseTexts,
  sealPayload,
  sealTags,
  Tally,
} from '../rows/rows.ts';
import { checkChain } from './chainCheck.ts';
import type { Database } from './database.ts';
import { fileProblems, schemaProblems } from './schemaCheck.ts';
import type { TextIndex } from './textIndex.ts';
import {
  entityProblems,
  performNow,
  type SharedTables,
  topicProblems,
  unitProblems,
} from '../tables/tables.ts';
import type { TurnTable } from './turns.ts';
import type { UnitTable } from './units.ts';
import type { SqliteVectorIndex } from './vectorIndex.ts';

type Problem = Verification['problems'][number];
/** More problems would mostly have the same cause. */
const MAX_PROBLEMS = 100;

/** Compares all derived data with its sources. Reads the whole memory. */
export function verifyMemory(
  db: Database,
  parts: {
    turns: TurnTable;
    units: UnitTable;
    textIndex: TextIndex;
    vectors: SqliteVectorIndex;
    tables: SharedTables;
    timeZone: string;
  },
): Verification {
  const problems: Problem[] = [];
  const report = (code: Problem['code'], message: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ code, message });
  };
  const attempt = attemptWith(report);
  attempt('The file', () => {
    for (const message of fileProblems(db, MAX_PROBLEMS)) report('FILE_DAMAGED', message);
    for (const message of schemaProblems(db)) report('SCHEMA_WRONG', message);
  });
  const chain = checkChain(parts.turns, parts.tables.checkpoints, (message) =>
    report('CHAIN_BROKEN', message),
  );
  const { turns, forgotten, checkpoints, firstBadTurn } = chain;
  const chainHead = Buffer.from(chain.head).toString('hex');
  checkEpisodes(db, report);
  const unreadable = unreadableUnits(db);
  for (const id of unreadable) report('UNIT_WRONG', `Unit ${id} cannot be decrypted: it was changed.`);
  // The following checks read all units.
  const units = unreadable.length > 0 ? unitCount(db) : checkDerived(db, parts, report);
  return { turns, forgotten, units, chainHead, checkpoints, firstBadTurn, problems };
}

type VerifyParts = Parameters<typeof verifyMemory>[1];

/** The number of units. */
function checkDerived(db: Database, parts: VerifyParts, report: Report): number {
  const attempt = attemptWith(report);
  attempt('The text index', () => checkTextIndex(db, parts, report));
  attempt('The vectors', () => {
    for (const problem of parts.vectors.problems()) report('INDEX_WRONG', problem);
  });
  for (const id of parts.turns.miscounted()) {
    report('INDEX_WRONG', `The list of conversations is wrong about ${JSON.stringify(id)}.`);
  }
  attempt('The versions', () => {
    for (const { code, message } of performNow(unitProblems(parts.tables, MAX_PROBLEMS)))
      report(code, message);
  });
  attempt('The entities', () => {
    for (const { code, message } of performNow(entityProblems(parts.tables, MAX_PROBLEMS)))
      report(code, message);
  });
  attempt('The topics', () => {
    for (const { code, message } of performNow(topicProblems(parts.tables, MAX_PROBLEMS)))
      report(code, message);
  });
  return unitCount(db);
}

/** Data that is too damaged to be compared is reported as a problem. */
function attemptWith(report: Report): (what: string, body: () => unknown) => void {
  return (what, body) => {
    try {
      body();
    } catch (error) {
      const reason = messageOf(error);
      report('FILE_DAMAGED', `${what} cannot be read: ${reason}`);
    }
  };
}

interface UnitWords {
  id: number;
  payload: string;
  tags: string;
  emotion: string | null;
}

/** Units that cannot be decrypted, or are damaged. */
function unreadableUnits(db: Database): number[] {
  const ids: number[] = [];
  const sql = 'SELECT id, payload, topic_tags AS tags, emotion FROM unit';
  for (const { id, payload, tags, emotion } of db.iterate<UnitWords>(sql)) {
    try {
      // The fields that are not encrypted must agree with the payload.
      if (sealPayload(db.keys, openPayload(db.keys, payload)) !== payload) ids.push(id);
      else if (sealTags(db.keys, parseTexts(openTags(db.keys, tags))) !== tags) ids.push(id);
      if (emotion !== null) JSON.parse(emotion);
    } catch {
      ids.push(id);
    }
  }
  return ids;
}

function unitCount(db: Database): number {
  return db.get<{ count: number }>('SELECT count(*) AS count FROM unit')?.count ?? 0;
}

type Report = (code: Problem['code'], message: string) => void;

function checkEpisodes(db: Database, report: Report): void {
  const wrong = db.all<{ id: number }>(
    `SELECT t.id FROM turn t LEFT JOIN unit u ON u.turn_id = t.id
     WHERE t.conversation_id NOT GLOB '${FORGOTTEN}*' AND (u.id IS NULL OR u.kind <> ${KINDS.indexOf('episode')} OR u.conversation_id <> t.conversation_id
       OR u.turn_index <> t.turn_index OR u.occurred_at <> t.occurred_at) LIMIT ${MAX_PROBLEMS}`,
  );
  for (const { id } of wrong) report('UNIT_WRONG', `Turn ${id} has no episode, or one that differs from it.`);
  const orphans = db.all<{ id: number }>(
    `SELECT u.id FROM unit u LEFT JOIN turn t ON t.id = u.turn_id
     WHERE t.id IS NULL AND (u.turn_id IS NOT NULL OR u.kind = ${KINDS.indexOf('episode')}) LIMIT ${MAX_PROBLEMS}`,
  );
  for (const { id } of orphans) report('UNIT_WRONG', `Unit ${id} is an episode whose turn is missing.`);
}

function checkTextIndex(
  db: Database,
  parts: { units: UnitTable; textIndex: TextIndex; timeZone: string },
  report: Report,
): void {
  const tally = new Tally();
  for (const page of parts.units.pages()) {
    for (const unit of page) tally.count(unit, hashedDocument(unit, parts.timeZone, db.keys));
    checkTimes(page, parts, report);
  }
  const unindexed = db.all<{ id: number }>(
    'SELECT id FROM unit EXCEPT SELECT rowid FROM unit_text LIMIT 100',
  );
  for (const { id } of unindexed) report('INDEX_WRONG', `Unit ${id} is not in the text index.`);
  const strays = db.all<{ id: number }>(
    'SELECT rowid AS id FROM unit_text EXCEPT SELECT id FROM unit LIMIT 100',
  );
  for (const { id } of strays)
    report('INDEX_WRONG', `The text index contains unit ${id}, which does not exist.`);
  compareFrequencies(db, tally, report);
  compareTotals(db, tally, report);
}

/** The stored name, if it cannot be decrypted. */
function nameOf(db: Database, kept: string): string {
  try {
    return db.keys.open(kept);
  } catch {
    return kept;
  }
}

function checkTimes(
  units: readonly Unit[],
  parts: { textIndex: TextIndex; timeZone: string },
  report: Report,
): void {
  const kept = parts.textIndex.timesOf(units.map((unit) => unit.id));
  for (const unit of units) {
    const expected = documentTimes(unit, parts.timeZone).sort((a, b) => a.from - b.from || a.to - b.to);
    if (JSON.stringify(expected) !== JSON.stringify(kept.get(unit.id) ?? [])) {
      report('INDEX_WRONG', `The index has other times for unit ${unit.id} than its text mentions.`);
    }
  }
}

/** Three sources must agree: the units' text, the table `term`, and FTS5's own vocabulary. */
function compareFrequencies(db: Database, tally: Tally, report: Report): void {
  db.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, unit_text, row)');
  const counted = db.all<{ term: string; documents: number; source: string }>(
    `SELECT term, documents, 'statistics' AS source FROM term
     UNION ALL SELECT term, doc, 'text index' FROM temp.vocabulary`,
  );
  const sizes = new Map<string, number>();
  for (const { term, documents, source } of counted) {
    sizes.set(source, (sizes.get(source) ?? 0) + 1);
    const expected = tally.documents.get(term) ?? 0;
    if (documents !== expected) {
      report(
        'INDEX_WRONG',
        `The ${source} count ${documents} units with the term of hash ${term}, but there are ${expected}.`,
      );
    }
  }
  for (const source of ['statistics', 'text index']) {
    const missing = tally.documents.size - (sizes.get(source) ?? 0);
    if (missing > 0) report('INDEX_WRONG', `The ${source} lack ${missing} terms.`);
  }
}

function compareTotals(db: Database, tally: Tally, report: Report): void {
  const kinds = db.all<{ kind: number; documents: number; terms: number }>(
    'SELECT * FROM indexed WHERE documents > 0',
  );
  if (kinds.length !== tally.kinds.size)
    report('INDEX_WRONG', 'The statistics lack a kind of unit, or contain one too many.');
  for (const { kind, documents, terms } of kinds) {
    const expected = tally.kinds.get(kind);
    if (documents !== expected?.units || terms !== expected.terms) {
      report('INDEX_WRONG', `The statistics of ${KINDS[kind]} units are wrong.`);
    }
  }
  const speakers = db.all<{ name: string; turns: number; terms: number; questions: number }>(
    'SELECT * FROM speaker WHERE turns > 0',
  );
  if (speakers.length !== tally.speakers.size)
    report('INDEX_WRONG', 'The statistics lack a speaker, or contain one too many.');
  for (const { name: kept, turns, terms, questions } of speakers) {
    const name = nameOf(db, kept);
    const expected = tally.speakers.get(name);
    if (turns !== expected?.turns || terms !== expected.terms || questions !== expected.questions) {
      report('INDEX_WRONG', `The statistics of speaker ${JSON.stringify(name)} are wrong.`);
    }
  }
}
