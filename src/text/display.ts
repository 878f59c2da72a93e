/** Layout of text in a terminal, where a Chinese or Japanese character and most emoji take two cells. */
import stringWidth from 'string-width';
import { graphemes } from './graphemes.ts';

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
const OPENING = '「『（(【《“';
/** Marks that must not begin a line, including small kana and ー (JIS X 4051). */
const CLOSING = '、。，．！？!?…」』）)】》”ーっッゃゅょャュョぁぃぅぇぉァィゥェォ';
/** Kept on one line: a run of spaces, one character of Chinese or Japanese, or one word, with the marks next to it. */
const UNBREAKABLE = new RegExp(
  `\\s+|(?:[${OPENING}]{0,3}(?:[${CJK}]|[^\\s${CJK}${OPENING}${CLOSING}]+)|\\S)\\p{M}*[${CLOSING}]*`,
  'gu',
);

const PRINTABLE_ASCII = /^[ -~]*$/;

/** The number of cells that `text` takes in a terminal; colours and other control sequences take none. */
export function displayWidth(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);
}

/** `text` followed by spaces up to `width` cells; unchanged if it is wider. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/**
 * The lines of `text`, each at most `width` cells wide, except a single wider character. Breaks at spaces, between
 * characters of Chinese and Japanese but not before their closing marks, and inside a word only if it is wider than
 * a line. Line breaks in the text are kept. The text must have no control sequences.
 */
export function wrapText(text: string, width: number): string[] {
  return text.split(/\r\n|\r|\n/).flatMap((line) => wrapLine(line, width));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  let used = 0;
  const push = (part: string) => {
    current += part;
    used += displayWidth(part);
  };
  const breakLine = () => {
    lines.push(current.trimEnd());
    current = '';
    used = 0;
  };
  for (const [part] of line.matchAll(UNBREAKABLE)) {
    if (used + displayWidth(part.trimEnd()) <= width) {
      push(part);
      continue;
    }
    if (current !== '') breakLine();
    if (part.trim() === '') continue;
    for (const grapheme of displayWidth(part) > width ? graphemes(part) : [part]) {
      if (current !== '' && used + displayWidth(grapheme) > width) breakLine();
      push(grapheme);
    }
  }
  lines.push(current.trimEnd());
  return lines;
}
