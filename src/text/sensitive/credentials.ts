import type { SensitiveSpan } from '../../model/model.ts';

/** Keys with a recognisable format; the patterns are those that secret scanners use. */
const KEYS = [
  /\bsk-(?:proj-|ant-[a-z0-9]{3,10}-|or-v1-)?[A-Za-z0-9_-]{20,200}/g,
  /\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,120}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g,
  /\bglpat-[A-Za-z0-9_-]{20,64}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,250}/g,
  /\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bhf_[A-Za-z0-9]{30,60}\b/g,
  /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/g,
  /\bpypi-[A-Za-z0-9_-]{50,250}/g,
  /\bdop_v1_[a-f0-9]{64}\b/g,
  /\bey[A-Za-z0-9_-]{15,2000}\.ey[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g,
  /-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY-----/g,
  /https:\/\/hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,120}/g,
];

export function findKeys(text: string): SensitiveSpan[] {
  return KEYS.flatMap((pattern) => [...text.matchAll(pattern)]).map((match) => ({
    kind: 'apiKey',
    from: match.index,
    to: match.index + match[0].length,
  }));
}

const NAMES =
  'passwords?|pass ?code|passphrase|passwd|pwd|\\bPIN(?: ?(?:code|number))?|パスワード|パスコード|暗証番号|合言葉|密码|口令|密碼';
/** The name, the linking word, and the password: `password is hunter2`, `パスワードは「abc123」`. */
const PASSWORD = new RegExp(
  `(?:${NAMES})[^\\n。.!?：:=はが是为為]{0,24}?(?: is | was | are |: ?|= ?|は、?|が|是|为|為|：)\\s{0,3}["'「『“‘\`(]?([^\\s"'」』”’\`,、。()]{4,64})`,
  'giu',
);
/** Four digits alone are a number; after the word PIN they are a PIN. */
const IS_WORD = /^[\p{L}]+$/u;

export function findPasswords(text: string): SensitiveSpan[] {
  return [...text.matchAll(PASSWORD)].flatMap((match) => {
    const word = trimmed(match[1] ?? '');
    if (!looksChosen(word)) return [];
    const from = match.index + match[0].lastIndexOf(match[1] ?? '');
    return [{ kind: 'password' as const, from, to: from + word.length }];
  });
}

/** Removes what a sentence puts after the word. */
function trimmed(word: string): string {
  return (/^[\x21-\x7e]+/.exec(word)?.[0] ?? '').replace(/[.?;:]+$/, '');
}

/** A word that is not ordinary language: with digits, or signs, or capitals inside. */
function looksChosen(word: string): boolean {
  if (word.length < 4 || /^https?:/i.test(word)) return false;
  if (/^\d+$/.test(word)) return word.length <= 12;
  if (/\d/.test(word)) return !/^\d+(?:st|nd|rd|th|s|days?|years?|characters?|chars?)$/i.test(word);
  if (IS_WORD.test(word)) return /[a-z][A-Z]/.test(word);
  return /[!@#$%^&*_+=~]/.test(word) || (word.match(/-/g)?.length ?? 0) >= 2;
}
