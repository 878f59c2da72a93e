import { DAY_MS, wallClockToInstant, type Instant } from '../model/model.ts';
import {
  detectLanguage,
  findReferences,
  findTimes,
  terms,
  type Language,
  type Reference,
} from '../text/text.ts';
import { readAddress, type Address } from './address.ts';
import { namesAskedAbout } from './askedNames.ts';
import { withoutStateWords } from './state.ts';
import type { ContextLine, QueryType, TimeRange } from './types.ts';

/** The intent of an utterance, read by rules. */
export interface Intent {
  readonly language: Language;
  /** The kind of utterance: only `open` ones may concern the memory. */
  readonly address: Address;
  /** The type of its question; null: not a question that the rules know. */
  readonly queryType: QueryType | null;
  /** The meaningful terms, in order, without duplicates. */
  readonly keywords: readonly string[];
  /** The time spans it names, relative to the instant of the utterance. */
  readonly spans: readonly TimeRange[];
  /** The narrowest span, used as the time of the query. */
  readonly timeRange: TimeRange | null;
  readonly references: readonly Reference[];
  /** The people, animals, organizations and things by name that it asks about. */
  readonly namesAskedAbout: readonly string[];
}

/** Cues of each type, the most specific type first. */
const TYPE_CUES: readonly (readonly [QueryType, RegExp])[] = [
  [
    'comparative',
    /違い|比べ|比較|どちらが|どっちが|区别|差别|相比|比较|\bdifferen(?:ce|t)\b|\bcompared?\b|\bversus\b|\bvs\b|\bbetter than\b/iu,
  ],
  [
    'procedural',
    /どうやって|どうやる|やり方|方法|手順|作り方|怎么(?:做|弄|办)|如何|步骤|\bhow (?:do|can|should|to)\b|\bsteps?\b/iu,
  ],
  [
    'conceptual',
    /とは(?:何|なに|$|[?？])|ってなに|って何|とはどう|意味|什么是|是什么意思|何谓|\bwhat (?:is|are|does) (?:an? )?\w+(?: mean)?\??$|\bmeaning of\b|\bexplain\b/iu,
  ],
  [
    'factual',
    /いつ|どこ|誰|だれ|何時|何日|いくつ|いくら|何人|什么时候|哪里|哪儿|哪天|谁|多少|几(?:个|次|点|号|岁)|\bwhen\b|\bwhere\b|\bwho(?:m|se)?\b|\bwhich\b|\bhow (?:many|much|old|long|often)\b/iu,
  ],
  [
    'temporal',
    /最近|近ごろ|この頃|さいきん|近来|这几天|这阵子|\brecent(?:ly)?\b|\blately\b|\bthese days\b/iu,
  ],
];

const QUESTION =
  /[?？]|[かの]$|(?:吗|呢|么)[。！]?$|^(?:when|where|who|what|which|how|why|did|do|does|is|are|was|were|have|has|can|could)\b/iu;
/**
 * Reads an utterance.
 * @param now when it is said; relative times are resolved against it, preferring the past
 */
export function readIntent(
  utterance: string,
  context: readonly ContextLine[],
  now: Instant,
  timeZone: string,
): Intent {
  const telling = terms(withoutStateWords(utterance));
  const keywords = [...new Set(telling.length > 0 ? telling : terms(utterance))];
  const spans = findSpans(utterance, now, timeZone);
  const timeRange = narrowest(spans);
  const references = findReferences(utterance, context);
  const language = detectLanguage(utterance);
  return {
    language,
    address: readAddress(utterance, language),
    queryType: queryType(utterance, timeRange),
    keywords,
    spans,
    timeRange,
    references,
    // May is also a month.
    namesAskedAbout: namesAskedAbout(utterance, language).filter(
      (name) => !spans.some(({ words }) => words.includes(name)),
    ),
  };
}

/** Any question without a cue asks for a fact; a statement that names a time asks for events. */
function queryType(utterance: string, timeRange: TimeRange | null): QueryType | null {
  const type = TYPE_CUES.find(([, cue]) => cue.test(utterance.trim()))?.[0];
  if (type) return type;
  if (timeRange) return 'temporal';
  return QUESTION.test(utterance.trim()) ? 'factual' : null;
}

/** The spans that the utterance names, in order, widened by the usual imprecision of such expressions. */
function findSpans(utterance: string, now: Instant, timeZone: string): TimeRange[] {
  const options = { reference: new Date(now), timeZone, prefer: 'past' } as const;
  return findTimes(utterance, options).flatMap(({ timex, window, alternatives, text }) => {
    const readings = [window, ...alternatives].flatMap((reading) => readSpan(reading, timeZone) ?? []);
    const [first, ...others] = readings;
    if (timex === 'PRESENT_REF' || !first) return [];
    return [{ ...first, words: text, alternatives: others }];
  });
}

/** An open end is one day long: “before March” becomes the last day of February. */
function readSpan(
  { from, to }: { from: string | null; to: string | null },
  timeZone: string,
): { from: Instant; to: Instant } | null {
  const instantOf = (wallClock: string) => wallClockToInstant(wallClock, timeZone);
  if (from !== null && to !== null) return { from: instantOf(from), to: instantOf(to) };
  if (from !== null) return { from: instantOf(from), to: instantOf(from) + DAY_MS };
  return to === null ? null : { from: instantOf(to) - DAY_MS, to: instantOf(to) };
}

/** The narrowest span: for “last year, on the Friday before Christmas” the Friday. */
function narrowest(spans: readonly TimeRange[]): TimeRange | null {
  const width = ({ from, to }: TimeRange) => to - from;
  return spans.reduce<TimeRange | null>(
    (best, span) => (best === null || width(span) < width(best) ? span : best),
    null,
  );
}
