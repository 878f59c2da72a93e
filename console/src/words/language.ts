/** The language of a text: with kana Japanese, with Han characters only Chinese, else the page's. */
export function languageOf(text: string): 'ja' | 'zh' | 'en' {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
}
