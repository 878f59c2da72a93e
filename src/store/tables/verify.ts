import { KINDS, messageOf, type Unit } from '../../model/model.ts';
import { documentTimes } from '../../text/text.ts';
import {
  ChainWalk,
  openPayload,
  openTags,
  parseTexts,
  sealPayload,
  sealTags,
  TermDigest,
  Totals,
  type ChainCheck,
} from '../rows/rows.ts';
import type { Verification } from '../store.ts';
import { entityProblems } from './entityUpkeep.ts';
import { rowProblems } from './rowHashes.ts';
import type { Sql } from './sql.ts';
import { settled, type Steps } from './steps.ts';
import type { SharedTables } from './sharedTables.ts';
import { timesOf } from './times.ts';
import { topicProblems } from './topicUpkeep.ts';
import { isRemembered } from './turns.ts';
import { unitProblems } from './unitUpkeep.ts';
import { documentsOf, termProblems } from './verifyTerms.ts';

type Problem = Verification['problems'][number];
type Report = (code: Problem['code'], message: string) => void;

/** More would repeat the same cause. */
const MAX_PROBLEMS = 100;
const PAGE_SIZE = 1_000;
const EPISODE = KINDS.indexOf('episode');

/** Compares everything derived with its source. Reads the whole memory. */
export function* verifyMemory(tables: SharedTables): Steps<Verification> {
  const { own, reading } = tables;
  yield* settled(own.allowLongStatements());
  yield* settled(own.forgetKeys());
  const problems: Problem[] = [];
  const report: Report = (code, message) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ code, message });
  };
  yield* attempt(tables, report, 'The file', function* () {
    for (const { code, message } of yield* settled(own.schemaProblems(MAX_PROBLEMS))) report(code, message);
  });
  const { head, ...chain } = yield* checkChain(tables, report);
  yield* checkEpisodes(tables.tx, report);
  yield* attempt(tables, report, 'The relations', function* () {
    for (const { code, message } of yield* rowProblems(tables.tx, MAX_PROBLEMS)) report(code, message);
  });
  const unreadable = yield* unreadableUnits(tables.tx);
  for (const id of unreadable) {
    report('UNIT_WRONG', `Unit ${id} cannot be decrypted: it was changed.`);
  }
  // The following checks read all units.
  if (unreadable.length === 0) yield* checkDerived(tables, report);
  const chainHead = Buffer.from(head).toString('hex');
  return { ...chain, units: yield* reading.count(), chainHead, problems };
}

function* checkDerived(tables: SharedTables, report: Report): Steps<void> {
  yield* attempt(tables, report, 'The text index', () => checkTextIndex(tables, report));
  yield* attempt(tables, report, 'The vectors', function* () {
    for (const message of yield* tables.vectors.problems()) report('INDEX_WRONG', message);
  });
  for (const id of yield* tables.turns.miscounted()) {
    report('INDEX_WRONG', `The list of conversations is wrong about ${JSON.stringify(id)}.`);
  }
  yield* attempt(tables, report, 'The versions', function* () {
    for (const { code, message } of yield* unitProblems(tables, MAX_PROBLEMS)) report(code, message);
  });
  yield* attempt(tables, report, 'The entities', function* () {
    for (const { code, message } of yield* entityProblems(tables, MAX_PROBLEMS)) report(code, message);
  });
  yield* attempt(tables, report, 'The topics', function* () {
    for (const { code, message } of yield* topicProblems(tables, MAX_PROBLEMS)) report(code, message);
  });
}

/** Runs `body`; data that is too damaged to be compared is reported as a problem. */
function* attempt(
  { own }: SharedTables,
  report: Report,
  what: string,
  body: () => Steps<unknown>,
): Steps<void> {
  try {
    yield* body();
  } catch (error) {
    if (!own.isDamage(error)) throw error;
    report('FILE_DAMAGED', `${what} cannot be read: ${messageOf(error)}`);
  }
}

/** Compares all turns, from the first, with their hashes, the previous turn and the checkpoints. */
function* checkChain({ turns, checkpoints }: SharedTables, report: Report): Steps<ChainCheck> {
  const walk = new ChainWalk(
    yield* checkpoints.list(),
    (checkpoint) => checkpoints.isSigned(checkpoint),
    (message) => report('CHAIN_BROKEN', message),
  );
  for (let afterId = 0; ;) {
    const rows = yield* turns.rows({ afterId, limit: PAGE_SIZE });
    for (const row of rows) walk.step(row);
    const last = rows.at(-1);
    if (!last) return walk.end();
    afterId = last.id;
  }
}

function* checkEpisodes(tx: Sql, report: Report): Steps<void> {
  const wrong = yield* tx.all<{ id: number }>(
    `SELECT t.id FROM turn t LEFT JOIN unit u ON u.memory_id = $1 AND u.turn_id = t.id
     WHERE t.memory_id = $1 AND ${isRemembered('t.conversation_id')} AND (u.id IS NULL OR u.kind <> ${EPISODE}
       OR u.conversation_id <> t.conversation_id OR u.turn_index <> t.turn_index OR u.occurred_at <> t.occurred_at)
     LIMIT ${MAX_PROBLEMS}`,
  );
  for (const { id } of wrong) report('UNIT_WRONG', `Turn ${id} has no episode, or one that differs from it.`);
  const orphans = yield* tx.all<{ id: number }>(
    `SELECT u.id FROM unit u LEFT JOIN turn t ON t.memory_id = $1 AND t.id = u.turn_id
     WHERE u.memory_id = $1 AND t.id IS NULL AND (u.turn_id IS NOT NULL OR u.kind = ${EPISODE}) LIMIT ${MAX_PROBLEMS}`,
  );
  for (const { id } of orphans) report('UNIT_WRONG', `Unit ${id} is an episode whose turn is missing.`);
}

interface UnitWords {
  readonly id: number;
  readonly payload: string;
  readonly tags: string;
  readonly emotion: string | null;
}

/** Units that cannot be decrypted, or are damaged. */
function* unreadableUnits(tx: Sql): Steps<number[]> {
  const ids: number[] = [];
  for (let afterId = 0; ;) {
    const rows = yield* tx.all<UnitWords>(
      `SELECT id, payload, topic_tags AS tags, emotion FROM unit WHERE memory_id = $1 AND id > ?
       ORDER BY id LIMIT ${PAGE_SIZE}`,
      afterId,
    );
    const last = rows.at(-1);
    if (!last) return ids;
    ids.push(...rows.filter((row) => !isWhole(tx, row)).map(({ id }) => id));
    afterId = last.id;
  }
}

/** The fields that are not encrypted must agree with those that are. */
function isWhole({ keys }: Sql, { payload, tags, emotion }: UnitWords): boolean {
  try {
    if (emotion !== null) JSON.parse(emotion);
    return (
      sealPayload(keys, openPayload(keys, payload)) === payload &&
      sealTags(keys, parseTexts(openTags(keys, tags))) === tags
    );
  } catch {
    return false;
  }
}

function* checkTextIndex(tables: SharedTables, report: Report): Steps<void> {
  const { tx, own, reading } = tables;
  const wrong = (messages: readonly string[]) => {
    for (const message of messages) report('INDEX_WRONG', message);
  };
  const totals = new Totals();
  const terms = new TermDigest();
  yield* reading.forEachPage(function* (units) {
    const documents = documentsOf(tables, units);
    for (const { unit, document } of documents) {
      totals.count(unit, document);
      for (const term of new Set(document.terms)) terms.add(term);
    }
    wrong(yield* settled(own.postingProblems(documents)));
    wrong(yield* timeProblems(tables, units));
  });
  wrong(yield* settled(own.entryProblems(MAX_PROBLEMS)));
  wrong(yield* termProblems(tables, terms, MAX_PROBLEMS));
  wrong(yield* kindProblems(tx, totals));
  wrong(yield* speakerProblems(tx, totals));
}

function* timeProblems({ tx, timeZone }: SharedTables, units: readonly Unit[]): Steps<string[]> {
  const kept = yield* timesOf(
    tx,
    units.map((unit) => unit.id),
  );
  return units.flatMap((unit) => {
    const expected = documentTimes(unit, timeZone).sort((a, b) => a.from - b.from || a.to - b.to);
    const isSame = JSON.stringify(expected) === JSON.stringify(kept.get(unit.id) ?? []);
    return isSame ? [] : `The index has other times for unit ${unit.id} than its text mentions.`;
  });
}

function* kindProblems(tx: Sql, totals: Totals): Steps<string[]> {
  const kinds = yield* tx.all<{ kind: number; documents: number; terms: number }>(
    'SELECT kind, documents, terms FROM indexed WHERE memory_id = $1 AND documents > 0',
  );
  const wrong = kinds.filter(({ kind, documents, terms }) => {
    const expected = totals.kinds.get(kind);
    return documents !== expected?.units || terms !== expected.terms;
  });
  return [
    ...(kinds.length === totals.kinds.size
      ? []
      : ['The statistics lack a kind of unit, or contain one too many.']),
    ...wrong.map(({ kind }) => `The statistics of ${KINDS[kind]} units are wrong.`),
  ];
}

function* speakerProblems(tx: Sql, totals: Totals): Steps<string[]> {
  const speakers = yield* tx.all<{ name: string; turns: number; terms: number; questions: number }>(
    'SELECT name, turns, terms, questions FROM speaker WHERE memory_id = $1 AND turns > 0',
  );
  const wrong = speakers
    .map((speaker) => ({ ...speaker, name: nameOf(tx, speaker.name) }))
    .filter(({ name, turns, terms, questions }) => {
      const expected = totals.speakers.get(name);
      return turns !== expected?.turns || terms !== expected.terms || questions !== expected.questions;
    });
  return [
    ...(speakers.length === totals.speakers.size
      ? []
      : ['The statistics lack a speaker, or contain one too many.']),
    ...wrong.map(({ name }) => `The statistics of speaker ${JSON.stringify(name)} are wrong.`),
  ];
}

/** The stored name, if it cannot be decrypted. */
function nameOf({ keys }: Sql, kept: string): string {
  try {
    return keys.open(kept);
  } catch {
    return kept;
  }
}
