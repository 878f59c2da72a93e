/**
 * Edits TOML as text: changes only our table, and in it only the members that we set. The caller compares the
 * parsed values before and after.
 */
import { parse, stringify, TomlError } from 'smol-toml';
import { lineBreakOf, SERVER_NAME, SyntaxProblem, type ConfigFormat, type Entry } from './format.ts';

const KEY = 'mcp_servers';
const NAME = `(?:${SERVER_NAME}|"${SERVER_NAME}"|'${SERVER_NAME}')`;
/** `[mcp_servers.omoide]` */
const OUR_TABLE = new RegExp(`^\\s*\\[\\s*${KEY}\\s*\\.\\s*${NAME}\\s*\\]\\s*(?:#.*)?$`);
/** … and `[mcp_servers.omoide.env]`. */
const OUR_TABLES = new RegExp(`^\\s*\\[\\s*${KEY}\\s*\\.\\s*${NAME}\\s*[.\\]]`);
const ANY_TABLE = /^\s*\[/;
const NOTHING = /^\s*(?:#.*)?$/;

export const tomlFormat: ConfigFormat = {
  key: KEY,
  parse(text) {
    try {
      return parse(text.replace(/^\uFEFF/, ''));
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      throw new SyntaxProblem(error.line, `this is not TOML (${error.message.split('\n')[0]}).`);
    }
  },
  put(text, entry) {
    const lineBreak = lineBreakOf(text);
    const lines = text.split(lineBreak);
    const start = lines.findIndex((line) => OUR_TABLE.test(line));
    if (start === -1) return append(text, [`[${KEY}.${SERVER_NAME}]`, ...membersOf(entry)], lineBreak);
    const end = endOfTable(lines, start);
    const body = Object.entries(entry).reduce(putMember, lines.slice(start + 1, end));
    return lines.toSpliced(start + 1, end - start - 1, ...body).join(lineBreak);
  },
  remove(text) {
    const lineBreak = lineBreakOf(text);
    let lines = text.split(lineBreak);
    for (;;) {
      const start = lines.findIndex((line) => OUR_TABLES.test(line));
      if (start === -1) return lines.join(lineBreak);
      // The blank line before the table is removed too.
      const from = start > 0 && lines[start - 1] === '' ? start - 1 : start;
      lines = lines.toSpliced(from, endOfTable(lines, start) - from);
    }
  },
  show: (entry) => [`[${KEY}.${SERVER_NAME}]`, ...membersOf(entry)],
};

function membersOf(entry: Entry): string[] {
  return Object.entries(entry).map(([name, value]) => formatMember(name, value));
}

function formatMember(name: string, value: unknown): string {
  return stringify({ [name]: value }).trimEnd();
}

function append(text: string, table: readonly string[], lineBreak: string): string {
  const before = text.trim() === '' ? '' : `${text}${text.endsWith('\n') ? '' : lineBreak}${lineBreak}`;
  return `${before}${table.join(lineBreak)}${lineBreak}`;
}

/** The end of the table's last line with content: blank lines and comments after it belong to the next table. */
function endOfTable(lines: readonly string[], start: number): number {
  let at = start + 1;
  let end = at;
  while (at < lines.length && !ANY_TABLE.test(lines[at] ?? '')) {
    const next = NOTHING.test(lines[at] ?? '') ? at + 1 : endOfMember(lines, at);
    if (!NOTHING.test(lines[at] ?? '')) end = next;
    at = next;
  }
  return end;
}

/** A value may have several lines: reads as many as are needed for valid TOML. */
function endOfMember(lines: readonly string[], start: number): number {
  for (let end = start + 1; end <= lines.length; end++) {
    if (isToml(lines.slice(start, end).join('\n'))) return end;
  }
  return start + 1;
}

function isToml(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function putMember(lines: readonly string[], [name, value]: [string, unknown]): string[] {
  const line = formatMember(name, value);
  const start = lines.findIndex((each) => new RegExp(`^\\s*(?:${name}|"${name}"|'${name}')\\s*=`).test(each));
  if (start === -1) return [...lines, line];
  const end = endOfMember(lines, start);
  const now = lines.slice(start, end).join('\n');
  const isSame = JSON.stringify(parse(now)) === JSON.stringify({ [name]: value });
  return isSame ? [...lines] : lines.toSpliced(start, end - start, line);
}
