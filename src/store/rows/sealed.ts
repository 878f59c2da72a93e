/** Conversion between stored rows, whose text is encrypted, and the rows that a store uses. */
import { hash } from 'node:crypto';
import type { MemoryKeys, WordKeys } from '../../keys/keys.ts';
import type { Unit } from '../../model/model.ts';
import { documentTerms, type DocumentTerms } from '../../text/text.ts';
import { parseColumn, parseTexts } from './columns.ts';
import type { EntityRow } from './entityRows.ts';
import type { JobRow } from './jobRows.ts';
import type { EntryRow } from './journalRows.ts';
import type { TopicRow } from './topicRows.ts';
import type { TurnRow } from './turnRows.ts';
import type { VersionRow } from './versions.ts';

type Words = 'speaker' | 'text' | 'meta' | 'origin' | 'salt';
/** A turn in its table. */
export type SealedTurnRow = Omit<TurnRow, Words> & { sealed: Uint8Array };
/** The encrypted part of a turn. */
export type TurnWords = Pick<TurnRow, Words>;

const NO_WORDS: TurnWords = { speaker: '', text: '', meta: '', origin: '', salt: '' };

/** The text to encrypt for a turn: a JSON array. */
export function formatWords({ speaker, text, meta, origin, salt }: TurnWords): string {
  return JSON.stringify([speaker, text, meta, origin, salt]);
}

/** Empty when the key or the turn does not exist. */
export function openWords(keys: MemoryKeys, sealed: Uint8Array | null): TurnWords {
  return parseWords(sealed && keys.openTurn(sealed));
}

/** The inverse of `formatWords`; for null, empty text. */
export function parseWords(words: string | null): TurnWords {
  if (words === null) return NO_WORDS;
  const [speaker = '', text = '', meta = '', origin = '', salt = ''] = parseTexts(words);
  return { speaker, text, meta, origin, salt };
}

export function openTurn<Row extends SealedTurnRow>(keys: MemoryKeys, row: Row): Row & TurnWords {
  return { ...row, ...openWords(keys, row.sealed) };
}

/** Fields by which units are looked up are not encrypted: a note's file, the entity of a fact, and its period. */
const OPEN_FIELDS = ['uri', 'objectEntityId', 'validFrom', 'validTo'] as const;
/** An episode's payload when it has only its turn. */
const EMPTY = '{}';

export function sealPayload(keys: WordKeys, payload: string): string {
  if (payload === EMPTY) return EMPTY;
  return JSON.stringify({ sealed: keys.seal(payload), ...openFields(parseColumn<'payload'>(payload)) });
}

export function openPayload(keys: WordKeys, kept: string): string {
  return kept === EMPTY ? EMPTY : openSealed(keys, kept);
}

export function sealSnapshot(keys: WordKeys, unit: Pick<Unit, 'state' | 'payload'>): string {
  const { state, payload } = unit;
  return JSON.stringify({
    sealed: keys.seal(JSON.stringify(unit)),
    state,
    payload: openFields({ ...payload }),
  });
}

export function openVersion(keys: WordKeys, row: VersionRow): VersionRow {
  return { ...row, snapshot: openSealed(keys, row.snapshot) };
}

/** As a JSON array of encrypted tags, so that a unit can be found by one of them. */
export function sealTags(keys: WordKeys, tags: readonly string[]): string {
  return JSON.stringify(tags.map((tag) => keys.seal(tag)));
}

/** JSON, as originally given. */
export function openTags(keys: WordKeys, kept: string): string {
  return kept === '[]' ? '[]' : JSON.stringify(parseTexts(kept).map((tag) => keys.open(tag)));
}

function openFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = OPEN_FIELDS.map((name) => [name, fields[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null));
}

function openSealed(keys: WordKeys, kept: string): string {
  return keys.open(parseColumn<'sealed'>(kept).sealed);
}

/** Title and summary of a topic. */
export function openTopic<Kept extends Pick<TopicRow, 'title' | 'summary'>>(keys: WordKeys, row: Kept): Kept {
  return {
    ...row,
    title: keys.open(row.title),
    summary: row.summary === null ? null : keys.open(row.summary),
  };
}

export function openEntity<Kept extends Pick<EntityRow, 'name' | 'aliases'>>(
  keys: WordKeys,
  row: Kept,
): Kept {
  return { ...row, name: keys.open(row.name), aliases: row.aliases === '[]' ? '[]' : keys.open(row.aliases) };
}

/** The inverse of `openEntity`. */
export function sealEntity<Kept extends Pick<EntityRow, 'name' | 'aliases'>>(
  keys: WordKeys,
  row: Kept,
): Kept {
  return { ...row, name: keys.seal(row.name), aliases: sealAliases(keys, row.aliases) };
}

/** @param aliases JSON */
export function sealAliases(keys: WordKeys, aliases: string): string {
  return aliases === '[]' ? '[]' : keys.seal(aliases);
}

export function openEntry(keys: WordKeys, row: EntryRow): EntryRow {
  return { ...row, plan: keys.open(row.plan) };
}

/** The key of a job for a unit; other keys of jobs may contain names. */
const PLAIN_KEY = /^\w+:\d+$/;
/** An input without text. */
const PLAIN_INPUT = /^\{(?:"\w+":\d+,?)*\}$/;
/** The prefix of encrypted values. */
const SEALED = 'sealed:';

export function sealKey(keys: WordKeys, key: string): string {
  return PLAIN_KEY.test(key) ? key : sealText(keys, key);
}

/** @param input JSON */
export function sealInput(keys: WordKeys, input: string): string {
  return PLAIN_INPUT.test(input) ? input : sealText(keys, input);
}

export function sealText(keys: WordKeys, words: string): string {
  return SEALED + keys.seal(words);
}

export function openJob(keys: WordKeys, row: JobRow): JobRow {
  const { key, input, last_error: error } = row;
  return {
    ...row,
    key: openText(keys, key),
    input: openText(keys, input),
    last_error: error === null ? null : openText(keys, error),
  };
}

function openText(keys: WordKeys, kept: string): string {
  return kept.startsWith(SEALED) ? keys.open(kept.slice(SEALED.length)) : kept;
}

/** The stored mark of a derivation. Keyed, so that the input of the derivation cannot be guessed. */
export function markOf(keys: WordKeys, fingerprint: string): Uint8Array {
  return keyedMark(keys, hash('sha256', fingerprint, 'buffer').subarray(0, 16));
}

/** Converts a mark from before there were keys. */
export function keyedMark(keys: WordKeys, mark: Uint8Array): Uint8Array {
  return Buffer.from(keys.hashWords(Buffer.from(mark).toString('hex')), 'base64url').subarray(0, 16);
}

/** The terms of a unit as keyed hashes, so that the index does not reveal them. */
export function hashedDocument(unit: Unit, timeZone: string, keys: WordKeys): DocumentTerms {
  const document = documentTerms(unit, timeZone);
  return { ...document, terms: document.terms.map((term) => keys.hashTerm(term)) };
}
