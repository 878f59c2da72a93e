/** Splits long texts into passages, short enough for one vector and one quotation in a prompt. */
import { boundaryAtOrBefore } from './graphemes.ts';
import { splitSentences } from './sentences.ts';

/** The position of a passage in its text, in UTF-16 units; `to` is exclusive. */
export interface PassageRange {
  readonly from: number;
  readonly to: number;
}

/** A passage ends with the sentence that reaches this many tokens. */
const ENOUGH_TOKENS = 100;
/** A passage ends before a sentence that would make it longer than this. */
const MAX_TOKENS = 130;
/** A last passage with fewer tokens is joined to the one before it. */
const MIN_LAST_TOKENS = 25;
/** Approximate tokens of one character. Counting tokens exactly would take most of the time. */
const TOKENS_OF_CJK = 0.8;
const TOKENS_OF_OTHER = 1 / 4.2;

/**
 * The passages of a text, in order: whole sentences, about 100 to 130 tokens each; joined they are the text. A
 * longer sentence is cut between characters. A text no longer than one passage gives one passage.
 */
export function splitPassages(text: string): PassageRange[] {
  if (text.length * TOKENS_OF_CJK <= MAX_TOKENS || estimateTokens(text) <= MAX_TOKENS)
    return [{ from: 0, to: text.length }];
  const passages: { from: number; to: number; tokens: number }[] = [];
  let current = { from: 0, to: 0, tokens: 0 };
  const end = () => {
    if (current.to > current.from) passages.push(current);
    current = { from: current.to, to: current.to, tokens: 0 };
  };
  for (const part of splitSentences(text).flatMap(cutLong)) {
    const tokens = estimateTokens(part);
    if (current.tokens > 0 && current.tokens + tokens > MAX_TOKENS) end();
    current.to += part.length;
    current.tokens += tokens;
    if (current.tokens >= ENOUGH_TOKENS) end();
  }
  const last = passages.at(-1);
  if (last && current.tokens < MIN_LAST_TOKENS) last.to = text.length;
  else end();
  return passages.map(({ from, to }) => ({ from, to }));
}

/** Cuts a sentence longer than a passage into pieces that fit. */
function cutLong(sentence: string): string[] {
  const tokens = estimateTokens(sentence);
  if (tokens <= MAX_TOKENS) return [sentence];
  const length = Math.max(1, Math.floor((sentence.length * ENOUGH_TOKENS) / tokens));
  const pieces: string[] = [];
  for (let from = 0; from < sentence.length;) {
    const wanted = from + length;
    const to = wanted >= sentence.length ? sentence.length : boundaryAtOrBefore(sentence, wanted);
    const end = to > from ? to : Math.min(sentence.length, wanted);
    pieces.push(sentence.slice(from, end));
    from = end;
  }
  return pieces;
}

function estimateTokens(text: string): number {
  let cjk = 0;
  for (let i = 0; i < text.length; i++) if (isCjk(text.charCodeAt(i))) cjk++;
  return cjk * TOKENS_OF_CJK + (text.length - cjk) * TOKENS_OF_OTHER;
}

function isCjk(code: number): boolean {
  return (
    (code >= 0x2e80 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7ff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xffef)
  );
}
