import { lineEndOf } from '../content.ts';
import type { Range } from '../parse/parse.ts';

export function splice(text: string, { start, end }: Range, words: string): string {
  return text.slice(0, start) + words + text.slice(end);
}

/** Where a part of a text ends without its trailing white space; at least `start`. */
export function wordsEnd(text: string, start: number, end = text.length): number {
  return start + text.slice(start, end).trimEnd().length;
}

/**
 * Inserts lines after the text that ends at `at`.
 * @param how `below`: on the next line; `apart`: with a blank line before and, if text follows, after
 */
export function insertAfter(text: string, at: number, lines: string, how: 'below' | 'apart'): string {
  const lineEnd = lineEndOf(text);
  const before = text.slice(0, at);
  const after = text.slice(at);
  const isLast = after.trim() === '';
  if (before.trim() === '') return before + lines + lineEnd + (isLast ? '' : lineEnd) + after;
  const isEnded = before.endsWith('\n');
  const opening = (isEnded ? '' : lineEnd) + (how === 'apart' ? lineEnd : '');
  const isBlankBehind = isLast || /^[ \t]*\r?\n/.test(after);
  const isFollowed = isEnded ? !isBlankBehind : /^[ \t]*\r?\n(?=[^\r\n])/.test(after);
  // Text at the beginning of a line keeps its place.
  return (
    before +
    opening +
    lines +
    (isEnded ? lineEnd : '') +
    (how === 'apart' && isFollowed ? lineEnd : '') +
    after
  );
}

/** Removes lines, and one of two blank lines that become adjacent. */
export function remove(text: string, { start, end }: Range): string {
  const isAtLineStart = text[end - 1] === '\n';
  const lineEnd = isAtLineStart ? '' : (/^[ \t]*\r?\n?/.exec(text.slice(end))?.[0] ?? '');
  const before = text.slice(0, start);
  const after = text.slice(end + lineEnd.length);
  const isBlankBefore = before.trim() === '' || /\n[ \t]*\r?\n$/.test(before);
  if (after === '') return before.replace(/(?<=\n)[ \t]*\r?\n$/, '');
  return before + (isBlankBefore ? after.replace(/^[ \t]*\r?\n/, '') : after);
}
