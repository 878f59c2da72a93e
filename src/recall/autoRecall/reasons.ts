/** Sentences that explain why the bundle contains its quotes. */
import { localDate, type Topic } from '../../model/model.ts';
import { snippet } from '../../text/text.ts';
import type { Contribution } from '../types.ts';
import { strongestReasons, type WhyOptions } from '../why.ts';
import type { Highlight } from './types.ts';

/** Maximum length of a displayed title, in UTF-16 units. */
const TITLE_CHARS = 80;

/** One sentence for each topic that has highlights, and one for the highlights without a topic. */
export function reasonsFor(
  topics: readonly Topic[],
  highlights: readonly Highlight[],
  options: WhyOptions,
): string[] {
  const told = new Set<number>();
  const sentences = topics.map((topic) => {
    const own = highlights.filter(({ topicIds }) => topicIds.includes(topic.id));
    for (const { unitId } of own) told.add(unitId);
    return sentence(`${title(topic, options)}${period(topic, options)}`, own, options);
  });
  const others = highlights.filter(({ unitId }) => !told.has(unitId));
  return others.length === 0 ? sentences : [...sentences, sentence('', others, options)];
}

function sentence(about: string, highlights: readonly Highlight[], options: WhyOptions): string {
  const { language } = options;
  const reasons = strongestReasons(sumOf(highlights), options);
  const count = highlights.length;
  switch (language) {
    case 'ja':
      return `${about || 'ほかに'}${count}件。${reasons.join('、') || '関連が弱い'}。`;
    case 'zh':
      return `${about || '另有'}${count}条。${reasons.join('，') || '关联较弱'}。`;
    case 'en': {
      const memories = `${count} ${about ? '' : 'other '}${count === 1 ? 'memory' : 'memories'}`;
      return `${about ? `${about}, ` : ''}${memories}: ${reasons.join(', ') || 'only loosely related'}.`;
    }
  }
}

/** Sums the contributions of several highlights by feature. */
function sumOf(highlights: readonly Highlight[]): Contribution[] {
  const sums = new Map<string, Contribution>();
  for (const { feature, value, weight, contribution } of highlights.flatMap(({ why }) => why.contributions)) {
    const sum = sums.get(feature);
    sums.set(feature, {
      feature,
      value: value + (sum?.value ?? 0),
      weight,
      contribution: contribution + (sum?.contribution ?? 0),
    });
  }
  return [...sums.values()].sort((a, b) => b.contribution - a.contribution);
}

function title({ title: words }: Topic, { language }: WhyOptions): string {
  const shown = snippet(words, { maxChars: TITLE_CHARS });
  return language === 'ja' ? `「${shown}」` : `“${shown}”`;
}

function period({ firstAt, lastAt }: Topic, { language, timeZone }: WhyOptions): string {
  if (firstAt === null || lastAt === null) return '';
  const days = [...new Set([firstAt, lastAt].map((at) => localDate(at, timeZone)))];
  return language === 'en' ? ` (${days.join(' to ')})` : `（${days.join(language === 'ja' ? '～' : '至')}）`;
}
