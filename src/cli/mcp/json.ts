/**
 * Edits JSON, also with comments and trailing commas, as text: everything except the changed members is kept,
 * including white space. The caller compares the parsed values before and after.
 */
import {
  createScanner,
  findNodeAtLocation,
  parse,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { isDeepStrictEqual } from 'node:util';
import { lineBreakOf, SERVER_NAME, SyntaxProblem, type ConfigFormat } from './format.ts';

const BOM = '\uFEFF';
const EMPTY = '{}\n';
const OPTIONS = { allowTrailingComma: true };

export function createJsonFormat(key: string): ConfigFormat {
  return {
    key,
    parse: (text) => parseJson(split(text).body),
    put: (text, entry) =>
      edit(text, (body) => {
        if (!nodeAt(body, [key])) return insert(body, [], key, { [SERVER_NAME]: entry });
        if (!nodeAt(body, [key, SERVER_NAME])) return insert(body, [key], SERVER_NAME, entry);
        return Object.entries(entry).reduce(
          (now, [name, value]) => set(now, [key, SERVER_NAME], name, value),
          body,
        );
      }),
    remove: (text) => edit(text, (body) => remove(body, [key, SERVER_NAME])),
    show: (entry) =>
      JSON.stringify({ [SERVER_NAME]: entry }, null, 2)
        .split('\n')
        .slice(1, -1),
  };
}

function parseJson(body: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(body, errors, OPTIONS);
  const [first] = errors;
  if (!first) return value;
  const line = body.slice(0, first.offset).split('\n').length;
  throw new SyntaxProblem(line, `this is not JSON (${printParseErrorCode(first.error)}).`);
}

function edit(text: string, change: (body: string) => string): string {
  const { mark, body } = split(text);
  return mark + change(body);
}

/** Some editors write a byte order mark; an empty file counts as an empty object. */
function split(text: string): { mark: string; body: string } {
  const mark = text.startsWith(BOM) ? BOM : '';
  const body = text.slice(mark.length);
  return { mark, body: body.trim() === '' ? EMPTY : body };
}

type Path = readonly string[];

function nodeAt(text: string, path: Path): Node | undefined {
  const root = parseTree(text, [], OPTIONS);
  return root && findNodeAtLocation(root, [...path]);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function splice(text: string, from: number, to: number, words = ''): string {
  return text.slice(0, from) + words + text.slice(to);
}

function set(text: string, path: Path, name: string, value: unknown): string {
  const node = nodeAt(text, [...path, name]);
  if (!node) return insert(text, path, name, value);
  if (isDeepStrictEqual(parseJson(text.slice(node.offset, endOf(node))), value)) return text;
  return splice(text, node.offset, endOf(node), formatValue(text, value, path.length + 1));
}

/** Adds a member at the end of an object: on its own line, unless the object is on one line. */
function insert(text: string, path: Path, name: string, value: unknown): string {
  const object = nodeAt(text, path);
  if (object?.type !== 'object') return text;
  const lineBreak = lineBreakOf(text);
  const indent = indentOf(text);
  const line = (depth: number) => `${lineBreak}${indent.repeat(depth)}`;
  const depth = path.length + 1;
  const member = `${JSON.stringify(name)}: ${formatValue(text, value, depth)}`;
  const close = endOf(object) - 1;
  const last = object.children?.at(-1);
  if (!last) {
    const end = text.slice(0, close).trimEnd().length;
    return splice(text, end, close, `${line(depth)}${member}${line(depth - 1)}`);
  }
  const tail = text.slice(endOf(last), close);
  if (!tail.includes('\n'))
    return splice(text, endOf(last), endOf(last), `, ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  // After a comment that follows the last member.
  const end = endOf(last) + tail.trimEnd().length;
  const hasComma = findComma(text, endOf(last), close) !== null;
  const added = splice(text, end, end, `${line(depth)}${member}${hasComma ? ',' : ''}`);
  return hasComma ? added : splice(added, endOf(last), endOf(last), ',');
}

/** Removes a member, with its line and the comma next to it. */
function remove(text: string, path: Path): string {
  const property = nodeAt(text, path)?.parent;
  const object = property?.parent;
  if (!property || !object) return text;
  const siblings = object.children ?? [];
  const at = siblings.indexOf(property);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  const end = endOf(property);
  const comma = findComma(text, end, after?.offset ?? endOf(object));
  const from = text.slice(0, property.offset).trimEnd().length;
  if (after && comma !== null) {
    return before ? splice(text, from, comma + 1) : splice(text, property.offset, after.offset);
  }
  if (comma !== null) return splice(text, from, comma + 1);
  if (!before) {
    const close = endOf(object) - 1;
    const isBare = from === object.offset + 1 && text.slice(end, close).trim() === '';
    return splice(text, from, isBare ? close : end);
  }
  const without = splice(text, from, end);
  const parting = findComma(without, endOf(before), from);
  return parting === null ? without : splice(without, parting, parting + 1);
}

/** The position of the first comma outside comments; null when there is none. */
function findComma(text: string, from: number, to: number): number | null {
  const scanner = createScanner(text.slice(from, to), true);
  scanner.scan();
  const at = from + scanner.getTokenOffset();
  return text[at] === ',' && at < to ? at : null;
}

const DEFAULT_INDENT = '  ';

function indentOf(text: string): string {
  return /^([ \t]+)["{}]/m.exec(text)?.[1] ?? DEFAULT_INDENT;
}

function formatValue(text: string, value: unknown, depth: number): string {
  const indent = indentOf(text);
  return JSON.stringify(value, null, indent).replaceAll('\n', `${lineBreakOf(text)}${indent.repeat(depth)}`);
}
