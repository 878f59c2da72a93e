import type { Language } from '../text/text.ts';

const QUOTES: Readonly<Record<Language, readonly [open: string, close: string]>> = {
  ja: ['「', '」'],
  zh: ['“', '”'],
  en: ['“', '”'],
};

/** Marks inside a quotation that would end it, and what stands for them. */
const INNER: Readonly<Record<string, string>> = { '「': '『', '」': '』', '“': '‘', '”': '’', '"': "'" };

// Controls, line and paragraph separators, and the marks that turn the direction of writing: nothing that is quoted
// may begin a line of its own or rearrange what stands around it.
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** Recalled words on one line: data, not layout. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(UNSAFE, ' ').trim();
}

/** Recalled words between quotation marks that nothing inside can close. */
export function quote(text: string, language: Language): string {
  const [open, close] = QUOTES[language];
  return open + oneLine(text).replace(/[「」“”"]/gu, (mark) => INNER[mark] ?? mark) + close;
}

/** The operator's own words: lines are kept, but none can be taken for a heading of ours. */
export function ownWords(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085\v\f]/gu, '\n')
    .replace(/^(\s*)\[(?=[A-Z_]+\])/gmu, '$1［');
}
