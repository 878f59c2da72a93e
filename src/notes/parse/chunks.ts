/**
 * Cuts a section that is too long into chunks.
 *
 *     a piece (paragraph, list item, line)   |p|p|p|p|p|p|p|p|p|p|
 *     a chunk ends between FEWEST and MOST        └──────┘
 *     before the piece with the least hash            ↑
 *
 * Because of the hash, the cuts depend on the text around them and not on the length before them: an edit near the
 * top moves only the next cut or two, and the chunks below keep their units.
 */
import { hash } from 'node:crypto';
import { countTokens, splitSentences, truncateToTokens } from '../../text/text.ts';
import type { Block, Range } from './blocks.ts';

/** The most tokens of a chunk. */
export const MAX_TOKENS = 400;
const MIN_TOKENS = 200;
/** A token has at least this many UTF-16 units in almost any text: the tokens of shorter texts need not be counted. */
const CERTAIN_FIT_LENGTH = MAX_TOKENS / 4;

/** Ranges of the chunks; joined they are `range`. */
export function cutChunks(source: string, range: Range, blocks: readonly Block[]): Range[] {
  if (fits(source.slice(range.start, range.end))) return range.end > range.start ? [range] : [];
  return joinPieces(source, blocks.flatMap(piecesOfBlock(source)));
}

function fits(text: string): boolean {
  return text.length <= CERTAIN_FIT_LENGTH || countTokens(text) <= MAX_TOKENS;
}

interface Piece extends Range {
  readonly tokens: number;
}

function joinPieces(source: string, ranges: readonly Range[]): Range[] {
  const pieces = ranges.map((range): Piece => ({
    ...range,
    tokens: countTokens(source.slice(range.start, range.end)),
  }));
  const chunks: Range[] = [];
  for (let first = 0; first < pieces.length;) {
    const end = endOfChunk(source, pieces, first);
    chunks.push({ start: pieces[first]?.start ?? 0, end: pieces[end - 1]?.end ?? 0 });
    first = end;
  }
  return chunks;
}

/** The piece before which the chunk that begins with `first` ends. */
function endOfChunk(source: string, pieces: readonly Piece[], first: number): number {
  let tokens = 0;
  let best: { at: number; rank: string } | null = null;
  for (let at = first; at < pieces.length; at++) {
    const piece = pieces[at];
    if (!piece) break;
    if (at > first && tokens + piece.tokens > MAX_TOKENS) return best?.at ?? at;
    if (at > first && tokens >= MIN_TOKENS) {
      const rank = hash('sha1', source.slice(piece.start, piece.end).trim());
      if (!best || rank < best.rank) best = { at, rank };
    }
    tokens += piece.tokens;
  }
  return pieces.length;
}

function piecesOfBlock(source: string): (block: Block) => Range[] {
  return (block) =>
    (block.type === 'list' ? block.itemRanges : [block.range]).flatMap((range) => divide(source, range));
}

/** Divides what is longer than a chunk: at lines, then at sentences, then anywhere. */
function divide(source: string, range: Range): Range[] {
  const text = source.slice(range.start, range.end);
  if (fits(text)) return [range];
  const parts = divisions(text);
  let at = range.start;
  return parts.flatMap((part) => {
    const piece = { start: at, end: at + part.length };
    at = piece.end;
    return fits(part) ? [piece] : divide(source, piece);
  });
}

/** At least two parts of a text; joined they are the text. */
function divisions(text: string): string[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (lines.length > 1) return lines;
  const sentences = partsAround(text, splitSentences(text));
  if (sentences.length > 1) return sentences;
  const beginning = truncateToTokens(text, MAX_TOKENS) || text.slice(0, 1);
  return [beginning, text.slice(beginning.length)].filter((part) => part !== '');
}

/** The text cut at the beginnings of its sentences; the given sentences do not include the space between them. */
function partsAround(text: string, sentences: readonly string[]): string[] {
  const starts: number[] = [];
  let at = 0;
  for (const sentence of sentences) {
    const start = text.indexOf(sentence, at);
    if (start === -1) return [text];
    starts.push(start);
    at = start + sentence.length;
  }
  return starts.map((start, i) => text.slice(i === 0 ? 0 : start, starts[i + 1] ?? text.length));
}
