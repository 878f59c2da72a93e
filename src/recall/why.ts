import { localDate, type Unit } from '../model/model.ts';
import { snippet, type Language } from '../text/text.ts';
import type { Contribution, FeatureName } from './types.ts';

/** Contributions too small to be called a reason, as a share of all that speaks for the hit. */
const MIN_SHARE = 0.12;
const MAX_REASONS = 3;
/** How much of a name is shown, UTF-16 units. */
const NAME_CHARS = 40;

type Phrases = Readonly<Record<FeatureName, string>>;

const REASONS: Readonly<Record<Language, Phrases>> = {
  en: {
    semantic: 'it means something close to this',
    vector: 'it means something close to this',
    keyword: 'it shares its words',
    rrf: 'both searches rank it high',
    lexical: 'it is worded alike',
    recency: 'it is recent',
    reinforcement: 'it was said more than once',
    access: 'it has been recalled often',
    emotion: 'it has the same feeling',
    reactivation: 'it was recalled lately',
    timeMatch: 'it happened at the time asked about',
    topicStrength: 'it belongs to an important topic',
    pinned: 'it is pinned',
    words: 'it shares its words',
    covered: 'it shares its words',
    answer: 'it shares its words',
    newer: 'it is the latest',
    older: 'it is from before',
    previousCosine: 'what was said before means something close to this',
    exchange: 'it and what was said around it share its words',
    conversationCover: 'its conversation shares its words',
    speaker: 'it was said by someone named here',
    mention: 'it says a name that is named here',
    conversationBest: 'its conversation shares its words',
    date: 'it happened at the time asked about',
    opening: 'its conversation began with it',
    when: 'it says when',
    cosine: 'it means something close to this',
    nearby: 'what was said around it shares its words',
    nearbyCosine: 'what was said around it means something close to this',
    nextCosine: 'what was said next means something close to this',
    direct: 'it is what was asked for',
    surrounding: 'it belongs to the same topic',
    referent: 'it may be what is meant',
  },
  ja: {
    semantic: '意味が近い',
    vector: '意味が近い',
    keyword: '言葉が重なる',
    rrf: 'どの検索でも上位にある',
    lexical: '言い回しが似ている',
    recency: '最近のこと',
    reinforcement: '何度か話されている',
    access: 'よく思い出されている',
    emotion: '気持ちが似ている',
    reactivation: '最近思い出した',
    timeMatch: '尋ねられた時期のこと',
    topicStrength: '大切な話題に属する',
    pinned: 'ピン留めされている',
    words: '言葉が重なる',
    covered: '言葉が重なる',
    answer: '言葉が重なる',
    newer: 'いちばん新しい',
    older: '以前のこと',
    previousCosine: '前の発言と意味が近い',
    exchange: '前後のやりとりと言葉が重なる',
    conversationCover: '同じ会話の中で話題になっている',
    speaker: '名前の挙がった人の発言',
    mention: '名前の挙がった人に触れている',
    conversationBest: '同じ会話の中で話題になっている',
    date: '尋ねられた時期のこと',
    opening: '会話の切り出しの発言',
    when: '時期に触れている',
    cosine: '意味が近い',
    nearby: '前後の話と言葉が重なる',
    nearbyCosine: '前後の話と意味が近い',
    nextCosine: '次の発言と意味が近い',
    direct: '尋ねられたそのもの',
    surrounding: '同じ話題の前後の話',
    referent: 'それと思われる出来事に触れている',
  },
  zh: {
    semantic: '意思相近',
    vector: '意思相近',
    keyword: '用词相同',
    rrf: '各种检索都排在前面',
    lexical: '说法相似',
    recency: '是最近的事',
    reinforcement: '提到过不止一次',
    access: '经常被想起',
    emotion: '心情相似',
    reactivation: '最近想起过',
    timeMatch: '正是所问的时间',
    topicStrength: '属于重要的话题',
    pinned: '已被置顶',
    words: '用词相同',
    covered: '用词相同',
    answer: '用词相同',
    newer: '是最近的情况',
    older: '是以前的情况',
    previousCosine: '前面的话意思相近',
    exchange: '前后的话用词相同',
    conversationCover: '同一次对话里谈到过',
    speaker: '是提到的人说的',
    mention: '说到了提到的人',
    conversationBest: '同一次对话里谈到过',
    date: '正是所问的时间',
    opening: '是那次对话的开头',
    when: '说到了时间',
    cosine: '意思相近',
    nearby: '前后的话用词相同',
    nearbyCosine: '前后的话意思相近',
    nextCosine: '接下来的话意思相近',
    direct: '正是所问的内容',
    surrounding: '属于同一个话题',
    referent: '说的可能就是这件事',
  },
};

/** What stands for `emotion` where the feeling asked for is not the user's own. */
const COMFORTS: Readonly<Record<Language, string>> = {
  en: 'it is a good or comforting memory',
  ja: '心が安らぐ思い出',
  zh: '是美好或令人安慰的回忆',
};

export interface WhyOptions {
  readonly language: Language;
  /** Of the day it names. */
  readonly timeZone: string;
  /** Whether `emotion` means comfort. */
  readonly comforts?: boolean;
  /** The reason of a model that chose it, which then is the one given. */
  readonly modelReason?: string | null;
}

/** One sentence on why a unit was recalled: who, when, and the reasons that weigh most. */
export function whySentence(
  unit: Unit,
  contributions: readonly Contribution[],
  { language, timeZone, comforts = false, modelReason = null }: WhyOptions,
): string {
  const reasons =
    modelReason === null
      ? strongestReasons(contributions, language, comforts)
      : [modelReason.replace(/[.。．]+$/u, '')];
  const date = localDate(unit.occurredAt, timeZone);
  const speaker = unit.kind === 'episode' ? snippet(unit.payload.speaker, { maxChars: NAME_CHARS }) : null;
  switch (language) {
    case 'ja':
      return `${date}${speaker ? `、${speaker}の発言` : ''}。${reasons.join('、') || '関連が弱い'}。`;
    case 'zh':
      return `${date}${speaker ? `，${speaker}说的` : ''}。${reasons.join('，') || '关联较弱'}。`;
    case 'en':
      return `${speaker ? `${speaker} on ${date}` : date}: ${reasons.join(', ') || 'only loosely related'}.`;
  }
}

export function strongestReasons(
  contributions: readonly Contribution[],
  language: Language,
  comforts: boolean,
): string[] {
  const phrases = comforts ? { ...REASONS[language], emotion: COMFORTS[language] } : REASONS[language];
  const inFavour = contributions.filter(({ contribution }) => contribution > 0);
  const total = inFavour.reduce((sum, { contribution }) => sum + contribution, 0);
  const reasons = inFavour
    .filter(
      ({ feature, contribution }) => phrases[feature] !== undefined && contribution >= MIN_SHARE * total,
    )
    .map(({ feature }) => phrases[feature] ?? '');
  return [...new Set(reasons)].slice(0, MAX_REASONS);
}
