import type { SensitiveSpan } from '../../model/model.ts';
import { spanAt } from './apiKeys.ts';
import { isCounted } from './codes.ts';

const NAMES =
  'pass ?words?|p\\/w\\b|(?:network|security|wpa2?|wi-?fi|wireless) (?:security )?key\\b|(?:暗号化?|セキュリティ|ネットワーク|Wi-?Fiの?)キー|(?:door|gate|garage|alarm|keypad|lock|locker|safe|entry) ?code|\\bcode (?:for|to|of) (?:the|my|our) (?:door|gate|garage|alarm|keypad|lock|locker|safe|house|flat|building)|pass ?code|pass[ -]?phrase|passwd|\\bpwd?(?:(?![a-z_])|(?=[\\x21-\\x7e]*[\\d!@#$%&*]))|\\bpass(?= is |: ?|= ?)|\\bPIN(?![a-z])(?: ?(?:code|number)|コード|码)?|パスワード|パスコード|パス(?=は|が|:)|暗証番号|合い?言葉|ロック解除|密码|口令|密碼';
const LINK =
  "(?:(?:[^\\n。.!?：:=、，,はが是为為]{0,24}?(?: (?:is|was|are|would be)(?: (?:now|still|always|just))? |: ?|= ?|は、?|が|で(?=[\\x21-\\x7e])|是|为|為|成|：|' ?s )|(?:’|')s )|(?: (?:from [^\\n.!?]{1,24} )?(?:to|as|with) )| - |[^\\n。.!：:=]{0,16}?[、，,?？] ?(?:[^\\n\\x21-\\x7e]{0,6})|を ?|を、|还是那个|[ 「“\"]|(?=[\\x21-\\x7e]*[\\d!@#$%&*]))";
/** The name, the linking word, and the password: `password is hunter2`, `パスワードは「abc123」`. */
const PASSWORD = new RegExp(
  `(?:${NAMES})${LINK}\\s{0,3}["'「『“‘\`(]?(?!(?:${NAMES})(?![A-Za-z0-9]))([\\x21-\\x7e]{4,64})`,
  'giu',
);
/** `Use hunter2 as the password`, `DB_PASSWORD=…`, `postgres://user:password@host` */
const OTHER_PATTERNS = [
  /\b(?:use|try|enter|type) ([\x21-\x7e]{4,64}) (?:as|for) (?:the|my|our|your) (?:password|passcode|pin)\b/giu,
  /([\x21-\x7e]{4,64}) (?:is|was) (?:(?:still|now|also|always) )?(?:the|my|our|your|his|her|their) (?:[a-z'-]{2,12} ){0,3}(?:password|passcode|pin)\b/giu,
  /([\x21-\x7e]{4,64}) as (?:the|my|our|a|his|her) (?:[a-z]{2,12} ){0,2}password\b/giu,
  /\bunlocks? (?:[a-z]{2,12} ){0,3}with ([\x21-\x7e]{4,64})/giu,
  /\b(?:log-?in|user(?:name)?|account|cred(?:ential)?s)(?: details)?: ?[^\s/|]{2,60} ?[/|] ?([\x21-\x7e]{4,64})/giu,
  /[A-Z_]*(?:PASSWORD|PASSWD|SECRET|PWD)=["']?([^\s"']{4,128})/gu,
  /\b[a-z][a-z0-9+]{1,20}:\/\/[^\s:/@]{1,64}:([^\s@/]{3,128})@[a-z0-9.-]+/giu,
];
/** `I set it to … Remember that password`, `…というパスワード`, `…にした。このパスワード`: only words that nobody would use in a sentence. */
const BEFORE_NAME = [
  /\b(?:set|chang(?:e|ed|ing)|reset|updated?|switched|made|went with|picked|chose|use|used|using)(?: it| that| this)?(?: to| with| as| into)? (?=([\x21-\x7e]{5,64}))\1(?=[^\n]{0,40}\b(?:this|that|the|my|new|as)\b[^\n.!?]{0,12}\b(?:password|passcode|passphrase|pin)\b)/giu,
  /([\x21-\x7e]{5,64})(?:って|という|っていう|が|は)[^\n。、\x21-\x7e]{0,6}(?:パスワード|パスコード|パスフレーズ)/gu,
  /([\x21-\x7e]{5,64})[にで][^\n。\x21-\x7e]{1,12}[。、][^\n。\x21-\x7e]{0,6}[こそ]の(?:パスワード|パスコード|パス(?![ァ-ヶー]))/gu,
];
/** `The vault opens with …`: the word is no product such as Office365. */
const OPENED_WITH = [
  /\b(?:opens?|opened|unlocks?|unlocked) (?:up )?with ([\x21-\x7e]{6,64})/giu,
  /([\x21-\x7e]{6,64})(?:で|と入れると|を入れると|って入れると)(?:開[くいけ]|解除|ログイン)/gu,
];
const NAME_WITH_NUMBER = /^[A-Za-z]+-?\d{1,4}$/u;
/** A PIN may be before its name. */
const PIN_BEFORE = /(?<![\d.:/-])(\d{4,8})(?![\d.:/-])(?=[^\n。]{0,14}(?:暗証番号|パスコード))/gu;
/** A passphrase of several ordinary words, after a colon. */
const PASSPHRASE = /(?:passphrase|パスフレーズ)[^:\n]{0,30}: ?([a-z]+(?:[ -][a-z]+){2,7})(?=[.,;\n]|$)/giu;
/** Four digits alone are a number; after the word PIN they are a PIN. */
const IS_WORD = /^[\p{L}]+$/u;

/** A quick test: each pattern contains one of these. */
const HAS_NAME =
  /pass|pwd?|pin|code|パス|暗証|合言葉|ロック|密码|密碼|口令|SECRET|:\/\/|unlock|log|sign|user|account|wi-?fi|ssid|network|ワイファイ|ログイン|サイン|キー|opens?|で開|入れると|で解除|cred/iu;

export function findPasswords(text: string): SensitiveSpan[] {
  if (!HAS_NAME.test(text)) return [];
  const named = wordsOf(text, [PASSWORD, ...OTHER_PATTERNS, PIN_BEFORE])
    .filter(({ word, from }) => looksLikePassword(word, text.slice(from + word.length)))
    .map(({ word, from }) => spanAt('password', from, word));
  const phrases = [...text.matchAll(PASSPHRASE)].map((match) =>
    spanAt('password', match.index + match[0].length - (match[1] ?? '').length, match[1] ?? ''),
  );
  const strong = [
    ...wordsOf(text, BEFORE_NAME),
    ...wordsOf(text, OPENED_WITH).filter(({ word }) => !NAME_WITH_NUMBER.test(word)),
  ]
    .filter(({ word }) => isStrong(word))
    .map(({ word, from }) => spanAt('password', from, word));
  return [...named, ...phrases, ...strong, ...findFar(text)];
}

/** The words in the first group of the patterns. */
function wordsOf(text: string, patterns: readonly RegExp[]): { word: string; from: number }[] {
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ 0: whole, 1: word = '', index }) => ({
      word: trimmed(word),
      from: index + whole.lastIndexOf(word),
    }));
}

/** After these, some words later, may be a word that nobody would use in a sentence: `the wifi password, BlueKettle55`. */
const FAR_NAMES = [
  /\bpass(?:word|wd|code|phrase)s?\b|\bpwd?(?![a-z])|パスワード|パスコード|パスフレーズ|パス(?![ァ-ヶー])|密码|密碼/giu,
  /(?:wi-?fi|ssid|network|ワイファイ)[^\n。]{0,30}?(?:\bkey\b|\bpass\b|キー|パス| ?\/)/giu,
  /\b(?:log|sign) ?in (?:as \S{1,30} )?(?:with|using)\b|ログイン|サインイン/giu,
];
const FAR = 56;
const SENTENCE_END = /\n|。|[.!] (?=[A-Z])/u;
/** What is said about passwords in general, and the name of the place that has one. */
const IN_GENERAL =
  /\b(?:must|should|at least|contains?|policy|expires?|field|length|manager|reset|characters?)\b|以上|文字|桁|管理|忘れ|長さ|期限|更新|変更は|ID|ユーザー|アカウント/iu;
const BEFORE_PLACE = /\b(?:for|on|at|of|from|in) (?:the |my )?$/iu;
/** Names of units, standards and products. */
const TECHNICAL =
  /^(?:\d+(?:st|nd|rd|th|[kmgt]?b|[kmg]?bps|[kmg]?hz|px|am|pm|x|h|hrs?|min|m?s|[cmk]?m|kg|g|mah|[wvk])|[a-z]{1,3}-?\d{1,4}[a-z]?|sha-?\d+|utf-?\d+|i(?:os|phone|pad)-?\d+|android\d+|wpa\d-\w+|windows\d+|1password|covid-?\d+|base64|argon2|md5|gpt-?[\d.]+\w?|v\d+(?:\.\d+)*|0x[0-9a-f]+|wi-?fi-?\d?|\d+-[a-z]+)$/iu;

function findFar(text: string): SensitiveSpan[] {
  return FAR_NAMES.flatMap((names) =>
    [...text.matchAll(names)].flatMap((name) => {
      const from = name.index + name[0].length;
      const [sentence = ''] = text.slice(from, from + FAR).split(SENTENCE_END);
      for (const found of sentence.matchAll(/[A-Za-z0-9][\x21-\x7e]*/g)) {
        const word = trimmed(found[0]);
        const between = sentence.slice(0, found.index);
        if (!isStrong(word) || BEFORE_PLACE.test(between)) continue;
        return IN_GENERAL.test(between) ? [] : [spanAt('password', from + found.index, word)];
      }
      return [];
    }),
  );
}

/** Letters mixed with digits or signs, and no address, unit or product. */
function isStrong(word: string): boolean {
  if (word.length < 5 || !/[A-Za-z]/.test(word) || TECHNICAL.test(word) || IS_CODE.test(word)) return false;
  if (/^https?:|^www\.|@[\w-]+\.|\.(?:com|org|net|jp|cn|pdf|jpe?g|png|txt|zip|docx?|xlsx?)$/i.test(word))
    return false;
  return (
    /\d/.test(word) ||
    (word.length >= 6 && (/[a-z][!@#$%^&*_+=~]+[a-z\d]/i.test(word) || /^\w+-\w+-\w+/.test(word)))
  );
}

/** Removes what a sentence puts after the word. */
function trimmed(word: string): string {
  return word.replace(/(?:["'`).,?;:」]|\*\*)+$/, '');
}

/** Words of program code: `check_hash(password)`, `user.password_hash`, `type="text"`, `nullable=False` */
const IS_CODE =
  /\w[([]|^[[{<$(]|^\w+=(?:["'\d]|true|false|none|null)|^(?:\w+[._])*(?:hash(?:ed)?|password|passwd|login|valid(?:ate)?|check|verify|user)(?:[._][a-z]+)+$|^(?:[a-z]+[._])+(?:hash|password|passwd|login|input|user)$|<\/?\w/iu;

/** A word that is not ordinary language: with digits, or signs, or capitals inside. */
function looksLikePassword(word: string, after: string): boolean {
  if (word.length < 4 || /^https?:/i.test(word) || IS_CODE.test(word)) return false;
  if (/^\d+$/.test(word)) return word.length <= 12 && !isCounted(after) && !/^(?:19|20)\d\d$/.test(word);
  if (/^\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,2})?$/.test(word)) return false;
  if (/\d/.test(word)) return !/^\d+(?:st|nd|rd|th|s|days?|years?|characters?|chars?)$/i.test(word);
  if (IS_WORD.test(word)) return /[a-z][A-Z]/.test(word);
  return /[!@#$%^&*_+=~]/.test(word) || (word.match(/-/g)?.length ?? 0) >= 2;
}
