/** Encrypts data from before there were keys: the functions that migration 004 calls. */
import { hash } from 'node:crypto';
import {
  formatWords,
  keyedMark,
  parseColumn,
  parseTexts,
  payloadHash,
  sealAliases,
  sealInput,
  sealKey,
  sealPayload,
  sealSnapshot,
  sealTags,
  sealText,
  type Value,
} from '../rows/rows.ts';
import type { Database } from './database.ts';

/** The columns that contain text, of the tables whose rows the journal stores. */
const IMAGED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  unit: { payload: 'sealed_payload', topic_tags: 'sealed_tags' },
  topic: { title: 'sealed_words', summary: 'sealed_words' },
};

/** They use the keys that the database has when they are called. */
export function defineEncryption(db: Database): void {
  const functions = encryption(db);
  for (const [name, body] of Object.entries(functions)) db.define(name, body);
}

function encryption(db: Database): Record<string, (...values: Value[]) => Value> {
  const text = (body: (given: string) => string) => (given: Value | undefined) =>
    given === null || given === undefined ? null : body(String(given));
  const functions: Record<string, (...values: Value[]) => Value> = {
    sealed_turn: (speaker, said, meta, origin) =>
      db.keys.sealTurn(
        formatWords({
          speaker: String(speaker),
          text: String(said),
          meta: String(meta),
          origin: String(origin),
          salt: '',
        }),
      ),
    sealed_words: text((words) => db.keys.seal(words)),
    sealed_payload: text((payload) => sealPayload(db.keys, payload)),
    sealed_tags: text((tags) => sealTags(db.keys, parseTexts(tags))),
    sealed_snapshot: text((snapshot) => sealSnapshot(db.keys, parseColumn<'snapshot'>(snapshot))),
    keyed_hash: (snapshot, kept) => keyedHash(db, String(snapshot), String(kept)),
    sealed_aliases: text((aliases) => sealAliases(db.keys, aliases)),
    sealed_key: text((key) => sealKey(db.keys, key)),
    sealed_input: text((input) => sealInput(db.keys, input)),
    sealed_error: text((error) => sealText(db.keys, error)),
    keyed_mark: (mark) => (mark instanceof Uint8Array ? keyedMark(db.keys, mark) : null),
    sealed_image: (table, image) =>
      typeof image === 'string' ? sealImage(db, functions, String(table), image) : null,
  };
  return functions;
}

/** A payload that did not match its hash must not match the new one either. */
function keyedHash(db: Database, snapshot: string, kept: string): string {
  const unit = parseColumn<'snapshot'>(snapshot);
  return hash('sha256', JSON.stringify(unit.payload)) === kept
    ? payloadHash(unit, (words) => db.keys.hashWords(words))
    : kept;
}

function sealImage(
  db: Database,
  functions: Readonly<Record<string, (...values: Value[]) => Value>>,
  table: string,
  image: string,
): string {
  const row = parseColumn<'image'>(image);
  const { snapshot, payload_hash: kept } = row;
  if (table === 'unit_version' && typeof snapshot === 'string' && typeof kept === 'string') {
    return JSON.stringify({
      ...row,
      payload_hash: keyedHash(db, snapshot, kept),
      snapshot: sealSnapshot(db.keys, parseColumn<'snapshot'>(snapshot)),
    });
  }
  const sealed = Object.entries(IMAGED[table] ?? {}).map(([column, name]) => [
    column,
    typeof row[column] === 'string' ? (functions[name]?.(row[column]) ?? null) : null,
  ]);
  return JSON.stringify({ ...row, ...Object.fromEntries(sealed) });
}
