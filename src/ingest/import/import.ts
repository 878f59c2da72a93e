import { basename, extname } from 'node:path';
import { checkId, checkTimeZone, MemoryError } from '../../model/model.ts';
import { readChatGptConversation } from './chatgpt.ts';
import { readClaudeConversation } from './claude.ts';
import { readLocomoSample, readLongMemEvalQuestion } from './datasets.ts';
import { csvDelimiter, detectFormat, IMPORT_FORMATS, isJsonLines, type ImportFormat } from './detect.ts';
import { modifiedAt, ofObjects, readElements, readHead, readLines, readRows } from './files.ts';
import { Intake, type ImportItem } from './intake.ts';
import { readMessage } from './messages.ts';
import { readOmoideLine } from './omoide.ts';
import { readOpenAi } from './openai.ts';
import { readSillyTavernLine } from './sillytavern.ts';

export { locomoSessions, longMemEvalSessions, type DatasetSession, type DatasetTurn } from './datasets.ts';
export { detectFormat, IMPORT_FORMATS, type ImportFormat } from './detect.ts';
export { readJsonArray } from './files.ts';
export type { ImportedTurn, ImportItem, ImportProblem } from './intake.ts';
export { parseSourceTime } from './times.ts';

export interface ImportOptions {
  /** Default: told from how the file begins. */
  readonly format?: ImportFormat;
  /** IANA name. Times in the file that name no zone are the wall clock here. */
  readonly timeZone: string;
  /** The conversation of messages that name none. Default: the name of the file without its extension. */
  readonly conversationId?: string;
}

/**
 * Reads the turns of a conversation file, in file order, and what in it could not become a turn. A turn's place in its
 * conversation follows from its place in the file, so that importing a file again, or a longer version of it, adds
 * only what is new. Holds one line, record or element of an array at a time.
 * @throws MemoryError FILE_UNREADABLE; before the first item also UNKNOWN_FORMAT, INVALID_ID and INVALID_INPUT.
 */
export async function* readConversationFile(
  path: string,
  options: ImportOptions,
): AsyncGenerator<ImportItem> {
  const timeZone = checkTimeZone(options.timeZone);
  const conversationId = checkId(options.conversationId ?? conversationIdFor(path), 'conversation id');
  const head = await readHead(path);
  const format = options.format ?? requireFormat(head, path);
  const intake = new Intake(timeZone, await modifiedAt(path), conversationId);
  yield* READERS[format](path, head, intake);
}

/**
 * The format of a file.
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT
 */
export async function detectFileFormat(path: string): Promise<ImportFormat> {
  return requireFormat(await readHead(path), path);
}

const READERS: Record<
  ImportFormat,
  (path: string, head: string, intake: Intake) => AsyncGenerator<ImportItem>
> = {
  omoide: (path, _, intake) => readLines(path, intake, ofObjects(readOmoideLine)),
  'messages-jsonl': (path, _, intake) => readLines(path, intake, ofObjects(readMessage)),
  'messages-csv': (path, head, intake) => readRows(path, requireDelimiter(head, path), intake, readMessage),
  openai: (path, head, intake) =>
    isJsonLines(head) ? readLines(path, intake, readOpenAi) : readElements(path, 'item', intake, readOpenAi),
  chatgpt: (path, _, intake) =>
    readElements(path, 'conversation', intake, ofObjects(readChatGptConversation)),
  claude: (path, _, intake) => readElements(path, 'conversation', intake, ofObjects(readClaudeConversation)),
  sillytavern: (path, _, intake) => readLines(path, intake, ofObjects(readSillyTavernLine)),
  locomo: (path, _, intake) => readElements(path, 'sample', intake, ofObjects(readLocomoSample)),
  longmemeval: (path, _, intake) =>
    readElements(path, 'question', intake, ofObjects(readLongMemEvalQuestion)),
};

function requireFormat(head: string, path: string): ImportFormat {
  const format = detectFormat(head);
  if (format) return format;
  let reason = `it is in none of the forms that can be imported: ${IMPORT_FORMATS.join(', ')}`;
  if (head.trim() === '') reason = 'it is empty';
  else if (head.startsWith('PK\u0003\u0004'))
    reason = 'it is a ZIP archive; unpack it and import the file with the conversations';
  throw new MemoryError('UNKNOWN_FORMAT', `${path} cannot be imported: ${reason}.`);
}

function requireDelimiter(head: string, path: string): string {
  const delimiter = csvDelimiter(head);
  if (delimiter !== null) return delimiter;
  const needed = 'the first line must name a column of who speaks and one of what is said';
  throw new MemoryError('UNKNOWN_FORMAT', `${path} cannot be imported as CSV: ${needed}.`);
}

/** The name of a file without its extension, without what an id must not hold. */
function conversationIdFor(path: string): string {
  const name = basename(path, extname(path)).toWellFormed();
  return name
    .replaceAll(/[\p{Cc}/\\]/gu, '_')
    .slice(0, 200)
    .toWellFormed();
}
