/** How text lies in a terminal, where a Chinese or Japanese character and most emoji take two cells. */
import stringWidth from 'string-width';
import { graphemes } from './graphemes.ts';

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}';
const OPENING = '「『（(【《“';
/** Marks that may not begin a line; small kana and ー among them (JIS X 4051). */
const CLOSING = '、。，．！？!?…」』）)】》”ーっッゃゅょャュョぁぃぅぇぉァィゥェォ';
/** What stays on one line: a run of spaces, or one character of Chinese or Japanese or one word, with the marks at its sides. */
const UNBREAKABLE = new RegExp(
  `\\s+|(?:[${OPENING}]{0,3}(?:[${CJK}]|[^\\s${CJK}${OPENING}${CLOSING}]+)|\\S)\\p{M}*[${CLOSING}]*`,
  'gu',
);

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Cells `text` takes in a terminal; colours and other control sequences take none. */
export function displayWidth(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);
}

/** `text` with spaces after it up to `width` cells; as it is if it is wider. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/**
 * The lines of `text`, each at most `width` cells wide (a single wider character excepted), broken at spaces, between characters of
 * Chinese and Japanese but not before their closing marks, and inside a word only if it is wider than a line. Line breaks in the text
 * stay. Expects no control sequences.
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
