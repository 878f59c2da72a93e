/** Formats the results of explorations and reminders for a terminal. */
import { localDate, type Bundle, type Emotion, type Exploration } from '../engine/engine.ts';
import { padEnd } from '../text/text.ts';
import { formatReason, TEXT_INDENT } from './hits.ts';
import { countOf, plain, style, wrapped } from './terminal.ts';

type View<Name extends Exploration['view']> = Extract<Exploration, { view: Name }>;
type Item = View<'quote'>['quotes'][number];
type ExploredTopic = View<'topic'>['topics'][number];
type Highlight = Bundle['highlights'][number];
type Period = { readonly from: string; readonly to: string } | null;

const MAX_QUOTE_LINES = 8;
/** The most lines of an episode that is shown together with others. */
const MAX_CONTEXT_LINES = 3;
const NESTED_INDENT = `${TEXT_INDENT}  `;

/** The query, the results in the requested view, and hints for further queries. */
export function formatExploration(exploration: Exploration, timeZone: string): string[] {
  const { why, nothing, nextCursor } = exploration;
  return [
    ...wrapped(why, '').map((line) => style('dim', line)),
    '',
    ...(nothing ? [nothing.sentence] : formatView(exploration, timeZone)),
    ...(nextCursor === null ? [] : [style('dim', `More of the same question: --cursor ${nextCursor}`)]),
  ];
}

function formatView(exploration: Exploration, timeZone: string): string[] {
  switch (exploration.view) {
    case 'quote':
      return exploration.quotes.flatMap((item, i) => [...formatQuote(item, i + 1, timeZone), '']);
    case 'timeline':
      return formatTimeline(exploration);
    case 'topic':
      return exploration.topics.flatMap((topic) => [...formatTopic(topic, timeZone), '']);
  }
}

/** Conversations in order of time, each with its turns. */
export function formatTimeline({ groups }: View<'timeline'>): string[] {
  return groups.flatMap(({ date, conversationId, items }) => [
    `${style('bold', date)}${conversationId === null ? '' : style('dim', `  ${plain(conversationId)}`)}`,
    ...items.flatMap(formatWithContext),
    '',
  ]);
}

function formatQuote(item: Item, rank: number, timeZone: string): string[] {
  return [
    `${String(rank).padStart(3)}  ${dayOf(item.occurredAt, timeZone)}  ${style('bold', whoIs(item))}  ${style('dim', placeOf(item))}`,
    ...wrapped(item.quote.text, TEXT_INDENT, MAX_QUOTE_LINES),
    ...formatReason(item.why.sentence),
  ];
}

function formatWithContext(item: Item): string[] {
  const who = whoIs(item);
  const [first = '', ...rest] = wrapped(`${who}  ${item.quote.text}`, NESTED_INDENT, MAX_CONTEXT_LINES);
  return [TEXT_INDENT + first.trimStart().replace(who, () => style('bold', who)), ...rest];
}

function formatTopic(topic: ExploredTopic, timeZone: string): string[] {
  const { parents, children, summary, episodes } = topic;
  const links = (words: string, others: ExploredTopic['parents']) =>
    others.length === 0
      ? []
      : [`${TEXT_INDENT}${words} ${others.map(({ id, title }) => `${plain(title)} (#${id})`).join(', ')}`];
  return [
    formatTopicHead(topic, timeZone),
    ...(summary === null ? [] : wrapped(summary, TEXT_INDENT, MAX_CONTEXT_LINES)),
    ...[...links('part of', parents), ...links('holds', children)].map((line) => style('dim', line)),
    ...formatReason(topic.why),
    ...episodes.flatMap(formatWithContext),
  ];
}

/** A topic on one line: number, title, strength, size and period. */
export function formatTopicHead(
  topic: Pick<ExploredTopic, 'id' | 'title' | 'strength' | 'members' | 'period'>,
  timeZone: string,
): string {
  const { id, title, strength, members, period } = topic;
  const about = [`strength ${strength.toFixed(2)}`, countOf(members, 'turn'), ...periodOf(period, timeZone)];
  return `${padEnd(`#${id}`, TEXT_INDENT.length)}${style('bold', plain(title))}  ${style('dim', about.join(' · '))}`;
}

/** The result of a reminder: each topic with its turns, then turns without a shown topic. */
export function formatBundle({ topics, highlights, why }: Bundle, timeZone: string): string[] {
  const told = new Set<Highlight>();
  const lines = topics.flatMap((topic) => {
    const own = highlights.filter((one) => one.topicIds.includes(topic.id) && !told.has(one));
    for (const one of own) told.add(one);
    return [
      [`#${topic.id}`, style('bold', plain(topic.title)), ...periodOf(topic.period, timeZone)].join('  '),
      ...own.flatMap((one) => formatHighlight(one, timeZone)),
      '',
    ];
  });
  const others = highlights.filter((one) => !told.has(one));
  return [
    ...lines,
    ...others.flatMap((one) => formatHighlight(one, timeZone)),
    ...(others.length > 0 ? [''] : []),
    ...why.flatMap((sentence) => wrapped(sentence, '')).map((line) => style('cyan', line)),
  ];
}

function formatHighlight(highlight: Highlight, timeZone: string): string[] {
  const { occurredAt, speaker, conversationId, turnIndex, quote } = highlight;
  return [
    `${TEXT_INDENT}${dayOf(occurredAt, timeZone)}  ${style('bold', plain(speaker))}  ${style('dim', `${plain(conversationId)}, turn ${turnIndex}`)}`,
    ...wrapped(quote.text, NESTED_INDENT, MAX_QUOTE_LINES),
  ];
}

/** An emotion in words, the strongest first; null when it is very weak. */
export function formatEmotion(emotion: Emotion | null): string | null {
  const felt = Object.entries(emotion?.values ?? {})
    .filter(([, value]) => Math.abs(value) >= MIN_FELT)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, MAX_FELT)
    .map(([key, value]) => `${key} ${value.toFixed(2).replace('-', '−')}`);
  return felt.length === 0 ? null : felt.join(', ');
}

const MIN_FELT = 0.05;
const MAX_FELT = 4;

function whoIs({ speaker, kind }: Item): string {
  return speaker === null ? kind : plain(speaker);
}

function placeOf({ conversationId, turnIndex, unitId }: Item): string {
  return conversationId === null ? `unit ${unitId}` : `${plain(conversationId)}, turn ${turnIndex}`;
}

function dayOf(iso: string, timeZone: string): string {
  return localDate(Date.parse(iso), timeZone);
}

/** One day, or two joined by “to”; empty when there are no own turns. */
function periodOf(period: Period, timeZone: string): string[] {
  if (!period) return [];
  const [from, to] = [dayOf(period.from, timeZone), dayOf(period.to, timeZone)];
  return [from === to ? from : `${from} to ${to}`];
}
