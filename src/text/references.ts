/** References of an utterance to what was said before, found and resolved by rules, without a model. */
import { isFunctionCode, isStopWord } from './stopwords.ts';

/**
 * - `anaphora`: a word that replaces another (she, that one, それ, 那个).
 * - `temporal`: a time known only to the speakers (last time, この前, 上次).
 * - `topic`: something talked about before (the one we discussed, 例の件, 上次说的).
 * - `ellipsis`: something left out: an answer, a bare predicate, a question without its subject (もう食べた？, 为什么呢？, And
 *   then?).
 */
export type ReferenceKind = 'anaphora' | 'temporal' | 'ellipsis' | 'topic';

/** One reference in an utterance. */
export interface Reference {
  readonly kind: ReferenceKind;
  /** The words that refer; for an ellipsis, the incomplete clause. */
  readonly surface: string;
  /** The words of the recent lines that are meant; null when the lines do not say. */
  readonly resolved: string | null;
}

/** A line of the conversation just before the utterance. */
export interface RecentLine {
  readonly speaker: string;
  readonly text: string;
}

/** What kind of thing a reference can mean; its antecedent is looked for by this. */
type ReferentKind = 'person' | 'place' | 'thing' | 'time';

interface Language {
  /** Words that refer. The group `head`, if it matches, is the noun referred to: the 旅行 of あの旅行. */
  readonly references: {
    readonly anaphora: Readonly<Record<'person' | 'place' | 'thing', readonly RegExp[]>>;
    readonly temporal: readonly RegExp[];
    readonly topic: readonly RegExp[];
  };
  readonly isElliptic: (clause: string) => boolean;
  readonly nouns: (text: string) => string[];
  readonly person: RegExp;
  readonly place: RegExp;
  readonly time: RegExp;
}

/** The antecedent of a word such as "that" is looked for in this many last lines only. */
const LINES_LOOKED_AT = 6;
const MAX_ELLIPSIS_LENGTH = 40;

/**
 * The references of an utterance in Japanese, Chinese or English, in order, an ellipsis last.
 * @param recent the lines before it, oldest first, without the utterance itself
 */
export function findReferences(utterance: string, recent: readonly RecentLine[]): Reference[] {
  const language = languageOf(utterance);
  const lines = recent
    .slice(-LINES_LOOKED_AT)
    .map((line) => line.text)
    .reverse();
  const { anaphora, temporal, topic } = language.references;
  const matches = (kind: ReferenceKind, referent: ReferentKind, patterns: readonly RegExp[]): Match[] =>
    patterns
      .flatMap((pattern) => [...utterance.matchAll(pattern)])
      .map(({ 0: words, index: at, groups }) => ({
        kind,
        referent,
        at,
        surface: words.trim(),
        head: groups?.head ?? null,
      }));
  const found = [
    ...matches('anaphora', 'person', anaphora.person),
    ...matches('anaphora', 'place', anaphora.place),
    ...matches('anaphora', 'thing', anaphora.thing),
    ...matches('temporal', 'time', temporal),
    ...matches('topic', 'thing', topic),
  ];
  const resolve = resolver(lines);
  const references = withoutOverlaps(found, utterance.length).map(({ kind, referent, surface, head }) => ({
    kind,
    surface,
    resolved: resolve(referent, head),
  }));
  const elliptic = ellipsisIn(utterance, language);
  if (elliptic === null) return references;
  return [...references, { kind: 'ellipsis', surface: elliptic, resolved: resolve('thing', null) }];
}

interface Match {
  readonly kind: ReferenceKind;
  readonly referent: ReferentKind;
  readonly at: number;
  readonly surface: string;
  readonly head: string | null;
}

/** Keeps the longest of overlapping matches: "that one" and not "that". */
function withoutOverlaps(matches: Match[], length: number): Match[] {
  const longestFirst = matches.toSorted((a, b) => b.surface.length - a.surface.length || a.at - b.at);
  const isTaken = new Uint8Array(length);
  const kept = longestFirst.filter(({ at, surface }) => {
    const end = at + surface.length;
    // What was kept is at least as long, so it covers one of the ends if it overlaps.
    if (isTaken[at] || isTaken[end - 1]) return false;
    isTaken.fill(1, at, end);
    return true;
  });
  return kept.toSorted((a, b) => a.at - b.at);
}

/** The last clause, if it is short and incomplete. */
function ellipsisIn(utterance: string, language: Language): string | null {
  const clauses = utterance.split(/[。．.!！?？\n]+/u).map((clause) => clause.trim());
  const short = clauses.filter((clause) => clause !== '' && clause.length <= MAX_ELLIPSIS_LENGTH);
  return short.find((clause) => language.isElliptic(clause)) ?? null;
}

type Resolve = (referent: ReferentKind, head: string | null) => string | null;

/** Resolves each kind of reference once: an utterance can consist of thousands. */
function resolver(linesNewestFirst: readonly string[]): Resolve {
  const known = new Map<string, string | null>();
  return (referent, head) => {
    const key = `${referent} ${head ?? ''}`;
    const resolved = known.get(key);
    if (resolved !== undefined) return resolved;
    const found = resolve(referent, head, linesNewestFirst);
    known.set(key, found);
    return found;
  };
}

/** The antecedent: the last mention of the head noun, or else the last person, place, time or noun mentioned. */
function resolve(
  referent: ReferentKind,
  head: string | null,
  linesNewestFirst: readonly string[],
): string | null {
  for (const line of linesNewestFirst) {
    const antecedent = head === null ? antecedentIn(line, referent) : nounWith(head, line);
    if (antecedent !== null) return antecedent;
  }
  return null;
}

function antecedentIn(line: string, referent: ReferentKind): string | null {
  const language = languageOf(line);
  if (referent === 'thing') return language.nouns(line).at(-1) ?? null;
  return line.match(language[referent])?.at(-1)?.trim() ?? null;
}

function nounWith(head: string, line: string): string | null {
  const nouns = languageOf(line).nouns(line);
  return (
    nouns.findLast((noun) => noun.toLowerCase().includes(head.toLowerCase())) ??
    (line.includes(head) ? head : null)
  );
}

const QUOTED = /[「『《“"]([^」』》”"]{2,40})[」』》”"]/gu;

function quotedOr(text: string, nouns: readonly string[]): string[] {
  const quoted = [...text.matchAll(QUOTED)].map((match) => match[1] ?? '');
  return quoted.length > 0 ? quoted : [...nouns];
}

function languageOf(text: string): Language {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return JAPANESE;
  return /\p{Script=Han}/u.test(text) ? CHINESE : ENGLISH;
}

const JAPANESE: Language = {
  references: {
    anaphora: {
      person: [
        /彼女|(?<!\p{Script=Han})彼(?:ら)?(?!\p{Script=Han})|[こそあ]の(?:人|方|子|ひと|かた|こ)(?:たち)?|あいつ|そいつ/gu,
      ],
      place: [/(?<![\p{Script=Hiragana}])(?:あそこ|そこ|ここ|あちら|あっち|そっち)/gu],
      thing: [
        /(?<![\p{Script=Hiragana}])(?:あれ(?!ば)|それ(?!で(?:は|も)|とも|から|に(?!つ)|なら|じゃ|ぞれ)|これ(?!から|まで))(?:ら)?/gu,
        /(?:あの|その|あんな|そんな|例の)(?<head>[\p{Script=Han}\p{Script=Katakana}ー]{2,})/gu,
      ],
    },
    temporal: [
      /この(?:前|間|あいだ|まえ)|こないだ|先日|前回|(?:あの|その)(?:時|とき|頃|ころ|日|夜)|さっき|先ほど|以前|前に/gu,
    ],
    topic: [
      /例の(?:件|話|やつ|あれ)?|[あそこ]の(?:話|件|こと|続き)|(?:さっき|この前|前に|先日)(?:話|言|聞)[いしっ][^、。]{0,4}|続き/gu,
    ],
  },
  isElliptic: (clause) =>
    /^(?:うん|はい|ええ|いや|いいえ|そう(?:だ|です|か|なん|、|$)|たしかに|確かに|なるほど|もちろん|だよね|ですね)/u.test(
      clause,
    ) ||
    (!/[はが]|も(?!う)/u.test(clause) &&
      /(?:た|る|い|よ|ね|な|の|か|う|た[?？]?)$/u.test(clause) &&
      clause.length <= 12),
  nouns: (text) =>
    quotedOr(
      text,
      text.match(
        /[\p{Script=Han}\p{Script=Katakana}ー々]{2,}(?:の[\p{Script=Han}\p{Script=Katakana}ー々]{2,})?/gu,
      ) ?? [],
    ),
  person:
    /[\p{Script=Han}\p{Script=Katakana}ー]{1,8}(?:さん|くん|君|ちゃん|先生|先輩|課長|部長)|お?(?:母|父|姉|兄|祖母|祖父|婆|爺)さん|妹|弟|友達|彼氏/gu,
  place:
    /[\p{Script=Han}\p{Script=Katakana}ー]{2,}(?=[にへで](?:行|旅|住|泊|着|遊|ある|あった|い))|[\p{Script=Han}\p{Script=Katakana}ー]+(?:駅|店|県|市|町|島|山|館|園|寺)/gu,
  time: /\d+月\d+日|\d+月|\d+日|(?:先|今|来)(?:週|月|年)(?:の\p{Script=Han}曜日?)?|昨日|一昨日|去年|今日|\p{Script=Han}曜日?/gu,
};

const CHINESE: Language = {
  references: {
    anaphora: {
      person: [/[他她](?:们|們)?(?!人)|那(?:个|位)(?:人|男的|女的)/gu],
      place: [/[那这](?:里|儿|裡|兒|边|邊)/gu],
      thing: [
        /它(?:们|們)?|[那这](?:个|個|些|样|樣|种|種)?(?=$|[，。！？,.!?是也就真很怎会不都吗呢吧])/gu,
        /[那这](?:个|個|次|场|場|家|本|部|件|张|張|位|条|條|只|首)(?<head>[\p{Script=Han}]{2})/gu,
      ],
    },
    temporal: [/上次|上回|那(?:天|次|时候?|時候?|晚|年)|之前|以前|刚才|剛才|前几天|前幾天|当时|當時/gu],
    topic: [
      /(?:上次|上回|之前|刚才|剛才|以前)(?:说|聊|提|講|讲|談|谈)(?:的|过的?|到的?)?|那件事|这件事|[那这]个?(?:话题|問題|问题|事)|继续|繼續/gu,
    ],
  },
  isElliptic: (clause) =>
    /^(?:嗯|对|對|是的|是啊|好的?|没有?|不是|当然|當然|真的|哈哈|哦|可以|没错|沒錯|行)(?:$|[，,啊呀吧的呢嘛、])/u.test(
      clause,
    ) ||
    /^(?:为什么|為什麼|怎么样?|怎麼樣?|然后|然後|后来|後來|还有|還有|结果|結果)呢?$/u.test(clause) ||
    (clause.length <= 10 && !/[我你您他她它们这那谁]/u.test(clause) && /[了过過吗呢吧]$/u.test(clause)),
  nouns: (text) => quotedOr(text, chineseChunks(text)),
  person:
    /(?:[\p{Script=Han}]{2,3}|[老小阿][\p{Script=Han}])(?=说|告诉|问|觉得|跟我|和我|说过)|妈妈|爸爸|奶奶|爷爷|姐姐|哥哥|妹妹|弟弟|老师|老板|表[哥姐弟妹]|[小老阿][\p{Script=Han}](?![\p{Script=Han}]{3})|\b[A-Z][a-z]+\b/gu,
  place:
    /(?<=[去在到回])[\p{Script=Han}]{2,6}?(?=$|[，。！？,.!?看玩吃住过了的])|[\p{Script=Han}]{1,4}(?:店|馆|館|园|園|山|站|城|市|公司|学校|學校)/gu,
  time: /\d+月\d+[日号]|\d+月|[上这下][个個]?(?:周|週|星期|月)[一二三四五六日天末]?|昨天|前天|去年|今天|周[一二三四五六日末]/gu,
};

/** Text between function characters, as a coarse approximation of words. */
function chineseChunks(text: string): string[] {
  const chunks: string[] = [];
  for (const [run] of text.matchAll(/\p{Script=Han}+/gu)) {
    let chunk = '';
    for (const character of `${run}的`) {
      if (!isFunctionCode(character.charCodeAt(0))) chunk += character;
      else {
        if (chunk.length >= 2) chunks.push(chunk);
        chunk = '';
      }
    }
  }
  return chunks;
}

/** After these words `that` begins a clause; before them it refers to nothing. */
const CLAUSE_VERB =
  '(?:think|thought|know|knew|say|said|says|hope|believe|feel|felt|guess|so|sure|glad|happy|told|mean|means|find|found)';

const ENGLISH: Language = {
  references: {
    anaphora: {
      person: [/\b(?:he|she|him|her|hers|his|they|them|their|theirs)\b/gi],
      place: [/\b(?:been|go|going|went|back|over|live|lived|stay|stayed|get|got) there\b/gi],
      thing: [
        /\b(?:that|this|the other|those|these) ones?\b|\b(?:the )?same (?:one|thing)\b/gi,
        /\b(?<=(?:about|of|for|like|with|after|from|to|at|by|on) )(?:it|that|this|those|these)\b(?! [a-z])/gi,
        /\b(?<=(?:do|did|try|tried|remember|love|loved|want|saw|see|know|mean|forget|need|enjoy|enjoyed|finish|finished|bought|buy) )(?:it|that|this|those|these)\b/gi,
        /(?<=^|[.!?,;]\s*)(?:it|that|this|those|these)(?='s| was| is| were| sounds?| looks?| would| will| has| had)\b/gi,
        new RegExp(
          `(?<!\\b${CLAUSE_VERB} )\\b(?:that|those) (?!(?:is|was|were|are|one|ones)\\b)(?<head>[a-z]{3,})\\b`,
          'gi',
        ),
      ],
    },
    temporal: [
      /\b(?:last time|the other (?:day|night|week)|earlier|previously|back then|that (?:day|night|time|weekend|summer|year)|just now|a while (?:ago|back))\b/gi,
    ],
    topic: [
      /\b(?:as|like|what|that|the \w+) (?:we|i|you) (?:just )?(?:said|mentioned|discussed|talked about|told you(?: about)?)\b/gi,
      /\b(?:we were talking about|speaking of which|back to (?:that|it|what)|about that)\b/gi,
    ],
  },
  isElliptic: (clause) =>
    /^(?:yes|yeah|yep|no|nope|sure|exactly|right|true|okay|ok|of course|definitely|absolutely|haha|me too|same here|sounds)\b/i.test(
      clause,
    ) ||
    /^(?:and|but|so) (?:then|what|how|why|when|where|who)\b.{0,12}$/i.test(clause) ||
    /^(?:why|how come|when|where|who|what|how|which one|really|what about .{1,20}|how about .{1,20}|why not|what else)$/i.test(
      clause,
    ) ||
    /^(?:loved|liked|tried|went|did|got|saw|finished|forgot|missed|want|need)\b/i.test(clause),
  nouns: (text) => quotedOr(text, englishNouns(text)),
  person:
    /(?<=[a-z,] )[A-Z][a-z]+\b|\b(?:my|his|her|our) (?:mom|mother|dad|father|sister|brother|wife|husband|boss|friend|son|daughter|partner|girlfriend|boyfriend|grandma|grandpa|aunt|uncle|cousin|teacher)\b/g,
  place:
    /(?<=\b(?:to|in|at|from|near) (?:the )?)[A-Z][a-z]+(?: [A-Z][a-z]+)*|(?<=\b(?:to|in|at) (?:the|a) )[a-z]+/g,
  time: /\b(?:yesterday|today|last (?:night|week|weekend|month|year|summer|winter|spring|fall|\w+day)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2} [A-Z][a-z]+|[A-Z][a-z]+ \d{1,2})\b/g,
};

/** Nouns as far as position shows: words after a determiner, and names inside a sentence. */
function englishNouns(text: string): string[] {
  const phrase =
    /\b(?:an?|the|my|our|your|his|her|their|this|that|some|new) ((?:[a-z'-]+ ){0,2}[a-z'-]+)|(?<=[a-z,] )([A-Z][\w']+(?: [A-Z][\w']+)*)/g;
  return [...text.matchAll(phrase)]
    .map((match) => match[2] ?? upToStopWord(match[1] ?? ''))
    .filter((noun) => noun !== '');
}

function upToStopWord(words: string): string {
  const kept: string[] = [];
  for (const word of words.split(' ')) {
    if (isStopWord(word)) break;
    kept.push(word);
  }
  return kept.join(' ');
}
