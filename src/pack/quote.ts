import { oneLine, snippet, type Language } from '../text/text.ts';

const QUOTES: Readonly<Record<Language, readonly [open: string, close: string]>> = {
  ja: ['「', '」'],
  zh: ['“', '”'],
  en: ['“', '”'],
};

/** Marks that would end a quotation, or look as if they did, and their replacements. */
const INNER: Readonly<Record<string, string>> = {
  '「': '『',
  '」': '』',
  '｢': '『',
  '｣': '』',
  '“': '‘',
  '”': '’',
  '„': '‘',
  '‟': '‘',
  '〝': '‘',
  '〞': '’',
  '〟': '’',
  '"': "'",
  '＂': "'",
};
const MARKS = new RegExp(`[${Object.keys(INNER).join('')}]`, 'gu');

/** The most UTF-16 units of a name that are shown: a name must not be used for longer text. */
const NAME_CHARS = 40;

/** Text on one line, without marks that open or close a quotation. */
export function unquoted(text: string): string {
  return oneLine(text).replace(MARKS, (mark) => INNER[mark] ?? mark);
}

/** Recalled text between quotation marks that nothing inside can close. */
export function quote(text: string, language: Language): string {
  const [open, close] = QUOTES[language];
  return open + unquoted(text) + close;
}

/**
 * A speaker's name at the beginning of a line. It is outside the quotation and chosen by the speaker, so it must
 * not open a quotation or look like a heading, a date or a reason.
 */
export function nameTag(name: string): string {
  return snippet(unquoted(name), { maxChars: NAME_CHARS })
    .replaceAll('[', '［')
    .replaceAll(']', '］')
    .replaceAll('→', '＞');
}

// oxlint-disable-next-line no-control-regex
const LINE_BREAK = /\r\n?|[\v\f\u001c-\u001e\u0085\u2028\u2029]/gu;

/** The operator's own text: lines are kept, but none can be mistaken for a heading of the pack. */
export function operatorText(text: string): string {
  return text
    .toWellFormed()
    .replace(LINE_BREAK, '\n')
    .replace(/^([\s\p{Cf}]*)\[(?=[A-Z_]+\])/gmu, '$1［');
}
