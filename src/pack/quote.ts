import { oneLine, snippet, type Language } from '../text/text.ts';

const QUOTES: Readonly<Record<Language, readonly [open: string, close: string]>> = {
  ja: ['「', '」'],
  zh: ['“', '”'],
  en: ['“', '”'],
};

/** Marks inside a quotation that would end it, or look as if they did, and what stands for them. */
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

/** How much of a name is shown, UTF-16 units: a name is no place for a speech. */
const NAME_CHARS = 40;

/** Words on one line that neither open nor close a quotation. */
export function unquoted(text: string): string {
  return oneLine(text).replace(MARKS, (mark) => INNER[mark] ?? mark);
}

/** Recalled words between quotation marks that nothing inside can close. */
export function quote(text: string, language: Language): string {
  const [open, close] = QUOTES[language];
  return open + unquoted(text) + close;
}

/**
 * A name at the head of a line, as its bearer chose it: it stands outside the quotation, so it can neither open one nor
 * begin its line as a heading, a date or a reason does.
 */
export function nameTag(name: string): string {
  return snippet(unquoted(name), { maxChars: NAME_CHARS })
    .replaceAll('[', '［')
    .replaceAll(']', '］')
    .replaceAll('→', '＞');
}

// oxlint-disable-next-line no-control-regex
const LINE_BREAK = /\r\n?|[\v\f\u001c-\u001e\u0085\u2028\u2029]/gu;

/** The operator's own words: lines are kept, but none can be taken for a heading of ours. */
export function ownWords(text: string): string {
  return text
    .toWellFormed()
    .replace(LINE_BREAK, '\n')
    .replace(/^([\s\p{Cf}]*)\[(?=[A-Z_]+\])/gmu, '$1［');
}
