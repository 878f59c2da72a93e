/** Extracts the relevant part of a long text: whole sentences around what was searched for, within a given length. */
import { boundaryAtOrBefore } from './graphemes.ts';
import { splitSentences } from './sentences.ts';

export interface SnippetOptions {
  /** The maximum length of the snippet, in UTF-16 units, ellipses included. */
  readonly maxChars: number;
  /** Words, phrases or index terms (lower case, stemmed) to show: the passage with most of them; by default the beginning. */
  readonly around?: readonly string[];
}

/** From `start` to `end`, in UTF-16 units of the text. */
interface Range {
  readonly start: number;
  readonly end: number;
}

const ELLIPSIS = '…';
/** The most occurrences of one term that are considered. */
const MAX_HITS = 50;
/** How far a cut may move, in UTF-16 units, to fall between words. */
const MAX_WORD_SAVED_LENGTH = 16;
/** If whole sentences fill less than this share of the maximum, part of another sentence is added. */
const MIN_SHARE_LENGTH = 0.5;

/**
 * A passage of `text`, word for word, at most `maxChars` long: whole sentences where they fit, `…` at each end where
 * text is omitted, never cut inside a grapheme, trimmed. The whole text if it fits; '' if `maxChars` is less than 1.
 */
export function snippet(text: string, { maxChars, around = [] }: SnippetOptions): string {
  const body = text.trim();
  if (body.length <= maxChars) return body;
  if (maxChars < 1) return '';
  const { start, end } = choosePassage(body, findFocus(body, around, maxChars - 2), maxChars);
  return `${start > 0 ? ELLIPSIS : ''}${body.slice(start, end)}${end < body.length ? ELLIPSIS : ''}`;
}

function choosePassage(text: string, focus: Range, maxChars: number): Range {
  const fits = ({ start, end }: Range) => lengthOf(text, start, end) <= maxChars;
  const bounds = sentenceBounds(text, focus, maxChars);
  let first = bounds.findLastIndex((bound) => bound <= focus.start);
  let last = bounds.findIndex((bound, index) => index > first && bound >= focus.end);
  const range = (from: number, to: number) =>
    withoutOuterSpace(text, bounds[from] ?? 0, bounds[to] ?? text.length);
  if (!fits(range(first, last))) return cutPassage(text, range(first, last).start, focus, maxChars);
  for (;;) {
    const canFollow = last + 1 < bounds.length && fits(range(first, last + 1));
    if (canFollow) last++;
    const canPrecede = first > 0 && fits(range(first - 1, last));
    if (canPrecede) first--;
    if (!canFollow && !canPrecede) break;
  }
  const whole = range(first, last);
  const isTooShort = lengthOf(text, whole.start, whole.end) < MIN_SHARE_LENGTH * maxChars;
  return isTooShort ? cutPassage(text, whole.start, focus, maxChars) : whole;
}

/** How long the snippet of this range would be. */
function lengthOf(text: string, start: number, end: number): number {
  return end - start + (start > 0 ? ELLIPSIS.length : 0) + (end < text.length ? ELLIPSIS.length : 0);
}

/** Where sentences begin and end near the focus. Text farther than `maxChars` from it cannot be shown. */
function sentenceBounds(text: string, focus: Range, maxChars: number): number[] {
  const from = boundaryAtOrBefore(text, focus.start - maxChars);
  const to = boundaryAtOrBefore(text, focus.end + maxChars);
  const bounds = [from];
  let end = from;
  for (const sentence of splitSentences(text.slice(from, to))) {
    end += sentence.length;
    bounds.push(end);
  }
  return bounds;
}

/** A passage that begins at `start`, or nearer to the focus if it would not reach it, and ends where the space ends. */
function cutPassage(text: string, start: number, focus: Range, maxChars: number): Range {
  let from = start;
  if (lengthOf(text, start, focus.end) > maxChars) {
    const lead = Math.max(0, Math.floor((maxChars - 2 * ELLIPSIS.length - (focus.end - focus.start)) / 3));
    from = wordStartNear(text, boundaryAtOrBefore(text, focus.start - lead), focus.start);
  }
  const room = maxChars - ELLIPSIS.length * (from > 0 ? 2 : 1);
  const reachesEnd = lengthOf(text, from, text.length) <= maxChars;
  const to = reachesEnd ? text.length : Math.max(from, boundaryAtOrBefore(text, from + room));
  return withoutOuterSpace(text, from, reachesEnd ? to : wordEndNear(text, to, Math.max(from, focus.end)));
}

/** After the next space, if there is one near and before `limit`. */
function wordStartNear(text: string, at: number, limit: number): number {
  if (at === 0 || isBetweenWords(text, at)) return at;
  const space = text.slice(at, Math.min(limit, at + MAX_WORD_SAVED_LENGTH)).search(/\s/);
  return space < 0 ? at : boundaryAtOrBefore(text, at + space);
}

/** Before the last space, if there is one near and after `limit`. */
function wordEndNear(text: string, at: number, limit: number): number {
  if (isBetweenWords(text, at)) return at;
  const from = Math.max(limit, at - MAX_WORD_SAVED_LENGTH);
  const space = text.slice(from, at).search(/\s\S*$/);
  return space < 0 ? at : boundaryAtOrBefore(text, from + space);
}

function isBetweenWords(text: string, at: number): boolean {
  return !/^[\p{Script=Latin}\p{N}]{2}$/u.test(text.slice(at - 1, at + 1));
}

/** The range without white space at its ends; a space that carries a mark stays. */
function withoutOuterSpace(text: string, start: number, end: number): Range {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text.charAt(from)) && boundaryAtOrBefore(text, from + 1) === from + 1) from++;
  while (to > from && /\s/.test(text.charAt(to - 1)) && boundaryAtOrBefore(text, to - 1) === to - 1) to--;
  return { start: from, end: to };
}

interface Hit extends Range {
  readonly needle: string;
}

/** The range of at most `width` with most of the needles, longer ones counting more; the beginning if none occurs. */
function findFocus(text: string, around: readonly string[], width: number): Range {
  const hits = findHits(text, around).sort((a, b) => a.start - b.start);
  let best: Range = { start: 0, end: 0 };
  let bestWeight = 0;
  for (const [index, { start }] of hits.entries()) {
    const seen = new Set<string>();
    let end = start;
    for (let next = index; next < hits.length; next++) {
      const hit = hits[next];
      if (hit === undefined || hit.start > start + width) break;
      if (hit.end > start + width && seen.size > 0) continue;
      seen.add(hit.needle);
      end = Math.max(end, hit.end);
    }
    const weight = [...seen].reduce((sum, needle) => sum + needle.length, 0);
    if (weight > bestWeight) {
      best = { start, end };
      bestWeight = weight;
    }
  }
  return best;
}

function findHits(text: string, around: readonly string[]): Hit[] {
  const lowered = text.toLowerCase();
  // İ has two units in lower case: offsets would differ, so such a text is searched as it is.
  const searched = lowered.length === text.length ? lowered : text;
  const needles = new Set(around.map((term) => term.trim().toLowerCase()).filter((term) => term !== ''));
  return [...needles].flatMap((needle) => {
    const hits = occurrences(searched, needle);
    // The stemmer changes -y to -i: memori, happi.
    return hits.length === 0 && /^[a-z]{3,}i$/.test(needle)
      ? occurrences(searched, needle.slice(0, -1))
      : hits;
  });
}

function occurrences(text: string, needle: string): Hit[] {
  const hits: Hit[] = [];
  const isWord = /^[\p{Script=Latin}\p{N}]/u.test(needle);
  for (let start = text.indexOf(needle); start >= 0 && hits.length < MAX_HITS;) {
    const isInsideWord = isWord && /^[\p{Script=Latin}\p{N}]/u.test(text.slice(start - 1, start));
    if (!isInsideWord) hits.push({ needle, start, end: start + needle.length });
    start = text.indexOf(needle, start + needle.length);
  }
  return hits;
}
