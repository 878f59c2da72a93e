/**
 * Token counts by OpenAI's o200k_base vocabulary: what a text costs in a prompt. Exact for its models, near enough for others.
 *
 * The vocabulary (200,000 entries) is loaded at the first count, once, synchronously: in the package from the file that the build writes,
 * in a few milliseconds; in a checkout from the tokenizer package, in about 0.15 s. Of the tokenizer package the vocabulary and the splitting rule are used, and not its counting: words in
 * Japanese and Chinese are long and seldom the same, and for these it takes several times as long as ours, which tests hold against it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Ranks from 'gpt-tokenizer/bpeRanks/o200k_base';
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';
import { BytePairs } from './bytePairs.ts';
import { boundaryAtOrBefore } from './graphemes.ts';

/** The longest piece handed to the tokenizer, in UTF-16 units: merging costs the square of a word's length, and chat is not always words. */
const MAX_PIECE_LENGTH = 128;
const REMEMBERED_TEXTS = 4_096;
const MAX_REMEMBERED_TEXT_LENGTH = 512;

/** The end of a word or number followed by neither: the vocabulary's splitting rule always splits there, so cutting there changes no count. */
const UP_TO_EXACT_CUT = /^[^]*[\p{L}\p{N}](?=[^\p{L}\p{M}\p{N}'])/u;

/** Words whose tokens are remembered, and how long they are at most, UTF-16 units: longer ones would keep the text they are from alive. */
const REMEMBERED_WORDS = 20_000;
const MAX_REMEMBERED_WORD_LENGTH = 12;

/** Written by the build (`scripts/vocabulary.ts`). */
const VOCABULARY = new URL('o200k.bin', import.meta.url);
let vocabulary: BytePairs | undefined;
const countOfText = new Map<string, number>();
const countOfWord = new Map<string, number>();

/**
 * How many tokens `text` has. Special-token strings count as plain text, lone surrogates as U+FFFD.
 *
 * Exact, save where 128 UTF-16 units pass in which no word or number ends before a space or sign (a blob, one letter repeated, CJK
 * without punctuation): such a stretch is counted in parts, a token or two off at most for each, so that the time is linear in the
 * text's length whatever is in it.
 */
export function countTokens(text: string): number {
  if (text.length > MAX_REMEMBERED_TEXT_LENGTH) return countPieces(text);
  const remembered = countOfText.get(text);
  if (remembered !== undefined) countOfText.delete(text);
  else if (countOfText.size >= REMEMBERED_TEXTS) forgetLeastRecent();
  const count = remembered ?? countPieces(text);
  countOfText.set(text, count);
  return count;
}

/**
 * The longest beginning of `text` that has at most `maxTokens` tokens as `countTokens` counts them, cut between graphemes; `text` itself
 * if it fits. (Longest going back from where the budget is exceeded: a few characters more could by chance make fewer tokens.)
 */
export function truncateToTokens(text: string, maxTokens: number): string {
  let left = maxTokens;
  for (const [piece, from] of pieces(text)) {
    const count = countPiece(piece);
    if (count > left) return withinTokens(text, endWithin(text, from, from + piece.length, left), maxTokens);
    left -= count;
  }
  return text;
}

/** Where to cut in the piece from `from` to `end`, so that at most `maxTokens` of its tokens remain. */
function endWithin(text: string, from: number, end: number, maxTokens: number): number {
  let at = end;
  do at = boundaryAtOrBefore(text, at - 1);
  while (at > from && countPiece(text.slice(from, at)) > maxTokens);
  return at;
}

/** The first `end` units, or less if, counted anew, they have too many tokens: a shorter piece may be divided less well. */
function withinTokens(text: string, end: number, maxTokens: number): string {
  let at = end;
  while (at > 0 && countPieces(text.slice(0, at)) > maxTokens) at = boundaryAtOrBefore(text, at - 1);
  return text.slice(0, at);
}

function countPieces(text: string): number {
  let count = 0;
  for (const [piece] of pieces(text)) count += countPiece(piece);
  return count;
}

function countPiece(piece: string): number {
  let count = 0;
  for (const word of piece.match(O200K_TOKEN_SPLIT_REGEX) ?? []) count += countWord(word);
  return count;
}

function countWord(word: string): number {
  const pairs = (vocabulary ??= readVocabulary());
  if (word.length > MAX_REMEMBERED_WORD_LENGTH) return pairs.count(word);
  const remembered = countOfWord.get(word);
  if (remembered !== undefined) return remembered;
  const count = pairs.count(word);
  if (countOfWord.size >= REMEMBERED_WORDS) countOfWord.clear();
  countOfWord.set(word, count);
  return count;
}

/** The text in parts that can be counted apart, each with its start. */
function* pieces(text: string): Generator<[piece: string, from: number]> {
  for (let from = 0; from < text.length;) {
    const end = endOfPiece(text, from);
    yield [text.slice(from, end), from];
    from = end;
  }
}

function endOfPiece(text: string, from: number): number {
  const farthest = from + MAX_PIECE_LENGTH;
  if (farthest >= text.length) return text.length;
  // One unit more than the piece may have, to see what follows it.
  const exact = UP_TO_EXACT_CUT.exec(text.slice(from, farthest + 1));
  if (exact !== null) return from + exact[0].length;
  const splitsPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(farthest - 1, farthest + 1));
  return splitsPair ? farthest - 1 : farthest;
}

function forgetLeastRecent(): void {
  const [text] = countOfText.keys();
  if (text !== undefined) countOfText.delete(text);
}

function readVocabulary(): BytePairs {
  return existsSync(VOCABULARY) ? BytePairs.read(readFileSync(VOCABULARY)) : vocabularyOfPackage();
}

/** From the tokenizer package, which is there in a checkout. */
export function vocabularyOfPackage(): BytePairs {
  const require = createRequire(import.meta.url);
  const ranks: typeof Ranks = require('gpt-tokenizer/bpeRanks/o200k_base');
  return BytePairs.of(ranks.default);
}
