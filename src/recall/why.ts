import { localDate, type Instant, type Unit } from '../model/model.ts';
import { snippet, type Language } from '../text/text.ts';
import type { Contribution, FeatureName } from './types.ts';

/** A contribution below this share of the total is not given as a reason. */
const MIN_SHARE = 0.15;
const MAX_REASONS = 2;
const MAX_WORDS = 3;
/** Maximum length of a displayed name or title, in UTF-16 units. */
const NAME_CHARS = 40;

/** The reason that each feature gives; several features may give the same reason. */
const REASON_OF: Readonly<Record<FeatureName, Reason>> = {
  words: 'words',
  covered: 'words',
  answer: 'words',
  keyword: 'words',
  lexical: 'words',
  exchange: 'words',
  semantic: 'meaning',
  vector: 'meaning',
  cosine: 'meaning',
  rrf: 'ranks',
  nearbyCosine: 'around',
  previousCosine: 'around',
  nextCosine: 'around',
  conversationCover: 'conversation',
  sameConversation: 'conversation',
  speaker: 'speaker',
  assistantAsked: 'answered',
  date: 'time',
  timeMatch: 'time',
  when: 'when',
  newer: 'newest',
  older: 'before',
  continued: 'continued',
  recency: 'recent',
  reinforcement: 'repeated',
  access: 'recalled',
  reactivation: 'recalled',
  topicStrength: 'important',
  emotion: 'feeling',
  pinned: 'pinned',
  direct: 'direct',
  lastConversation: 'lastConversation',
  surrounding: 'surrounding',
  referent: 'referent',
};

/** Features whose reason is only true from this value on: less is only near the time in question, or not recent. */
const LEAST_VALUES: Readonly<Record<string, number>> = { date: 0.5, continued: 0.6 };

type Reason =
  | 'words'
  | 'meaning'
  | 'ranks'
  | 'around'
  | 'conversation'
  | 'speaker'
  | 'answered'
  | 'time'
  | 'when'
  | 'newest'
  | 'before'
  | 'continued'
  | 'recent'
  | 'repeated'
  | 'recalled'
  | 'important'
  | 'feeling'
  | 'pinned'
  | 'direct'
  | 'lastConversation'
  | 'surrounding'
  | 'referent';

const PHRASES: Readonly<Record<Language, Readonly<Record<Reason | 'comfort' | 'weak', string>>>> = {
  en: {
    words: 'similar words',
    meaning: 'close in meaning',
    ranks: 'close in words and in meaning',
    around: 'the conversation around it is related',
    conversation: 'that conversation was about this',
    speaker: 'said by the person you name',
    answered: 'said in reply to you',
    time: 'from the time you ask about',
    when: 'it says when',
    newest: 'the latest on this',
    before: 'how it was before',
    continued: 'from a recent conversation',
    recent: 'recent',
    repeated: 'said more than once',
    recalled: 'often recalled',
    important: 'part of an important topic',
    feeling: 'the same feeling',
    pinned: 'pinned',
    direct: 'exactly what you ask for',
    lastConversation: 'from your last conversation',
    surrounding: 'part of the same topic',
    referent: 'possibly what you mean',
    comfort: 'a good or comforting memory',
    weak: 'only loosely related',
  },
  ja: {
    words: '言葉が似ている',
    meaning: '意味が近い',
    ranks: '言葉も意味も近い',
    around: '前後の会話が関係している',
    conversation: '同じことを話していた会話',
    speaker: '名前の出た人の発言',
    answered: 'あなたへの返事',
    time: '質問の時期のこと',
    when: '時期に触れている',
    newest: 'いちばん新しい話',
    before: '以前のこと',
    continued: '最近の会話',
    recent: '最近のこと',
    repeated: '何度か話している',
    recalled: 'よく思い出している',
    important: '大切な話題の一部',
    feeling: '気持ちが似ている',
    pinned: 'ピン留めされている',
    direct: '質問の内容そのもの',
    lastConversation: '前回の会話から',
    surrounding: '同じ話題の話',
    referent: 'これを指しているかもしれない',
    comfort: '心が安らぐ思い出',
    weak: '関連が弱い',
  },
  zh: {
    words: '用词相近',
    meaning: '意思相近',
    ranks: '用词和意思都相近',
    around: '前后的对话相关',
    conversation: '那次对话谈的就是这个',
    speaker: '是你提到的人说的',
    answered: '是给你的回答',
    time: '是你问的那个时候的事',
    when: '提到了时间',
    newest: '是最新的情况',
    before: '是以前的情况',
    continued: '是最近的会话',
    recent: '是最近的事',
    repeated: '说过不止一次',
    recalled: '常常想起',
    important: '属于重要的话题',
    feeling: '心情相似',
    pinned: '已置顶',
    direct: '正是你问的内容',
    lastConversation: '是上次对话的内容',
    surrounding: '属于同一个话题',
    referent: '可能说的就是这件事',
    comfort: '是美好或令人安慰的回忆',
    weak: '关联较弱',
  },
};

export interface WhyOptions {
  readonly language: Language;
  /** The time zone of the named day. */
  readonly timeZone: string;
  /** Days in the year of `now` are shown without the year. */
  readonly now?: Instant;
  /** The title of its topic. */
  readonly topic?: string | null;
  /** The words that the utterance and the unit share, as the utterance writes them. */
  readonly words?: readonly string[];
  /** Whether `emotion` means comfort. */
  readonly comforts?: boolean;
  /** The reason of a model that chose it; if present, it is the one given. */
  readonly modelReason?: string | null;
}

/** One line that says why a unit was recalled: when, in which conversation, and the strongest reasons. */
export function whySentence(unit: Unit, contributions: readonly Contribution[], options: WhyOptions): string {
  const { language, modelReason = null } = options;
  const reasons =
    modelReason === null ? strongestReasons(contributions, options) : [modelReason.replace(/[.。．]+$/u, '')];
  const told = reasons.length > 0 ? reasons : [PHRASES[language].weak];
  const head = `${dayOf(unit.occurredAt, options)}${aboutOf(unit, options)}`;
  switch (language) {
    case 'ja':
      return `${head}。${told.join('、')}。`;
    case 'zh':
      return `${head}。${told.join('，')}。`;
    case 'en':
      return `${head}: ${told.join(', ')}.`;
  }
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

function dayOf(at: Instant, { language, timeZone, now }: WhyOptions): string {
  const [year = '', month, day] = localDate(at, timeZone).split('-');
  const isThisYear = now !== undefined && localDate(now, timeZone).startsWith(`${year}-`);
  if (language === 'en')
    return `${Number(day)} ${MONTHS[Number(month) - 1] ?? ''}${isThisYear ? '' : ` ${year}`}`;
  return `${isThisYear ? '' : `${year}年`}${Number(month)}月${Number(day)}日`;
}

/** Names of the user and the companion are not given as reasons. */
const OWN_SPEAKERS = new Set(['user', 'ai', 'assistant']);

function aboutOf(unit: Unit, { language, topic }: WhyOptions): string {
  if (topic) {
    const title = snippet(topic, { maxChars: NAME_CHARS });
    return { ja: `、${title}の話`, zh: `，关于${title}`, en: `, about ${title}` }[language];
  }
  if (unit.kind !== 'episode' || OWN_SPEAKERS.has(unit.payload.speaker)) return '';
  const name = snippet(unit.payload.speaker, { maxChars: NAME_CHARS });
  return { ja: `、${name}の発言`, zh: `，${name}说的`, en: `, ${name}` }[language];
}

/** The strongest reasons as phrases, without duplicates. */
export function strongestReasons(
  contributions: readonly Contribution[],
  { language, comforts = false, words }: Pick<WhyOptions, 'language' | 'comforts' | 'words'>,
): string[] {
  const sums = new Map<Reason, number>();
  for (const { feature, value, contribution } of contributions) {
    if (value < (LEAST_VALUES[feature] ?? -Infinity)) continue;
    const known = REASON_OF[feature];
    // A unit that shares no word with the utterance has neighbours that do.
    const reason = known === 'words' && words?.length === 0 ? 'around' : known;
    if (reason && contribution > 0) sums.set(reason, (sums.get(reason) ?? 0) + contribution);
  }
  const total = [...sums.values()].reduce((sum, each) => sum + each, 0);
  return [...sums]
    .filter(([, sum]) => sum >= MIN_SHARE * total)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_REASONS)
    .map(([reason]) => {
      if (reason === 'words' && words) return sharing(words, language);
      return PHRASES[language][reason === 'feeling' && comforts ? 'comfort' : reason];
    });
}

function sharing(words: readonly string[], language: Language): string {
  const shown = words.slice(0, MAX_WORDS);
  switch (language) {
    case 'ja':
      return `${shown.map((word) => `『${word}』`).join('')}が共通`;
    case 'zh':
      return `都提到了${shown.map((word) => `“${word}”`).join('')}`;
    case 'en': {
      const quoted = shown.map((word) => `“${word}”`);
      const last = quoted.pop() ?? '';
      return quoted.length > 0
        ? `shares the words ${quoted.join(', ')} and ${last}`
        : `shares the word ${last}`;
    }
  }
}
