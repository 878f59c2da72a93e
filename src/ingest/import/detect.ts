import { CHAT_FORMS, detectChat } from './chats/chats.ts';
import { parseCsvLine } from './csv.ts';
import { isMbox } from './mbox.ts';
import { isMessage } from './messages.ts';
import { isReplikaHeader } from './replika.ts';
import { isWeChatHeader } from './wechatTable.ts';

/** The formats that conversations can be imported from; `docs/importing.md` describes each. */
export const IMPORT_FORMATS = [
  'omoide',
  'messages-jsonl',
  'messages-csv',
  'openai',
  'chatgpt',
  'claude',
  'gemini',
  'openwebui',
  'librechat',
  'sillytavern',
  'characterai',
  'replika',
  'telegram',
  'discord',
  'slack',
  'messenger',
  ...CHAT_FORMS,
  'mbox',
  'locomo',
  'longmemeval',
] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

const CSV_DELIMITERS = [',', ';', '\t', '|'];
/** How many damaged lines may precede the first line that shows the format. */
const LINES_TRIED = 50;

/** The format of a file, detected from its beginning, at most a megabyte; null when it is unknown. */
export function detectFormat(head: string): ImportFormat | null {
  const text = head.trimStart();
  // A bracket also begins chats exported as text: `[LINE] …`, `[05/01/2024, 22:03:11] …`.
  if (/^\[\s*(?:$|[{[\]"\d])/.test(text) && !/^\[\d/.test(text)) return formatOfList(firstObjectKeys(text));
  if (!text.startsWith('{')) return formatOfText(text);
  for (const start of objectLineStarts(text)) {
    const keys = firstObjectKeys(text.slice(start));
    const format = formatOfElements(keys) ?? formatOfLines(keys);
    if (format) return isListOfMessages(keys) ? 'messages-jsonl' : format;
  }
  return null;
}

function formatOfText(text: string): ImportFormat | null {
  if (isMbox(text)) return 'mbox';
  return formatOfTable(text) ?? detectChat(text);
}

function formatOfTable(text: string): ImportFormat | null {
  const [header = ''] = text.split('\n', 1);
  const cells = parseCsvLine(header, ',');
  if (isReplikaHeader(cells)) return 'replika';
  if (isWeChatHeader(cells)) return 'wechat';
  return csvDelimiter(text) === null ? null : 'messages-csv';
}

/** The delimiter with which the first line is a header with columns for speaker and text; null when there is none. */
export function csvDelimiter(head: string): string | null {
  const [header = ''] = head.trimStart().split('\n', 1);
  return CSV_DELIMITERS.find((delimiter) => isMessage(parseCsvLine(header, delimiter))) ?? null;
}

/** Whether the file has one object per line, and not one object over several lines. */
export function isJsonLines(head: string): boolean {
  const text = head.trimStart();
  if (!text.startsWith('{')) return false;
  try {
    const [line = ''] = text.split('\n', 1);
    JSON.parse(line);
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
  if (keys.has('chat') && (keys.has('user_id') || keys.has('title'))) return 'openwebui';
  return formatOfExport(keys) ?? (keys.has('messages') || isListOfMessages(keys) ? 'openai' : null);
}

/** Formats of programs that write one object per chat, with its messages in it. */
function formatOfExport(keys: ReadonlySet<string>): ImportFormat | null {
  const has = (...names: string[]) => names.every((name) => keys.has(name));
  if (has('channel', 'messages') && (has('guild') || has('exportedAt'))) return 'discord';
  if (has('participants', 'messages')) return 'messenger';
  if (has('conversationId', 'messages')) return 'librechat';
  if (has('name', 'type', 'id', 'messages') || has('personal_information') || has('about', 'chats'))
    return 'telegram';
  if (has('info', 'histories') || has('turns') || has('turn_key')) return 'characterai';
  return null;
}

/** Includes formats whose elements are recognised only in a list. */
function formatOfList(keys: ReadonlySet<string>): ImportFormat | null {
  if (keys.has('header') && keys.has('title') && keys.has('time')) return 'gemini';
  if (keys.has('ts') && keys.has('type') && (keys.has('user') || keys.has('text'))) return 'slack';
  return formatOfElements(keys);
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

/** The keys of the first object in a piece of JSON, which may be cut off. */
function firstObjectKeys(text: string): Set<string> {
  const keys = new Set<string>();
  let depth = 0;
  for (let at = text.indexOf('{'); at >= 0 && at < text.length; at += 1) {
    const character = text.charAt(at);
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
