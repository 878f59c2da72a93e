/** What is stored in a memory's file, and whether `verify` reports a problem. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getLoadablePath } from 'sqlite-vec';
import { isMemoryError, openMemory } from '../../src/engine/engine.ts';

export const FILE = 'memory_default.db';

/** Data that cannot be derived again, and indexes: each column that verify covers. */
const KEPT: Readonly<Record<string, string>> = {
  turns: 'SELECT * FROM turn ORDER BY id',
  // Without access counts, which every recall changes.
  units: `SELECT id, kind, turn_id, payload, topic_tags, conversation_id, turn_index, occurred_at, created_at, updated_at,
    source, state, confidence, salience, sensitivity, pinned, scope, expires_at, reinforcement, emotion, version
    FROM unit ORDER BY id`,
  versions: 'SELECT unit_id, version, payload_hash, at, snapshot FROM unit_version ORDER BY 1, 2',
  entities: 'SELECT id, type, name, aliases FROM entity ORDER BY id',
  names: 'SELECT * FROM entity_alias ORDER BY 1, 2',
  mentions: 'SELECT * FROM unit_entity ORDER BY 1, 2',
  relations: 'SELECT * FROM edge ORDER BY 1, 2, 3, 4',
  links: 'SELECT * FROM link ORDER BY 1, 2, 3',
  members: 'SELECT topic_id, unit_id, mac FROM topic_member ORDER BY 1, 2',
  subtopics: 'SELECT * FROM topic_parent ORDER BY 1, 2',
  topics: 'SELECT id, title, summary, state FROM topic ORDER BY id',
  centroids: 'SELECT * FROM topic_centroid ORDER BY topic_id',
  vectors: 'SELECT unit_id, embedding FROM unit_vector ORDER BY 1',
  checkpoints: 'SELECT * FROM checkpoint ORDER BY 1',
  receipts: 'SELECT * FROM receipt ORDER BY id',
  terms: 'SELECT * FROM term ORDER BY 1',
  times: 'SELECT * FROM unit_time ORDER BY 1, 2, 3',
  conversations: 'SELECT * FROM conversation ORDER BY 1',
};

/** A memory's parts as text, and what `verify` says of it. */
export interface Examined {
  readonly parts: Readonly<Record<string, string>>;
  /** The names of the parts that differ from the undamaged ones. */
  readonly changed: readonly string[];
  readonly found: boolean | string;
}

/** @param original the undamaged parts: if all are the same, nothing is verified */
export async function examine(dataDir: string, original: Examined['parts']): Promise<Examined> {
  const parts = read(join(dataDir, FILE));
  const changed = Object.keys({ ...original, ...parts }).filter((name) => original[name] !== parts[name]);
  return { parts, changed, found: changed.length > 0 && (await isFound(dataDir)) };
}

/** Each part as text, or the error when it cannot be read. */
export function read(path: string): Record<string, string> {
  try {
    const db = new DatabaseSync(path, { readOnly: true, allowExtension: true });
    try {
      db.loadExtension(getLoadablePath());
      const parts = Object.entries(KEPT).map(([name, sql]) => [name, readPart(db, sql)] as const);
      return Object.fromEntries(parts);
    } finally {
      db.close();
    }
  } catch (error) {
    return { file: String(error) };
  }
}

function readPart(db: DatabaseSync, sql: string): string {
  try {
    const bytesAsText = (_key: string, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
    return JSON.stringify(db.prepare(sql).all().map(Object.values), bytesAsText);
  } catch (error) {
    return String(error);
  }
}

/** Whether a problem is reported, or the memory does not open and an error has a code; any other error as text. */
export async function isFound(dataDir: string): Promise<boolean | string> {
  try {
    const memory = await openMemory({ dataDir, embedder: null, learn: false, worker: false });
    try {
      return (await memory.admin.verify()).problems.length > 0;
    } finally {
      await memory.close();
    }
  } catch (error) {
    return isMemoryError(error) || String(error instanceof Error ? error.stack : error);
  }
}
