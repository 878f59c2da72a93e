import { localDate, type Unit } from '../model/model.ts';
import type { Language } from '../text/text.ts';
import type { Contribution, FeatureName } from './types.ts';

/** Contributions too small to be called a reason, as a share of all that speaks for the hit. */
const LEAST_SHARE = 0.12;
const MOST_REASONS = 3;

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
  },
};

/** One sentence on why a unit was recalled, in `language`: who, when, and the reasons that weigh most. */
export function whySentence(
  unit: Unit,
  contributions: readonly Contribution[],
  language: Language,
  timeZone: string,
): string {
  const reasons = strongestReasons(contributions, REASONS[language]);
  const date = localDate(unit.occurredAt, timeZone);
  const speaker = unit.kind === 'episode' ? unit.payload.speaker : null;
  switch (language) {
    case 'ja':
      return `${date}${speaker ? `、${speaker}の発言` : ''}。${reasons.join('、') || '関連が弱い'}。`;
    case 'zh':
      return `${date}${speaker ? `，${speaker}说的` : ''}。${reasons.join('，') || '关联较弱'}。`;
    case 'en':
      return `${speaker ? `${speaker} on ${date}` : date}: ${reasons.join(', ') || 'only loosely related'}.`;
  }
}

function strongestReasons(contributions: readonly Contribution[], phrases: Phrases): string[] {
  const inFavour = contributions.filter(({ contribution }) => contribution > 0);
  const total = inFavour.reduce((sum, { contribution }) => sum + contribution, 0);
  const reasons = inFavour
    .filter(
      ({ feature, contribution }) => phrases[feature] !== undefined && contribution >= LEAST_SHARE * total,
    )
    .map(({ feature }) => phrases[feature] ?? '');
  return [...new Set(reasons)].slice(0, MOST_REASONS);
}
