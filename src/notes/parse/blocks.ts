/** The blocks of Markdown, each with its exact range in the source. */
import { Lexer, type Token, type Tokens } from 'marked';

/** A half-open range of UTF-16 units in the source. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Block {
  readonly type: 'heading' | 'list' | 'code' | 'other';
  readonly range: Range;
  /** Level of a heading. */
  readonly depth: number;
  /** Text of a heading, including inline marks. */
  readonly title: string;
  /** The outermost items of a list, which are adjacent. */
  readonly itemRanges: readonly Range[];
}

/**
 * The lexer is quadratic in the length of a run of lines without a blank line: five seconds for 50,000 lines below
 * a list item. Runs with more lines than this are read in parts.
 */
const MAX_RUN_LINES = 1_000;

/** With this many markers or such indentation before a line, the lexer takes quadratic time or overflows the stack. */
const TOO_DEEP =
  /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){32}|^[ \t]{160}[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The blocks of `source` from `from` on; joined they are that part. */
export function readBlocks(source: string, from = 0): Block[] {
  const places = placesOf(source);
  const text = source.slice(from).replace(/\r\n?/g, '\n');
  const toSource = (at: number) => places(at, from);
  let at = 0;
  return lexableParts(text).flatMap((part) =>
    lex(part).map((token) => {
      const start = at;
      at += token.raw.length;
      return toBlock(token, start, at, toSource);
    }),
  );
}

/** Maps a position in the text with normalised line ends, relative to `from`, to the position in the source. */
function placesOf(source: string): (at: number, from: number) => number {
  if (!source.includes('\r\n')) return (at, from) => from + at;
  const breaks: number[] = [];
  for (let at = source.indexOf('\r\n'); at !== -1; at = source.indexOf('\r\n', at + 2)) breaks.push(at);
  return (at, from) => {
    const first = countBelow(breaks, (place) => place < from);
    // The i-th break after `from` is i units earlier in the text than in the source.
    const passed = countBelow(breaks, (place, i) => i < first || place - from - (i - first) < at);
    return from + at + passed - first;
  };
}

/** The number of sorted positions that pass the test; those that pass come first. */
function countBelow(places: readonly number[], passes: (place: number, i: number) => boolean): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(places[middle] ?? 0, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Part {
  readonly text: string;
  /** Not to be passed to the lexer. */
  readonly isPlain: boolean;
}

/** Parts that the lexer can read one by one. Normally the whole text, unless a run of lines is too long or too deep. */
function lexableParts(text: string): Part[] {
  const parts: Part[] = [];
  let [start, at, run, fence] = [0, 0, 0, ''];
  const cutAt = (end: number, { isPlain = false } = {}) => {
    if (end > start) parts.push({ text: text.slice(start, end), isPlain });
    [start, run] = [end, 0];
  };
  while (at < text.length) {
    const lineEnd = text.indexOf('\n', at) + 1 || text.length;
    const line = text.slice(at, lineEnd);
    fence = fenceAfter(fence, line);
    run = line.trim() === '' ? 0 : run + 1;
    if (fence === '' && TOO_DEEP.test(line)) {
      cutAt(at);
      cutAt(lineEnd, { isPlain: true });
    } else if (fence === '' && run >= MAX_RUN_LINES) cutAt(lineEnd);
    at = lineEnd;
  }
  cutAt(text.length);
  return parts;
}

/** The fence that is open after a line, or the empty string. */
export function fenceAfter(open: string, line: string): string {
  const mark = FENCE.exec(line)?.[1];
  if (mark === undefined) return open;
  if (open === '')
    return mark.startsWith('`') && line.slice(line.indexOf(mark) + mark.length).includes('`') ? '' : mark;
  const closes = mark.startsWith(open) && line.trim() === mark;
  return closes ? '' : open;
}

function lex({ text: part, isPlain }: Part): Token[] {
  try {
    if (isPlain) return [plain(part)];
    const tokens = new Lexer().blockTokens(part, []);
    if (tokens.reduce((sum, token) => sum + token.raw.length, 0) === part.length) return tokens;
  } catch {
    // Nested so deeply that the stack overflowed.
  }
  return [plain(part)];
}

function plain(text: string): Tokens.Paragraph {
  return { type: 'paragraph', raw: text, text, tokens: [] };
}

function toBlock(token: Token, start: number, end: number, toSource: (at: number) => number): Block {
  const range = { start: toSource(start), end: toSource(end) };
  const plain = { type: 'other', range, depth: 0, title: '', itemRanges: [] } as const;
  if (token.type === 'heading') {
    const { depth, text } = token as Tokens.Heading;
    return { ...plain, type: 'heading', depth, title: text.replace(/\s+/g, ' ').trim() };
  }
  if (token.type === 'list') {
    return { ...plain, type: 'list', itemRanges: itemRanges(token as Tokens.List, start, end, toSource) };
  }
  return token.type === 'code' ? { ...plain, type: 'code' } : plain;
}

function itemRanges(
  list: Tokens.List,
  start: number,
  end: number,
  toSource: (at: number) => number,
): Range[] {
  let at = start;
  return list.items.map((item, i) => {
    const from = at;
    // Text between the last item and the end of the list belongs to that item.
    at = i === list.items.length - 1 ? end : Math.min(end, from + item.raw.length);
    return { start: toSource(from), end: toSource(at) };
  });
}
