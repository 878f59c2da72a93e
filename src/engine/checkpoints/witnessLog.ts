/**
 * The witness log: signed checkpoints kept outside the database, a line of JSON each, only ever appended to. A database
 * that was rewritten, cut off or emptied of its checkpoints no longer agrees with it.
 *
 *     {"memoryId":"default","turnId":120,"chainHash":"…","at":1790…,"publicKey":"…","signature":"…","links":"…","seal":"…"}
 *
 * `links` holds 16 hex digits of the chain hash of each turn since the entry before, so that a rewritten turn can be named.
 * `seal` is the key's signature over the rest of the line.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import {
  errorCode,
  makePrivateFolderOf,
  MemoryError,
  PRIVATE_FILE,
  witnessEntrySchema,
  type WitnessEntry,
} from '../../model/model.ts';
import { isSignedBy, type SigningKey } from './signingKey.ts';

/** Hex digits kept of each turn's chain hash. */
export const LINK_LENGTH = 16;

export interface WitnessContent {
  /** Those of one memory, in the order of the log. */
  readonly entries: readonly WitnessEntry[];
  /** What is wrong with the log itself. */
  readonly problems: readonly string[];
}

/**
 * What a log says of a memory; several memories may share one. A line that a cut-off write left is passed over: the entry
 * after it covers the same turns.
 * @throws MemoryError FILE_UNREADABLE
 */
export function readWitnessLog(path: string, memoryId: string): WitnessContent {
  const lines = readText(path).split('\n').slice(0, -1);
  const entries: WitnessEntry[] = [];
  const problems: string[] = [];
  lines.forEach((line, index) => {
    const entry = parseEntry(line);
    if (entry === null && index < lines.length - 1) return;
    if (entry === null) problems.push(`The last line of ${path} is damaged.`);
    else if (!isSealed(entry)) problems.push(`Line ${index + 1} of ${path} is not signed by its key.`);
    else if (entry.memoryId === memoryId) entries.push(entry);
  });
  return { entries, problems };
}

/**
 * The last entry of a memory; null when there is none.
 * @throws MemoryError FILE_UNREADABLE, CHAIN_BROKEN when it is not signed by its key
 */
export function lastWitnessEntry(path: string, memoryId: string): WitnessEntry | null {
  const lines = readText(path).split('\n');
  for (const line of lines.toReversed()) {
    const entry = parseEntry(line);
    if (entry?.memoryId !== memoryId) continue;
    if (isSealed(entry)) return entry;
    throw new MemoryError('CHAIN_BROKEN', `The last entry of ${path} is not signed by its key.`);
  }
  return null;
}

/** @throws MemoryError READ_ONLY, DISK_FULL */
export function appendToWitnessLog(path: string, entry: Omit<WitnessEntry, 'seal'>, key: SigningKey): void {
  const sealed = { ...entry, seal: key.sign(sealText(entry)) };
  try {
    makePrivateFolderOf(path);
    const file = openSync(path, 'a', PRIVATE_FILE);
    try {
      writeSync(file, `${lineBreakBefore(path)}${JSON.stringify(sealed)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    const code = errorCode(cause) === 'ENOSPC' ? 'DISK_FULL' : 'READ_ONLY';
    throw new MemoryError(code, `The witness log ${path} cannot be written.`, { cause });
  }
}

/** What a cut-off write left stays a line of its own. */
function lineBreakBefore(path: string): string {
  const text = readText(path);
  return text === '' || text.endsWith('\n') ? '' : '\n';
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return '';
    throw new MemoryError('FILE_UNREADABLE', `The witness log ${path} cannot be read.`, { cause });
  }
}

function parseEntry(line: string): WitnessEntry | null {
  try {
    return witnessEntrySchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

function isSealed({ seal, ...entry }: WitnessEntry): boolean {
  return isSignedBy(entry.publicKey, sealText(entry), seal);
}

function sealText(entry: Omit<WitnessEntry, 'seal'>): string {
  const { memoryId, turnId, chainHash, at, publicKey, signature, links } = entry;
  return ['omoide witness', memoryId, turnId, chainHash, at, publicKey, signature, links].join('\n');
}
