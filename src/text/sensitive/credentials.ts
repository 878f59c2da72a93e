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
  /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/g,
  /\b(?:lin_api|gsk|ntn|figd|dckr_pat|xai|r8|vercel|nvapi|pplx)[_-][A-Za-z0-9_-]{20,200}/g,
  /\bops_eyJ[A-Za-z0-9_-]{200,2000}/g,
  /\bLTAI[A-Za-z0-9]{12,30}\b/g,
  /(?<![\dA-Za-z])\d{8,10}:AA[A-Za-z0-9_-]{32,33}(?![A-Za-z0-9_-])/g,
  /https:\/\/(?:ptb\.|canary\.)?discord(?:app)?\.com\/api\/webhooks\/\d{10,25}\/[A-Za-z0-9_-]{20,120}/g,
  /\bey[A-Za-z0-9_-]{15,2000}\.ey[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g,
  /-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY-----/g,
  /https:\/\/hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,120}/g,
];

/** The name of a key, and after it a word of many letters and digits. */
const NAMED_KEY =
  /(?:api[ _-]?(?:key|token|キー|密钥)|(?:access|secret|private|auth|client)[ _-]?(?:access[ _-]?)?(?:key|secret|token)|app[ _-]?secret|accesskey|(?:シークレット|アクセス|秘密)(?:アクセス)?キー|シークレット|(?:アクセス|api)?トークン|(?:访问|私有|api)(?:访问)?密钥|密钥|令牌|\btoken\b|bearer)[^\n。!?]{0,24}?(?<![A-Za-z0-9_/+=-])([A-Za-z0-9_/+=-]{24,200})(?![A-Za-z0-9_/+=-])/giu;

export function findKeys(text: string): SensitiveSpan[] {
  const known = KEYS.flatMap((pattern) => [...text.matchAll(pattern)]).map((match) => match);
  const named = [...text.matchAll(NAMED_KEY)].filter(([, word = '']) => isRandom(word));
  return [
    ...known.map((match) => spanAt('apiKey', match.index, match[0])),
    ...named.map((match) =>
      spanAt('apiKey', match.index + match[0].length - (match[1] ?? '').length, match[1] ?? ''),
    ),
  ];
}

function spanAt(kind: SensitiveSpan['kind'], from: number, word: string): SensitiveSpan {
  return { kind, from, to: from + word.length };
}

/** Letters and digits mixed, as no word or name has them. */
function isRandom(word: string): boolean {
  return (
    /[A-Za-z]/.test(word) &&
    (word.match(/\d/g)?.length ?? 0) >= 3 &&
    !/^[a-z]+(?:[-_][a-z0-9]+)*$/.test(word.replace(/^[0-9a-f]{32,}$/, 'A'))
  );
}

const NAMES =
  'passwords?|(?:door|gate|garage|alarm|keypad|lock|locker|safe|entry) ?code|\\bcode (?:for|to|of) (?:the|my|our) (?:door|gate|garage|alarm|keypad|lock|locker|safe|house|flat|building)|pass ?code|passphrase|passwd|\\bpwd?|\\bpass(?= is |: ?|= ?)|\\bPIN(?: ?(?:code|number)|コード|码)?|パスワード|パスコード|パス(?=は|が|：)|暗証番号|合言葉|ロック解除|密码|口令|密碼';
const LINK =
  "(?:(?:[^\\n。.!?：:=、，,はが是为為]{0,24}?(?: (?:is|was|are|would be)(?: (?:now|still|always|just))? |: ?|= ?|は、?|が|是|为|為|成|：|' ?s )|(?:’|')s )|(?: (?:from [^\\n.!?]{1,24} )?(?:to|as|with) )| - |[^\\n。.!：:=]{0,16}?[、，,?？] ?(?:[^\\n\\x21-\\x7e]{0,6})|を ?|を、|还是那个|[ 「“\"]|(?=[\\x21-\\x7e]))";
/** The name, the linking word, and the password: `password is hunter2`, `パスワードは「abc123」`. */
const PASSWORD = new RegExp(
  `(?:${NAMES})${LINK}\\s{0,3}["'「『“‘\`(]?(?!(?:${NAMES})(?![A-Za-z0-9]))([\\x21-\\x7e]{4,64})`,
  'giu',
);
/** `Use hunter2 as the password`, `DB_PASSWORD=…`, `postgres://user:password@host` */
const OTHER_PATTERNS = [
  /\b(?:use|try|enter|type) ([\x21-\x7e]{4,64}) (?:as|for) (?:the|my|our|your) (?:password|passcode|pin)\b/giu,
  /([\x21-\x7e]{4,64}) (?:is|was) (?:the|my|our|your|his|her) (?:[a-z]{2,12} ){0,2}(?:password|passcode|pin)\b/giu,
  /\bunlocks? (?:[a-z]{2,12} ){1,3}with ([\x21-\x7e]{4,64})/giu,
  /\b(?:log-?in|user(?:name)?|account)(?: details)?: ?[^\s/|]{2,60} ?[/|] ?([\x21-\x7e]{4,64})/giu,
  /[A-Z_]*(?:PASSWORD|PASSWD|SECRET|PWD)=["']?([^\s"']{4,128})/gu,
  /\b[a-z][a-z0-9+]{1,20}:\/\/[^\s:/@]{1,64}:([^\s@/]{3,128})@[a-z0-9.-]+/giu,
];
/** A PIN may be before its name. */
const PIN_BEFORE = /(?<![\d.:/-])(\d{4,8})(?![\d.:/-])(?=[^\n。]{0,14}(?:暗証番号|パスコード))/gu;
/** Four digits alone are a number; after the word PIN they are a PIN. */
const IS_WORD = /^[\p{L}]+$/u;

export function findPasswords(text: string): SensitiveSpan[] {
  return [PASSWORD, ...OTHER_PATTERNS, PIN_BEFORE].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const word = trimmed(match[1] ?? '');
      if (
        !looksLikePassword(word, text.slice(match.index + match[0].lastIndexOf(match[1] ?? '') + word.length))
      )
        return [];
      return [spanAt('password', match.index + match[0].lastIndexOf(match[1] ?? ''), word)];
    }),
  );
}

/** Removes what a sentence puts after the word. */
function trimmed(word: string): string {
  return word.replace(/["'`).,?;:」]+$/, '');
}

/** What follows numbers that are counted, or are a date. */
const COUNTED =
  /^ ?(?:年|月|日|时|時|分|回|文字|桁|個|个|枚|块|元|円|人|位|次|小时|時間|characters?|chars?|digits?|days?|hours?|minutes?|times|points?|dollars?|pounds?|euros?|met(?:re|er)s?|feet|ft|k?m|miles?|lines?|%)(?![a-z])/iu;

/** A word that is not ordinary language: with digits, or signs, or capitals inside. */
function looksLikePassword(word: string, after: string): boolean {
  if (word.length < 4 || /^https?:/i.test(word)) return false;
  if (/^\d+$/.test(word)) return word.length <= 12 && !COUNTED.test(after) && !/^(?:19|20)\d\d$/.test(word);
  if (/^\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,2})?$/.test(word)) return false;
  if (/\d/.test(word)) return !/^\d+(?:st|nd|rd|th|s|days?|years?|characters?|chars?)$/i.test(word);
  if (IS_WORD.test(word)) return /[a-z][A-Z]/.test(word);
  return /[!@#$%^&*_+=~]/.test(word) || (word.match(/-/g)?.length ?? 0) >= 2;
}
