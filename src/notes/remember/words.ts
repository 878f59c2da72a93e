/** The words of a statement, to decide whether another statement says the same. */
import { foldName, terms } from '../../text/text.ts';

export interface Words {
  /** Every word, in order. */
  readonly all: readonly string[];
  /** The content words. */
  readonly content: readonly ContentWord[];
  /** The number of negations. */
  readonly negations: number;
  /** Sorted. */
  readonly numbers: readonly string[];
  readonly isPast: boolean;
}

/** A word without its ending. */
export interface ContentWord {
  readonly stem: string;
  /** For a Japanese verb or adjective: the consonant with which its ending begins; null when it is not known. */
  readonly ending: string | null;
}

/** Replaces the many words for liking. */
export const LIKING = '♥';
const LIKES =
  /(?<![a-z])(?:(?:would )?(?:really )?(?:like|love|prefer|enjoy)(?:s|d|ed|red|ences?)?|(?:is|am|are|m) fond of|favou?rites?)(?![a-z])|(?:大)?好(?:き|む|み|ん(?=で|だ))|お気に入り|更?喜欢|喜歡|喜爱|偏好|偏爱/g;
const DISLIKES = /(?<![a-z])(?:dislikes?|hates?|detests?)(?![a-z])|(?:大)?嫌い|苦手|讨厌|討厭/g;

/** Words that only look like a negation. */
const NO_NEGATION = /非常|特别|特別|别人|别的|分别|区别|性别|差不多|不错|不过|不断|未来|未だ|なるべく/g;
const NEGATION =
  /(?<![a-z])(?:not|no|never|without|none|nobody|nothing|neither|nor|cannot|hardly|rarely)(?![a-z])|n't(?![a-z])|ない|なし|なく|なかっ|ません|ずに|せず|[不没沒无無别莫勿非未]/g;
/** Negations after which Chinese words are segmented wrongly. */
const CHINESE_NOT = /[不没沒](?![错断过])/g;
const PAST =
  /(?<![a-z])(?:was|were|had|did|used to|formerly|previously|no longer|any ?more|went|made|got|took|came|saw|knew|gave|told|met|ran|ate|bought|wrote|said|left|became|[a-z]{3,}ed)(?![a-z])|(?:た|だった|でした)(?:よ|ね|が|けど|[。.!\s])*$|曾|以前|从前|(?<=\p{Script=Han})过(?!敏)/u;

/** Function words, and words for speaker, politeness and degree. */
const EMPTY_ENGLISH = new Set(
  (
    'a an the i me my mine myself we us our user users you your it its this that these those and or so of to in on at for is am are be been being ' +
    'do does have has had will would shall should can could may must just really very quite also too please actually what which s m re ve ll d t not no never'
  ).split(' '),
);
const EMPTY_CJK = new Set(
  (
    'は が を に で と も の へ や ね よ な か わ さ ぞ だ です ます ました でした ません た て い る いる います いた いて ある あります あった する し した して しま します しました れる られ せる ' +
    'ので のが のは のを では には とは にも でも けど という こと もの とても すごく 本当に ほんとう ほんと すごい かなり 私 わたし 僕 ぼく 俺 自分 ユーザー ユーザ お ご ない なし なく なかっ なかった ませ ん ず ずに じゃ じゃない ' +
    '的 了 是 我 我们 你 您 们 用户 很 非常 真 真的 特别 也 都 就 呢 吗 吧 啊 呀 着 地 个 不 没 没有 无 別 别'
  ).split(' '),
);

const KANJI_NUMBER = /[〇零一二三四五六七八九十百千万億亿两]+/g;
const NO_NUMBER =
  /一番|一緒|一起|一下|一样|一些|一般|一直|一定|一切|一生|十分|万一|第一|统一|統一|唯一|一部/g;
const ENGLISH_NUMBERS = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, i) => [word, `${i}`]),
);

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

export function readWords(statement: string): Words {
  const folded = foldName(statement).replace(/[’‘]/g, "'");
  const said = folded.replace(NO_NEGATION, ' ');
  const dislikes = said.match(DISLIKES)?.length ?? 0;
  const plain = folded.replace(DISLIKES, LIKING).replace(LIKES, LIKING).replace(CHINESE_NOT, ' ');
  const all = wordsOf(plain);
  return {
    all,
    content: all.flatMap(contentOf),
    negations: dislikes + (said.replace(DISLIKES, LIKING).match(NEGATION)?.length ?? 0),
    numbers: numbersOf(folded),
    isPast: PAST.test(plain),
  };
}

function wordsOf(text: string): string[] {
  return [...segmenter.segment(text)].flatMap(({ segment, isWordLike }) =>
    isWordLike === true || segment === LIKING ? [segment.replace(/'s$/, '')] : [],
  );
}

const KANJI_WORD = /^([\p{Script=Han}々]+)(\p{Script=Hiragana}*)/u;

function contentOf(word: string): ContentWord[] {
  if (word === LIKING) return [{ stem: LIKING, ending: null }];
  if (/^[\d.,:]+$/.test(word) || ENGLISH_NUMBERS.has(word) || word.endsWith("n't")) return [];
  // A remainder of a Japanese verb whose ending was cut off.
  if (/^\p{Script=Hiragana}$/u.test(word)) return [];
  if (word === 'without') return [{ stem: 'with', ending: null }];
  if (/^[a-z]/.test(word)) {
    return EMPTY_ENGLISH.has(word) ? [] : [{ stem: terms(word)[0] ?? word, ending: null }];
  }
  if (EMPTY_CJK.has(word)) return [];
  const [, kanji, kana] = KANJI_WORD.exec(word) ?? [];
  if (kanji === undefined) return [{ stem: word, ending: null }];
  const stem = kanji.replace(NO_NUMBER, (found) => found.replace(/[一十万]/g, '—')).replace(KANJI_NUMBER, '');
  return stem === '' ? [] : [{ stem, ending: rowOf(kana?.[0]) }];
}

/** Kana that share a consonant; っ, ん and い can belong to several. */
const ROWS =
  'かきくけこ がぎぐげご さしすせそ たちつてと なにぬねの ばびぶべぼ まみむめも らりるれろ わうえお'.split(
    ' ',
  );

function rowOf(kana: string | undefined): string | null {
  if (kana === undefined) return null;
  return ROWS.find((row) => row.includes(kana))?.[0] ?? null;
}

function numbersOf(text: string): string[] {
  const digits = text.match(/\d+(?:[.:/-]\d+)*/g) ?? [];
  const kanji = text.replace(NO_NUMBER, ' ').match(KANJI_NUMBER) ?? [];
  const english = (text.match(/[a-z]+/g) ?? []).flatMap((word) => ENGLISH_NUMBERS.get(word) ?? []);
  return [...digits, ...kanji.map(readKanjiNumber), ...english].toSorted();
}

const DIGITS = new Map(Array.from('〇一二三四五六七八九').map((sign, i) => [sign, i]));
const UNITS = new Map([
  ['十', 10],
  ['百', 100],
  ['千', 1_000],
]);

/** Up to thousands; larger numbers are returned as written. */
function readKanjiNumber(signs: string): string {
  const plain = signs.replaceAll('零', '〇').replaceAll('两', '二');
  if (/[万億亿]/.test(plain)) return plain;
  if (!/[十百千]/.test(plain)) return Array.from(plain, (sign) => DIGITS.get(sign)).join('');
  let [sum, digit] = [0, 0];
  for (const sign of plain) {
    const unit = UNITS.get(sign);
    if (unit === undefined) digit = DIGITS.get(sign) ?? 0;
    else [sum, digit] = [sum + (digit || 1) * unit, 0];
  }
  return String(sum + digit);
}

/** Whether two words are forms of the same word (飲む, 飲みます); 生きる and 生まれる are not. */
export function isSameWord(a: ContentWord, b: ContentWord): boolean {
  return a.stem === b.stem && (a.ending === null || b.ending === null || a.ending === b.ending);
}
