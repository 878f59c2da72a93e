/** Which language a text is set in: kana are Japanese, Han characters without any Chinese, all else is left to the page. */
export function languageOf(text: string): 'ja' | 'zh' | 'en' {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
}
