/** Sentences in three languages that say why something was found and what was searched. */
import { localDate, type Topic, type Unit } from '../../model/model.ts';
import { snippet, type Language } from '../../text/text.ts';
import type { Contribution, Why } from '../types.ts';
import { strongestReasons, whySentence } from '../why.ts';
import { isWithin } from './period.ts';
import type { ResolvedQuery } from './resolvedQuery.ts';
import type { NothingReason } from './types.ts';

/** Maximum length of a displayed title, name or question, in UTF-16 units. */
const SHOWN_CHARS = 60;

export interface SentenceOptions {
  readonly language: Language;
  /** The time zone of the named days. */
  readonly timeZone: string;
}

interface Wording {
  readonly quote: (words: string) => string;
  /** The separator between reasons and between the items of a list. */
  readonly and: string;
  readonly list: string;
  readonly between: (from: string | null, to: string | null) => string;
  readonly reasons: {
    readonly period: string;
    readonly namedPeriod: string;
    readonly topic: (title: string) => string;
    readonly entity: (name: string) => string;
    readonly keywords: (words: string) => string;
  };
  readonly query: {
    readonly period: (days: string, words: string | null) => string;
    readonly topic: (title: string) => string;
    readonly entity: (name: string) => string;
    readonly keywords: (words: string) => string;
    readonly emotion: string;
    readonly all: (parts: string) => string;
  };
  readonly ofTopic: {
    readonly asked: string;
    readonly part: (title: string) => string;
    readonly found: (count: number) => string;
    readonly named: string;
    readonly holds: string;
  };
  readonly nothing: Readonly<Record<NothingReason, string>>;
}

const WORDINGS: Readonly<Record<Language, Wording>> = {
  ja: {
    quote: (words) => `「${words}」`,
    and: '、',
    list: '、',
    between: (from, to) => `${from ?? ''}～${to ?? ''}`,
    reasons: {
      period: '指定した時期のこと',
      namedPeriod: '指定した時期に触れている',
      topic: (title) => `話題${title}の一部`,
      entity: (name) => `${name}に触れている`,
      keywords: (words) => `${words}という言葉を含む`,
    },
    query: {
      period: (days, words) => `期間${days}${words === null ? '' : `（${words}）`}`,
      topic: (title) => `話題${title}`,
      entity: (name) => `${name}のこと`,
      keywords: (words) => `${words}という言葉`,
      emotion: '似た気持ち',
      all: (parts) => `${parts}で探した。`,
    },
    ofTopic: {
      asked: '指定した話題。',
      part: (title) => `${title}の一部。`,
      found: (count) => `見つかった発言のうち${count}件がこの話題。`,
      named: '題名や要約に同じ言葉がある。',
      holds: '条件に合う発言がある。',
    },
    nothing: {
      unknown_topic: 'その話題は見つからなかった。',
      unknown_entity: 'その人や物は見つからなかった。',
      nothing_found: '条件をすべて満たすものは見つからなかった。',
    },
  },
  zh: {
    quote: (words) => `“${words}”`,
    and: '，',
    list: '、',
    between: (from, to) => `${from ?? ''}至${to ?? ''}`,
    reasons: {
      period: '是所查时间的事',
      namedPeriod: '提到了所查的时间',
      topic: (title) => `属于话题${title}`,
      entity: (name) => `提到了${name}`,
      keywords: (words) => `含有${words}`,
    },
    query: {
      period: (days, words) => `时间${days}${words === null ? '' : `（${words}）`}`,
      topic: (title) => `话题${title}`,
      entity: (name) => `关于${name}`,
      keywords: (words) => `含有${words}`,
      emotion: '相似的心情',
      all: (parts) => `按${parts}查找。`,
    },
    ofTopic: {
      asked: '正是所查的话题。',
      part: (title) => `是${title}的一部分。`,
      found: (count) => `找到的内容中有${count}条属于这个话题。`,
      named: '标题或摘要中有相同的词。',
      holds: '其中有符合条件的内容。',
    },
    nothing: {
      unknown_topic: '没有找到这个话题。',
      unknown_entity: '没有找到这个人或事物。',
      nothing_found: '没有找到符合所有条件的内容。',
    },
  },
  en: {
    quote: (words) => `“${words}”`,
    and: ', ',
    list: ', ',
    between: (from, to) =>
      from === null ? `until ${to}` : to === null ? `from ${from}` : `${from} to ${to}`,
    reasons: {
      period: 'it happened at the time asked about',
      namedPeriod: 'it mentions the time asked about',
      topic: (title) => `it belongs to ${title}`,
      entity: (name) => `it mentions ${name}`,
      keywords: (words) => `it contains ${words}`,
    },
    query: {
      period: (days, words) => `the time ${days}${words === null ? '' : ` (${words})`}`,
      topic: (title) => `the topic ${title}`,
      entity: (name) => `mentions of ${name}`,
      keywords: (words) => `the words ${words}`,
      emotion: 'a similar feeling',
      all: (parts) => `Searched for ${parts}.`,
    },
    ofTopic: {
      asked: 'It is the topic asked about.',
      part: (title) => `It is part of ${title}.`,
      found: (count) => `${count} of the results ${count === 1 ? 'belongs' : 'belong'} to it.`,
      named: 'Its title or summary contains the words.',
      holds: 'It contains matching turns.',
    },
    nothing: {
      unknown_topic: 'This topic was not found.',
      unknown_entity: 'This person or thing was not found.',
      nothing_found: 'Nothing matches all the criteria.',
    },
  },
};

/** Why a unit is among the results. */
export function whyFound(
  unit: Unit,
  contributions: readonly Contribution[],
  query: ResolvedQuery,
  { language, timeZone }: SentenceOptions,
): Why {
  const { and, list, quote, reasons } = WORDINGS[language];
  const { period, namedPeriod, topic, entity, keywords } = query;
  const own = [
    ...(keywords.length > 0 ? [reasons.keywords(keywords.map((word) => quote(shown(word))).join(list))] : []),
    // Leave out what only ranks by words: `keywords` says it better.
    ...strongestReasons(
      contributions.filter(({ feature }) => feature !== 'keyword' && !(period && feature === 'date')),
      { language },
    ),
    ...(period
      ? [namedPeriod && !isWithin(unit.occurredAt, namedPeriod) ? reasons.namedPeriod : reasons.period]
      : []),
    ...(topic ? [reasons.topic(quote(shown(topic.title)))] : []),
    ...(entity ? [reasons.entity(quote(shown(entity.name)))] : []),
  ];
  const sentence = whySentence(unit, [], { language, timeZone, modelReason: own.join(and) });
  return { sentence, contributions, reason: null };
}

/** The search in one sentence. */
export function whyQuery(query: ResolvedQuery, { language, timeZone }: SentenceOptions): string {
  const { list, quote, between, query: wording } = WORDINGS[language];
  const { period, keywords, text, emotion, named } = query;
  const topic = query.topic?.title ?? named.topic;
  const entity = query.entity?.name ?? named.entity;
  const day = (at: number | null) => (at === null ? null : localDate(at, timeZone));
  const last = period?.to ?? null;
  const parts = [
    ...(text === null ? [] : [quote(shown(text))]),
    ...(keywords.length > 0 ? [wording.keywords(keywords.map((word) => quote(shown(word))).join(list))] : []),
    ...(emotion === null ? [] : [wording.emotion]),
    ...(topic ? [wording.topic(quote(shown(topic)))] : []),
    ...(entity ? [wording.entity(quote(shown(entity)))] : []),
    // The end is exclusive: the last day is the one before.
    ...(period
      ? [
          wording.period(
            between(day(period.from), day(last === null ? null : last - 1)),
            period.words && quote(shown(period.words)),
          ),
        ]
      : []),
  ];
  return wording.all(parts.join(list));
}

/** Why a topic is among the results. */
export function whyTopic(
  topic: Topic,
  { found, isNamed }: { readonly found: number; readonly isNamed: boolean },
  query: ResolvedQuery,
  { language }: SentenceOptions,
): string {
  const { quote, ofTopic } = WORDINGS[language];
  if (found > 0) return ofTopic.found(found);
  if (isNamed) return ofTopic.named;
  if (query.topic === null) return ofTopic.holds;
  return query.topic.id === topic.id ? ofTopic.asked : ofTopic.part(quote(shown(query.topic.title)));
}

export function whyNothing(reason: NothingReason, language: Language): string {
  return WORDINGS[language].nothing[reason];
}

function shown(words: string): string {
  return snippet(words.replaceAll(/\s+/gu, ' '), { maxChars: SHOWN_CHARS });
}
