/**
 * The witness log: signed checkpoints outside the database, one line of JSON each, append-only. It contradicts a
 * database that was rewritten, truncated or whose checkpoints were removed.
 *
 *     {"memoryId":"default","turnId":120,"chainHash":"…","at":1790…,"publicKey":"…","signature":"…","links":"…","seal":"…"}
 *
 * `links` contains 16 hex digits of the chain hash of each turn since the previous entry, to identify a rewritten
 * turn. `seal` is the key's signature over the rest of the line.
 */
import { MemoryError, witnessEntrySchema, type WitnessEntry } from '../../model/model.ts';
import { isSignedBy, type SigningKey } from './signingKey.ts';
import type { WitnessPlace } from './witnessPlace.ts';

/** Hex digits stored of each turn's chain hash. */
export const LINK_LENGTH = 16;

export interface WitnessContent {
  /** The entries of one memory, in the order of the log. */
  readonly entries: readonly WitnessEntry[];
  /** Problems of the log itself. */
  readonly problems: readonly string[];
}

/**
 * Parses the entries of a memory; several memories may share a log. An incomplete line from an interrupted write is
 * skipped: the entry after it covers the same turns.
 */
export function parseWitnessLog(text: string, name: string, memoryId: string): WitnessContent {
  const lines = text.split('\n').slice(0, -1);
  const entries: WitnessEntry[] = [];
  const problems: string[] = [];
  lines.forEach((line, index) => {
    const entry = parseEntry(line);
    if (entry === null && index < lines.length - 1) return;
    if (entry === null) problems.push(`The last line of ${name} is damaged.`);
    else if (!isSealed(entry)) problems.push(`Line ${index + 1} of ${name} is not signed by its key.`);
    else if (entry.memoryId === memoryId) entries.push(entry);
  });
  return { entries, problems };
}

/**
 * The last entry of a memory; null when there is none.
 * @throws MemoryError CHAIN_BROKEN when its signature is invalid
 */
export function lastWitnessEntry(text: string, name: string, memoryId: string): WitnessEntry | null {
  for (const line of text.split('\n').toReversed()) {
    const entry = parseEntry(line);
    if (entry?.memoryId !== memoryId) continue;
    if (isSealed(entry)) return entry;
    throw new MemoryError('CHAIN_BROKEN', `The last entry of ${name} is not signed by its key.`);
  }
  return null;
}

/** @throws MemoryError READ_ONLY, DISK_FULL, FILE_UNREADABLE */
export async function appendToWitnessLog(
  place: WitnessPlace,
  entry: Omit<WitnessEntry, 'seal'>,
  key: SigningKey,
): Promise<void> {
  await place.append(JSON.stringify({ ...entry, seal: key.sign(sealText(entry)) }));
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
