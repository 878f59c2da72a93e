/** The query of an exploration after all of its parts are resolved. */
import {
  MemoryError,
  parseInstant,
  type Emotion,
  type Entity,
  type Instant,
  type Sensitivity,
  type Topic,
} from '../../model/model.ts';
import type { Store, UnitFilter } from '../../store/store.ts';
import { terms } from '../../text/text.ts';
import { asksOnlyAboutDays } from '../direct/direct.ts';
import type { Cursor } from './cursor.ts';
import { findEntity, findTopic } from './names.ts';
import { findPeriod, holdsIn, narrowTo, readPeriod, type Period, type SpokenPeriod } from './period.ts';
import type { ExploreOptions, ExploreQuery, ExploreView } from './query.ts';
import type { NothingReason } from './types.ts';

export interface ResolvedQuery {
  readonly now: Instant;
  /** Null: the current memory. */
  readonly asOf: Instant | null;
  /** The words to rank by, without time expressions; null: there are none. */
  readonly text: string | null;
  /** The sentence as it was asked. */
  readonly sentence: string | null;
  /** Each must occur. */
  readonly keywords: readonly string[];
  readonly emotion: Emotion | null;
  /** All conditions except words and emotion. */
  readonly filter: UnitFilter;
  /** The sensitivity up to which the caller asked to see what is masked. */
  readonly reveals: Sensitivity | undefined;
  /** The filter without the time in `namedPeriod`. */
  readonly anytime: UnitFilter;
  /** The time that the sentence names: units that occurred then or talk about it match. */
  readonly namedPeriod: Period | null;
  readonly period: (Period & { readonly words: string | null }) | null;
  readonly topic: Topic | null;
  readonly entity: Entity | null;
  /** A name that is not known: then the result is empty. */
  readonly unknown: NothingReason | null;
  /** The names in the question, as they were written. */
  readonly named: { readonly topic: string | null; readonly entity: string | null };
  /** How the words were read, for the following pages. */
  readonly reading: Pick<Cursor, 'period' | 'topicId' | 'entityId'>;
}

/** When a question is asked, and how an earlier page read it. */
interface When {
  readonly now: Instant;
  readonly earlier: Cursor | null;
}

/**
 * Resolves a question.
 * @throws MemoryError INVALID_INPUT, INVALID_TIME, NOT_FOUND
 */
export async function readQuestion(
  store: Store,
  query: ExploreQuery,
  options: ExploreOptions,
  { now, earlier }: When,
): Promise<ResolvedQuery> {
  const asOf = instantOf(store, options.asOf) ?? null;
  const isByWords = query.text !== undefined || query.keywords !== undefined;
  const base = baseFilter({ kinds: isByWords ? ['episode', 'note'] : ['episode'], ...options }, asOf, now);
  const [topic, entity] = await Promise.all([
    findTopic(store, earlier?.topicId ?? query.topic, base),
    findEntity(store, earlier?.entityId ?? query.entity, base),
  ]);
  const known = { topic: topic === 'unknown' ? null : topic, entity: entity === 'unknown' ? null : entity };
  const dates = datesOf(store, query);
  const dated: UnitFilter = {
    ...narrowTo(base, dates),
    ...(known.topic && { topicId: known.topic.id }),
    ...(known.entity && { entityId: known.entity.id }),
  };
  const spokenTimes = await readTimes(store, query, dated, { now, earlier });
  const anytime = spokenTimes.ofPeriod ? narrowTo(dated, spokenTimes.ofPeriod) : dated;
  return {
    ...known,
    unknown: topic === 'unknown' ? 'unknown_topic' : entity === 'unknown' ? 'unknown_entity' : null,
    named: { topic: nameOrNull(query.topic), entity: nameOrNull(query.entity) },
    now,
    asOf,
    text: wordsOf(query.text, spokenTimes.ofText),
    sentence: query.text ?? null,
    keywords: keywordsOf(query.keywords),
    emotion: emotionOf(query.emotion),
    filter: spokenTimes.ofText ? narrowTo(anytime, spokenTimes.ofText) : anytime,
    anytime,
    reveals: options.maxSensitivity,
    namedPeriod: spokenTimes.ofText,
    period: periodOf(dates, spokenTimes),
    reading: {
      period: spokenTimes.ofText ?? spokenTimes.ofPeriod,
      topicId: known.topic?.id ?? null,
      entityId: known.entity?.id ?? null,
    },
  };
}

/** The default view for a question. */
export function viewFor({ text, keywords, emotion }: ResolvedQuery): ExploreView {
  return text === null && keywords.length === 0 && emotion === null ? 'timeline' : 'quote';
}

export function instantOf(store: Store, value: ExploreOptions['now']): Instant | undefined {
  return value === undefined ? undefined : parseInstant(value, store.timeZone);
}

function baseFilter(options: ExploreOptions, asOf: Instant | null, now: Instant): UnitFilter {
  const at = asOf ?? now;
  return {
    ...(options.kinds && { kinds: options.kinds }),
    maxSensitivity: options.maxSensitivity ?? 'private',
    aliveAt: at,
    ...(options.withPastFacts !== true && { validAt: at }),
    ...(asOf !== null && { asOf }),
    ...(options.scope && { scope: options.scope }),
  };
}

function datesOf(store: Store, query: ExploreQuery): Period {
  const period = { from: instantOf(store, query.from) ?? null, to: instantOf(store, query.to) ?? null };
  if (period.from !== null && period.to !== null && period.from >= period.to) {
    throw new MemoryError('INVALID_INPUT', 'The period ends before it begins.');
  }
  return period;
}

interface SpokenTimes {
  readonly ofPeriod: SpokenPeriod | null;
  readonly ofText: SpokenPeriod | null;
}

async function readTimes(
  store: Store,
  { period, text }: ExploreQuery,
  filter: UnitFilter,
  { now, earlier }: When,
): Promise<SpokenTimes> {
  if (earlier) {
    const read = earlier.period;
    return period === undefined ? { ofPeriod: null, ofText: read } : { ofPeriod: read, ofText: null };
  }
  const clock = { now, timeZone: store.timeZone };
  const holds = holdsIn(store, filter);
  // If the period is given separately, the sentence may name other times: “last spring” in the conversations of May.
  if (period !== undefined) return { ofPeriod: await readPeriod(period, clock, holds), ofText: null };
  return { ofPeriod: null, ofText: text === undefined ? null : await findPeriod(text, clock, holds) };
}

function periodOf(dates: Period, { ofPeriod, ofText }: SpokenTimes): ResolvedQuery['period'] {
  const namedPeriod = ofPeriod ?? ofText;
  if (namedPeriod === null)
    return dates.from === null && dates.to === null ? null : { ...dates, words: null };
  const { from, to } = narrowTo(narrowTo({}, { from: dates.from, to: dates.to }), namedPeriod);
  return { from: from ?? null, to: to ?? null, words: namedPeriod.words };
}

/** The sentence without its time expression; null when the rest contains nothing to search for. */
function wordsOf(text: string | undefined, period: SpokenPeriod | null): string | null {
  if (text === undefined) return null;
  if (period === null) return text.trim();
  if (asksOnlyAboutDays(text, [period])) return null;
  const rest = `${text.slice(0, period.start)} ${text.slice(period.end)}`.trim();
  return terms(rest).length === 0 ? null : rest;
}

function keywordsOf(keywords: ExploreQuery['keywords']): string[] {
  if (keywords === undefined) return [];
  const words = typeof keywords === 'string' ? keywords.split(/[\s、，,]+/u) : keywords;
  return [...new Set(words.map((word) => word.trim()).filter((word) => word !== ''))];
}

function emotionOf(emotion: ExploreQuery['emotion']): Emotion | null {
  if (emotion === undefined) return null;
  return typeof emotion === 'string' ? { values: { [emotion]: 1 }, confidence: 1 } : emotion;
}

function nameOrNull(asked: number | string | undefined): string | null {
  return typeof asked === 'string' ? asked : null;
}
