/**
 * Token counts by OpenAI's o200k_base vocabulary: the length of a text in a prompt. Exact for its models, approximate
 * for others.
 *
 * The vocabulary (200,000 entries) is loaded at the first count, once, synchronously: in the package from the file that
 * the build writes, in a few milliseconds; in a checkout from the tokenizer package, in about 0.15 s. The vocabulary
 * and the splitting rule come from the tokenizer package. The counting is ours: Japanese and Chinese words are long and
 * seldom repeat, and the package counts them several times more slowly. Tests compare the counts of both.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Ranks from 'gpt-tokenizer/bpeRanks/o200k_base';
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';
import { BytePairs } from './bytePairs.ts';
import { wordCache } from '../model/model.ts';
import { boundaryAtOrBefore } from './graphemes.ts';

/** The longest piece tokenized at once, UTF-16 units: merging is quadratic in a word's length, and blobs are long. */
const MAX_PIECE_LENGTH = 128;
const REMEMBERED_TEXTS = 4_096;
const MAX_REMEMBERED_TEXT_LENGTH = 512;

/** The end of a word or number followed by neither: the vocabulary always splits there, so a cut changes no count. */
const UP_TO_EXACT_CUT = /^[^]*[\p{L}\p{N}](?=[^\p{L}\p{M}\p{N}'])/u;

/** How many words have cached counts, and their maximum length in UTF-16 units: longer ones would keep their text in memory. */
const REMEMBERED_WORDS = 20_000;
const MAX_REMEMBERED_WORD_LENGTH = 12;

/** Written by the build (`scripts/vocabulary.ts`). */
const VOCABULARY = new URL('o200k.bin', import.meta.url);
let vocabulary: BytePairs | undefined;
const countOfText = wordCache(new Map<string, number>());
const countOfWord = wordCache(new Map<string, number>());

/**
 * How many tokens `text` has. Special-token strings count as plain text, lone surrogates as U+FFFD.
 *
 * Exact, except where in 128 UTF-16 units no word or number ends before a space or sign (a blob, one letter
 * repeated, CJK without punctuation). Such a part is counted in pieces, each a token or two off at most, so that
 * the time is linear in the length of any text.
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
 * The longest beginning of `text` that has at most `maxTokens` tokens by `countTokens`, cut between graphemes; `text`
 * itself if it fits. (Found by going back from where the budget is exceeded: a few characters more can make fewer
 * tokens.)
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

/** The position to cut at in the piece from `from` to `end`, so that at most `maxTokens` of its tokens remain. */
function endWithin(text: string, from: number, end: number, maxTokens: number): number {
  let at = end;
  do at = boundaryAtOrBefore(text, at - 1);
  while (at > from && countPiece(text.slice(from, at)) > maxTokens);
  return at;
}

/** The first `end` units, or fewer if these have too many tokens: a shorter piece can split into more tokens. */
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

/** The text in parts that can be counted separately, each with its start. */
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
  // One unit more than the piece may have, to see which character follows it.
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

/** Builds the vocabulary from the tokenizer package, which is installed in a checkout. */
export function vocabularyOfPackage(): BytePairs {
  const require = createRequire(import.meta.url);
  const ranks: typeof Ranks = require('gpt-tokenizer/bpeRanks/o200k_base');
  return BytePairs.of(ranks.default);
}
