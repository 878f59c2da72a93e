import { parseCsvLine } from './csv.ts';
import { isMessage } from './messages.ts';

/** The forms that conversations can be imported from; `docs/importing.md` describes each. */
export const IMPORT_FORMATS = [
  'omoide',
  'messages-jsonl',
  'messages-csv',
  'openai',
  'chatgpt',
  'claude',
  'sillytavern',
  'locomo',
  'longmemeval',
] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

const CSV_DELIMITERS = [',', ';', '\t', '|'];
/** So many lines may be damaged before the first from which the format can be told. */
const LINES_TRIED = 50;

/** The format of a file, told from how it begins; null when it is none of them. A megabyte is enough to tell. */
export function detectFormat(head: string): ImportFormat | null {
  const text = head.trimStart();
  if (text.startsWith('[')) return formatOfElements(firstObjectKeys(text));
  if (!text.startsWith('{') && csvDelimiter(text) !== null) return 'messages-csv';
  for (const start of objectLineStarts(text)) {
    const keys = firstObjectKeys(text.slice(start));
    const format = formatOfElements(keys) ?? formatOfLines(keys);
    if (format) return isListOfMessages(keys) ? 'messages-jsonl' : format;
  }
  return null;
}

/** The delimiter with which the first line is a header that names who speaks and what is said; null when none is. */
export function csvDelimiter(head: string): string | null {
  const header = head.trimStart().split('\n', 1)[0]!;
  return CSV_DELIMITERS.find((delimiter) => isMessage(parseCsvLine(header, delimiter))) ?? null;
}

/** Whether the file has an object on each line, and not one that goes on over several. */
export function isJsonLines(head: string): boolean {
  const text = head.trimStart();
  if (!text.startsWith('{')) return false;
  try {
    JSON.parse(text.split('\n', 1)[0]!);
    return true;
  } catch {
    return text.includes('\n{');
  }
}

/** The format of a JSON array with elements that have these keys, or of a file that is one such element. */
function formatOfElements(keys: ReadonlySet<string>): ImportFormat | null {
  if (keys.has('mapping')) return 'chatgpt';
  if (keys.has('chat_messages')) return 'claude';
  if (keys.has('haystack_sessions') || keys.has('haystack_session_ids')) return 'longmemeval';
  if (keys.has('qa') || (keys.has('conversation') && keys.has('sample_id'))) return 'locomo';
  return keys.has('messages') || isListOfMessages(keys) ? 'openai' : null;
}

function formatOfLines(keys: ReadonlySet<string>): ImportFormat | null {
  if (keys.has('conv_id') && keys.has('text')) return 'omoide';
  if (keys.has('chat_metadata') || keys.has('mes') || (keys.has('user_name') && keys.has('character_name'))) {
    return 'sillytavern';
  }
  return isMessage([...keys]) ? 'messages-jsonl' : null;
}

function isListOfMessages(keys: ReadonlySet<string>): boolean {
  return keys.has('role') && keys.has('content');
}

function* objectLineStarts(text: string): Generator<number> {
  let start = 0;
  for (let tried = 0; tried < LINES_TRIED && start < text.length; tried += 1) {
    if (text[start] === '{') yield start;
    const end = text.indexOf('\n', start);
    if (end < 0) return;
    start = end + 1;
  }
}

/** The keys of the first object in a piece of JSON, which may break off. */
function firstObjectKeys(text: string): Set<string> {
  const keys = new Set<string>();
  let depth = 0;
  for (let at = text.indexOf('{'); at >= 0 && at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '"') {
      const end = closingQuote(text, at);
      if (depth === 1 && /^\s*:/.test(text.slice(end + 1, end + 20))) keys.add(text.slice(at + 1, end));
      at = end;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) break;
    }
  }
  return keys;
}

function closingQuote(text: string, opening: number): number {
  let at = opening + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
