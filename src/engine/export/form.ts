/**
 * The format of an export: JSON Lines in UTF-8.
 *
 *     {"omoide":2,"memoryId":"default","timeZone":"Asia/Tokyo","isLearnt":true}
 *     {"conversationId":"c1","turnIndex":0,"speaker":"user","text":"…","occurredAt":"…","source":"chat","meta":{…}}
 *     …
 *     {"omoide":"entity",…}   and other data learnt from the turns, or added by hand: see derivedForm.ts
 *     {"omoide":"end","turns":165,"others":40,"chainHead":"5f0c…"}
 *
 * `salt` makes the hash of a turn the same after an import. Default values are left out: `meta` {}, `sensitivity`
 * normal, `scope` global, `imageSummary` and `masks` none, `isSpeakerMasked` false. The last line shows that the export is complete, and its chain head
 * that the import equals the export.
 */
import type { IngestProblem } from '../../ingest/ingest.ts';
import { derivedRecordSchema, type DerivedRecord } from './derivedForm.ts';
import {
  MemoryError,
  parseJson,
  type NewTurn,
  type SensitiveSpan,
  type Turn,
  type Unit,
  isRecord,
  type Fields,
} from '../../model/model.ts';

/** Version 1 contains only turns. */
const VERSION = 2;

export interface ExportHeader {
  readonly memoryId: string;
  /** IANA zone of the memory. */
  readonly timeZone: string;
  /** Whether it includes data learnt or added by hand. */
  readonly isLearnt: boolean;
  /** Whether the memory masks personal data: then its derived data is already masked, and remaining words were kept by a person. */
  readonly isMasked?: boolean;
}

export interface ExportEnd {
  readonly turns: number;
  /** Number of lines other than turns. */
  readonly others: number;
  /** Empty when turns were forgotten: the imported turns then have another one. */
  readonly chainHead: string;
}

/** The origin of a turn, which is stored with its episode. */
export type Origin = Pick<Unit, 'source' | 'sensitivity' | 'scope'> & {
  readonly imageSummary: string | null;
  readonly masks?: readonly SensitiveSpan[];
  readonly isSpeakerMasked?: true;
};

export function formatHeader({ memoryId, timeZone, isLearnt, isMasked }: ExportHeader): string {
  return JSON.stringify({ omoide: VERSION, memoryId, timeZone, isLearnt, ...(isMasked && { isMasked }) });
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
    ...(origin.masks && { masks: origin.masks }),
    ...(origin.isSpeakerMasked && { isSpeakerMasked: true }),
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

/** Longer than any line that `export` writes: a turn of maximum length with every character escaped, and its meta. */
const MAX_LINE_BYTES = 16 * 1_048_576;

/**
 * Reads an export, the header first.
 * @param name the name in errors: a file, `The body`
 * @throws MemoryError UNKNOWN_FORMAT, and errors of reading the bytes
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
    if (record?.['omoide'] === 'end') yield { type: 'end', end: readEnd(record) };
    else if (record?.['omoide'] !== undefined) yield readDerivedRecord(record, line);
    else yield isTurn(record) ? { type: 'turn', turn: { ...LEFT_OUT, ...record }, line } : unreadable(line);
  }
  if (line === 0) throw notAnExport(name);
}

/** Given, so that no rule decides about a turn of an export: it keeps its hash. */
const LEFT_OUT = {
  salt: '',
  sensitivity: 'normal',
  masks: [],
  isSpeakerMasked: false,
} satisfies Partial<NewTurn>;

/** Whether bytes begin like an export. */
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
  const isMasked = record?.['isMasked'] === true;
  const [memoryId, timeZone] = [String(record?.['memoryId']), String(record?.['timeZone'])];
  return { memoryId, timeZone, isLearnt, ...(isMasked && { isMasked }) };
}

function notAnExport(name: string): MemoryError {
  return new MemoryError(
    'UNKNOWN_FORMAT',
    `${name} is not an export of Omoide. Use “omoide ingest” for other formats.`,
  );
}

/** Whether the fields of an exported turn are present; the others are validated when it is added. */
function isTurn(record: Record<string, unknown> | null): record is Record<string, unknown> & NewTurn {
  return (
    record !== null && typeof record['turnIndex'] === 'number' && typeof record['occurredAt'] === 'string'
  );
}

function readEnd({ turns, others, chainHead }: Fields): ExportEnd {
  return { turns: Number(turns), others: Number(others), chainHead: String(chainHead) };
}

function readDerivedRecord(record: object, line: number): ExportItem {
  const parsed = derivedRecordSchema.safeParse(record);
  return parsed.success ? { type: 'derived', record: parsed.data } : unreadable(line);
}

function unreadable(line: number): ExportItem {
  const reason = 'This line is not part of an export: it is damaged or cut off.';
  return { type: 'problem', problem: { place: `line ${line}`, line, code: 'INVALID_INPUT', reason } };
}

function parseLine(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Splits by bytes: line readers for text also split at U+2028, which a text may contain. */
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
