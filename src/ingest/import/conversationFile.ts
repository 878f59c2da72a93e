import { basename, extname } from 'node:path';
import { checkId, checkTimeZone, MemoryError } from '../../model/model.ts';
import type { DateOrder } from './chats/chats.ts';
import { detectFormat, IMPORT_FORMATS, type ImportFormat } from './detect.ts';
import { readHead } from './files.ts';
import { Intake, idPart, type ImportItem } from './intake.ts';
import type { Source, SourceFile } from './source/source.ts';

export interface ImportOptions {
  /** Default: detected from the beginning of each file. */
  readonly format?: ImportFormat | undefined;
  /** IANA name. Times without a zone in the file are the wall clock of this zone. */
  readonly timeZone: string;
  /** The conversation of messages that do not name one. Default: the name of the file without its extension. */
  readonly conversationId?: string | undefined;
  /** The names that belong to the owner of the memory, case-insensitive: they become `user`. */
  readonly me?: readonly string[] | undefined;
  /** How purely numeric dates are read (`5/1/24`). Default: derived from the whole file. */
  readonly dateOrder?: DateOrder | undefined;
  /** Called before the items of each file. */
  readonly onFile?: ((file: { readonly path: string; readonly format: ImportFormat }) => void) | undefined;
}

interface FoundFile {
  readonly file: SourceFile;
  readonly head: string;
  readonly format: ImportFormat;
}

/** File names that programs give to every chat: the conversation is then named after the folder or archive. */
const SAME_NAME = /^(?:_chat|chat|result|data|messages?(?:_\d+)?|conversations?)$/i;
const MAX_NAMED = 5;

/**
 * Reads the turns of a file, of all files of a folder, or of a ZIP archive, in order, and reports what could not
 * become a turn. A turn's index in its conversation follows from its position in the file: importing a file again,
 * or a longer version of it, adds only what is new. Keeps one line, record or array element in memory at a time.
 * @throws MemoryError FILE_UNREADABLE; before the first item also UNKNOWN_FORMAT, INVALID_ID and INVALID_INPUT;
 * INVALID_TIME when the dates of a file are ambiguous.
 */
export async function* readConversationFile(
  path: string,
  options: ImportOptions,
): AsyncGenerator<ImportItem> {
  const intake = new Intake({ timeZone: checkTimeZone(options.timeZone), me: options.me });
  const given = options.conversationId;
  if (given !== undefined) checkId(given, 'conversation id');
  // Readers, and the packages that they need, are loaded only on use.
  const { READERS } = await import('./reading.ts');
  const source = await openAt(path);
  try {
    const { found, passedOver } = await findConversations(source, path, options.format);
    if (given !== undefined && found.length > 1) throw severalFiles(path);
    for (const { file, head, format } of found) {
      options.onFile?.({ path: file.path, format });
      intake.beginFile({
        conversationId: given ?? conversationIdFor(file, { source, path }),
        undatedFrom: file.modifiedAt,
        prefix: source.kind === 'file' ? '' : `${file.path}, `,
      });
      yield* READERS[format]({ file, head, source, intake, dateOrder: options.dateOrder });
    }
    if (passedOver.length > 0) yield { type: 'remark', text: describeSkipped(passedOver) };
  } finally {
    await source.close();
  }
}

/**
 * The format of a file, or of the first file of a folder or archive that contains conversations.
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT
 */
export async function detectFileFormat(path: string): Promise<ImportFormat> {
  const source = await openAt(path);
  try {
    const { found } = await findConversations(source, path, undefined);
    return found[0]!.format;
  } finally {
    await source.close();
  }
}

/** @throws MemoryError FILE_UNREADABLE */
async function openAt(path: string): Promise<Source> {
  const { openSource } = await import('./source/source.ts');
  return openSource(path);
}

/** At least one file, in the order of reading. @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT */
async function findConversations(
  source: Source,
  path: string,
  given: ImportFormat | undefined,
): Promise<{ found: FoundFile[]; passedOver: string[] }> {
  const found: FoundFile[] = [];
  const passedOver: string[] = [];
  for (const file of source.files) {
    const head = await readHead(file);
    const detected = detectFormat(head);
    const format =
      source.kind === 'file' ? (given ?? detected) : given && detected !== given ? null : detected;
    if (format) found.push({ file, head, format });
    else if (source.kind === 'file') throw unknownFormat(path, head);
    else passedOver.push(file.path);
  }
  if (found.length === 0) throw unknownFormat(path, null);
  return { found: found.toSorted(byOrder), passedOver: passedOver.toSorted() };
}

const naturalOrder = new Intl.Collator('en', { numeric: true });

/** Orders files by path; Messenger's `message_1.json` is the newest part of a chat. */
function byOrder(a: FoundFile, b: FoundFile): number {
  const [folderA, folderB] = [a, b].map(({ file }) => file.path.replace(/[^/]*$/, ''));
  const isBackwards = a.format === 'messenger' && b.format === 'messenger' && folderA === folderB;
  return naturalOrder.compare(a.file.path, b.file.path) * (isBackwards ? -1 : 1);
}

function unknownFormat(path: string, head: string | null): MemoryError {
  const known = `none of the supported formats: ${IMPORT_FORMATS.join(', ')}`;
  let reason =
    head === null
      ? `it contains no file in a supported format: ${IMPORT_FORMATS.join(', ')}`
      : `it is in ${known}. Anything else can be rewritten as messages-jsonl, one message a line: docs/importing.md`;
  if (head?.trim() === '') reason = 'it is empty';
  else if (head !== null && isJournal(head)) reason = 'it is a journal; use “omoide notes import FILE”';
  else if (head !== null && /^\s*<(?:!doctype|html)/i.test(head))
    reason = 'it is a web page; export the same as JSON (in Google Takeout: My Activity, format JSON)';
  return new MemoryError('UNKNOWN_FORMAT', `${path} cannot be imported: ${reason}.`);
}

/** Whether the file is Day One's JSON or Kindle's clippings. */
function isJournal(head: string): boolean {
  return /^\s*\{\s*"(?:metadata|entries)"\s*:/.test(head) || /^={10}\r?$/m.test(head);
}

function severalFiles(path: string): MemoryError {
  return new MemoryError(
    'INVALID_INPUT',
    `${path} contains several conversation files; one conversation id cannot be used for all of them.`,
  );
}

function describeSkipped(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).join(', ');
  const rest = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return `Skipped, because the format is unknown: ${named}${rest}.`;
}

/** The name of the file; where programs always use the same name, the name of the folder or archive. */
function conversationIdFor(file: SourceFile, { source, path }: { source: Source; path: string }): string {
  const name = basename(file.path, extname(file.path));
  const isShared = source.files.filter((other) => basename(other.path) === basename(file.path)).length > 1;
  if (source.kind === 'file' || !(isShared || SAME_NAME.test(name))) return idPart(name);
  const inner = file.path.replace(/\.[^./]*$/, '');
  const outer = basename(path, source.kind === 'archive' ? extname(path) : '');
  const place = SAME_NAME.test(name) ? inner.replace(/\/?[^/]*$/, '') || outer : inner;
  return idPart(place);
}
