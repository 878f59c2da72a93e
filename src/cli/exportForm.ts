/**
 * The form of an export: JSON Lines in UTF-8.
 *
 *     {"omoide":1,"memoryId":"default","timeZone":"Asia/Tokyo","exportedAt":"2026-11-07T13:10:00.000Z"}
 *     {"conversationId":"c1","turnIndex":0,"speaker":"user","text":"…","occurredAt":"…","source":"chat","meta":{…}}
 *     …
 *     {"omoide":"end","turns":165,"chainHead":"5f0c…"}
 *
 * What a turn has by default is left out: `meta` {}, `sensitivity` normal, `scope` global, `imageSummary` none. The last
 * line tells whether the export is whole, and its chain head whether what was imported is what was exported.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { MemoryError, type IngestProblem, type NewTurn, type Turn, type Unit } from '../engine/engine.ts';

const VERSION = 1;

export interface ExportHeader {
  readonly memoryId: string;
  /** IANA zone of the memory. */
  readonly timeZone: string;
}

export interface ExportEnd {
  readonly turns: number;
  readonly chainHead: string;
}

/** How a turn came in, which is kept with its episode. */
export type Origin = Pick<Unit, 'source' | 'sensitivity' | 'scope'> & {
  readonly imageSummary: string | null;
};

export function formatHeader({ memoryId, timeZone }: ExportHeader, now: Date): string {
  return JSON.stringify({ omoide: VERSION, memoryId, timeZone, exportedAt: now.toISOString() });
}

export function formatTurn(turn: Turn, origin: Origin): string {
  return JSON.stringify({
    conversationId: turn.conversationId,
    turnIndex: turn.turnIndex,
    speaker: turn.speaker,
    text: turn.text,
    occurredAt: new Date(turn.occurredAt).toISOString(),
    source: origin.source,
    ...(Object.keys(turn.meta).length > 0 && { meta: turn.meta }),
    ...(origin.sensitivity !== 'normal' && { sensitivity: origin.sensitivity }),
    ...(origin.scope !== 'global' && { scope: origin.scope }),
    ...(origin.imageSummary !== null && { imageSummary: origin.imageSummary }),
  });
}

export function formatEnd({ turns, chainHead }: ExportEnd): string {
  return JSON.stringify({ omoide: 'end', turns, chainHead });
}

export type ExportItem =
  | { readonly type: 'header'; readonly header: ExportHeader }
  | { readonly type: 'turn'; readonly turn: NewTurn; readonly line: number }
  | { readonly type: 'problem'; readonly problem: IngestProblem }
  | { readonly type: 'end'; readonly end: ExportEnd };

/**
 * Reads an export, the header first.
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT
 */
export async function* readExport(path: string): AsyncGenerator<ExportItem> {
  let line = 0;
  for await (const bytes of splitLines(path)) {
    line += 1;
    if (line === 1) {
      yield { type: 'header', header: parseHeader(parseLine(bytes), path) };
      continue;
    }
    if (bytes.length === 0) continue;
    const record = parseLine(bytes);
    if (record?.['omoide'] === 'end') yield { type: 'end', end: record as unknown as ExportEnd };
    else yield isTurn(record) ? { type: 'turn', turn: record, line } : unreadable(line);
  }
  if (line === 0) throw notAnExport(path);
}

/** Whether a file begins as an export does. @throws MemoryError FILE_UNREADABLE */
export async function isExport(path: string): Promise<boolean> {
  for await (const bytes of splitLines(path, HEADER_BYTES)) return parseLine(bytes)?.['omoide'] !== undefined;
  return false;
}

/** More than the first line of an export has. */
const HEADER_BYTES = 4_096;

function parseHeader(record: Record<string, unknown> | null, path: string): ExportHeader {
  const version = record?.['omoide'];
  if (typeof version !== 'number') throw notAnExport(path);
  if (version > VERSION) {
    throw new MemoryError(
      'UNKNOWN_FORMAT',
      `${path} was exported by a newer version of Omoide. Update Omoide.`,
    );
  }
  return { memoryId: String(record?.['memoryId']), timeZone: String(record?.['timeZone']) };
}

function notAnExport(path: string): MemoryError {
  return new MemoryError(
    'UNKNOWN_FORMAT',
    `${path} is no export of Omoide. Conversations in other forms are taken in with “omoide ingest”.`,
  );
}

/** What a turn must have to be the one that was exported; the rest is checked where it is taken in. */
function isTurn(record: Record<string, unknown> | null): record is Record<string, unknown> & NewTurn {
  return (
    record !== null && typeof record['turnIndex'] === 'number' && typeof record['occurredAt'] === 'string'
  );
}

function unreadable(line: number): ExportItem {
  const reason = 'It is not a turn of an export: the line is damaged or cut off.';
  return { type: 'problem', problem: { place: `line ${line}`, line, code: 'INVALID_INPUT', reason } };
}

function parseLine(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/** Lines by their bytes: readers of lines of text also break at U+2028, which a text may hold. */
async function* splitLines(path: string, mostBytes = Infinity): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  for await (const chunk of readChunks(path, mostBytes)) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      yield Buffer.concat([...pending, chunk.subarray(from, end)]);
      pending = [];
      from = end + 1;
    }
    pending.push(chunk.subarray(from));
  }
  const rest = Buffer.concat(pending);
  if (rest.length > 0) yield rest;
}

async function* readChunks(path: string, mostBytes: number): AsyncGenerator<Buffer> {
  try {
    // What comes through a pipe is gone once it was looked at, and a file is looked at before it is taken in.
    if (!(await stat(path)).isFile()) throw new Error('it is not an ordinary file');
    for await (const chunk of createReadStream(path, { end: mostBytes })) yield chunk as Buffer;
  } catch (cause) {
    throw new MemoryError('FILE_UNREADABLE', `${path} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}
