/**
 * The form of an export: JSON Lines in UTF-8.
 *
 *     {"omoide":2,"memoryId":"default","timeZone":"Asia/Tokyo","isLearnt":true}
 *     {"conversationId":"c1","turnIndex":0,"speaker":"user","text":"…","occurredAt":"…","source":"chat","meta":{…}}
 *     …
 *     {"omoide":"entity",…}   and whatever else was learnt from the turns, or added by hand: see derivedForm.ts
 *     {"omoide":"end","turns":165,"others":40,"chainHead":"5f0c…"}
 *
 * `salt` makes the hash of a turn the same where it is imported. What a turn has by default is left out: `meta` {},
 * `sensitivity` normal, `scope` global, `imageSummary` none. The last line tells whether the export is whole, and its
 * chain head whether what was imported is what was exported.
 */
import type { IngestProblem } from '../../ingest/ingest.ts';
import { derivedRecordSchema, type DerivedRecord } from './derivedForm.ts';
import { MemoryError, parseJson, type NewTurn, type Turn, type Unit } from '../../model/model.ts';

/** Of version 1 there are turns alone. */
const VERSION = 2;

export interface ExportHeader {
  readonly memoryId: string;
  /** IANA zone of the memory. */
  readonly timeZone: string;
  /** Whether it holds what was learnt or added by hand, too. */
  readonly isLearnt: boolean;
}

export interface ExportEnd {
  readonly turns: number;
  /** Lines of what is no turn. */
  readonly others: number;
  /** Empty when turns were forgotten: what is imported has another one then. */
  readonly chainHead: string;
}

/** How a turn came in, which is kept with its episode. */
export type Origin = Pick<Unit, 'source' | 'sensitivity' | 'scope'> & {
  readonly imageSummary: string | null;
};

export function formatHeader({ memoryId, timeZone, isLearnt }: ExportHeader): string {
  return JSON.stringify({ omoide: VERSION, memoryId, timeZone, isLearnt });
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
    ...(turn.salt !== '' && { salt: turn.salt }),
  });
}

export function formatDerived(record: DerivedRecord): string {
  return JSON.stringify(record);
}

export function formatEnd({ turns, others, chainHead }: ExportEnd): string {
  return JSON.stringify({ omoide: 'end', turns, others, chainHead });
}

export type ExportItem =
  | { readonly type: 'header'; readonly header: ExportHeader }
  | { readonly type: 'turn'; readonly turn: NewTurn; readonly line: number }
  | { readonly type: 'derived'; readonly record: DerivedRecord }
  | { readonly type: 'problem'; readonly problem: IngestProblem }
  | { readonly type: 'end'; readonly end: ExportEnd };

/** A line longer than any that `export` writes: a turn of the longest text, every character escaped, and its meta. */
const MAX_LINE_BYTES = 16 * 1_048_576;

/**
 * Reads an export, the header first.
 * @param name what it is called in errors: a file, `The body`
 * @throws MemoryError UNKNOWN_FORMAT, and whatever the reading of the bytes throws
 */
export async function* readExport(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<ExportItem> {
  let line = 0;
  for await (const lineBytes of splitLines(bytes, name)) {
    line += 1;
    if (line === 1) {
      yield { type: 'header', header: parseHeader(parseLine(lineBytes), name) };
      continue;
    }
    if (lineBytes.length === 0) continue;
    const record = parseLine(lineBytes);
    if (record?.['omoide'] === 'end') yield { type: 'end', end: record as unknown as ExportEnd };
    else if (record?.['omoide'] !== undefined) yield readDerivedRecord(record, line);
    else yield isTurn(record) ? { type: 'turn', turn: { salt: '', ...record }, line } : unreadable(line);
  }
  if (line === 0) throw notAnExport(name);
}

/** Whether bytes begin as an export does. */
export function beginsExport(bytes: Uint8Array): boolean {
  const end = bytes.indexOf(0x0a);
  return parseLine(end === -1 ? bytes : bytes.subarray(0, end))?.['omoide'] !== undefined;
}

function parseHeader(record: Record<string, unknown> | null, name: string): ExportHeader {
  const version = record?.['omoide'];
  if (typeof version !== 'number') throw notAnExport(name);
  if (version > VERSION) {
    throw new MemoryError(
      'UNKNOWN_FORMAT',
      `${name} was exported by a newer version of Omoide. Update Omoide.`,
    );
  }
  const isLearnt = record?.['isLearnt'] === true;
  return { memoryId: String(record?.['memoryId']), timeZone: String(record?.['timeZone']), isLearnt };
}

function notAnExport(name: string): MemoryError {
  return new MemoryError(
    'UNKNOWN_FORMAT',
    `${name} is no export of Omoide. Conversations in other forms are taken in with “omoide ingest”.`,
  );
}

/** What a turn must have to be the one that was exported; the rest is checked where it is taken in. */
function isTurn(record: Record<string, unknown> | null): record is Record<string, unknown> & NewTurn {
  return (
    record !== null && typeof record['turnIndex'] === 'number' && typeof record['occurredAt'] === 'string'
  );
}

function readDerivedRecord(record: object, line: number): ExportItem {
  const parsed = derivedRecordSchema.safeParse(record);
  return parsed.success ? { type: 'derived', record: parsed.data } : unreadable(line);
}

function unreadable(line: number): ExportItem {
  const reason = 'It is not a line of an export: it is damaged or cut off.';
  return { type: 'problem', problem: { place: `line ${line}`, line, code: 'INVALID_INPUT', reason } };
}

function parseLine(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/** Lines by their bytes: readers of lines of text also break at U+2028, which a text may hold. */
async function* splitLines(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      yield Buffer.concat([...pending, chunk.subarray(from, end)]);
      pending = [];
      pendingBytes = 0;
      from = end + 1;
    }
    pending.push(chunk.subarray(from));
    pendingBytes += chunk.length - from;
    if (pendingBytes > MAX_LINE_BYTES) throw notAnExport(name);
  }
  const rest = Buffer.concat(pending);
  if (rest.length > 0) yield rest;
}
