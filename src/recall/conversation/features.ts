import { DAY_MS, type Instant } from '../../model/model.ts';
import type { TextStatistics } from '../../store/store.ts';
import type { Span } from '../../text/text.ts';
import type { Document } from '../documents.ts';
import type { Question } from '../types.ts';
import type { RerankFeature } from './rerankFeatures.ts';
import { CONVERSATION, type ConversationFeature } from '../conversationProfile.ts';
import { NONE, wordsUnitOf, type Bm25 } from './queryTerms.ts';
import { continuesConversation, newnessOfConversations } from './continued.ts';
import { asksForAssistantWords, asksForEarlierTalk, isAssistant } from '../roles.ts';
import { askedState, reportsChange } from '../state.ts';
import type { Turns } from './turns.ts';

export interface FeatureInput {
  readonly question: Question;
  /** The time ranges of the query. */
  readonly spans: readonly Span[];
  /** The times that candidates talk about, other than their own day. */
  readonly talkedAbout: ReadonlyMap<number, readonly Span[]>;
  readonly turns: Turns;
  /**
   * By the turn's index: cosine with the query, minus its mean cosine with all units, divided by the standard deviation
   * of cosines.
   */
  readonly cosines: Float64Array;
  readonly bm25: Bm25;
  /** The same for the terms of the utterance only. */
  readonly own: Bm25;
  readonly statistics: TextStatistics;
}

/** All features except those computed only for the best candidates, or from the order of all. */
export type ConversationFeatures = Record<
  Exclude<ConversationFeature, RerankFeature | 'sameConversation'>,
  number
>;

/** Minimum length, in terms, that a turn is counted with. */
const MIN_LENGTH = 3;
/** Number of best candidates whose terms decide which query terms a conversation covers. */
const COVER_FROM_BEST = 100;

/** Added to `newer` and subtracted from `older` for a turn that reports a change. */
const CHANGE_SHARE = 0.5;

const WHEN_QUESTION =
  /\bwhen\b|what (?:day|date|time|year|month)|how long|いつ|何時|何日|何月|何年|什么时候|哪一?天|何时|几月|几号|哪个月/iu;
const TIME_WORDS =
  /\b(?:\d{4}|\d{1,2}:\d\d|yesterday|today|tonight|tomorrow|(?:last|next|this) (?:week|night|month|year|weekend|morning|summer|winter|fall|spring|\w+day)|ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|weekend)\b|\d+[年月日号点時]|昨日|今日|明日|先週|来週|先月|来月|昨天|今天|明天|上周|下周|周[一二三四五六日末]|去年|今年/iu;

/** The features of every candidate, in the order of the candidates. */
export function conversationFeatures(input: FeatureInput): ConversationFeatures[] {
  const { turns, cosines, bm25 } = input;
  const { documents } = turns;
  const candidates = documents.slice(0, turns.candidates);
  const own = Float64Array.from(candidates, (_, turn) => bm25.score(turn));
  const ideal = Math.max(input.own.ideal, 1e-9);
  const wordsUnit = wordsUnitOf(own.reduce((best, score) => Math.max(best, score), 0));
  const conversations = conversationsOf(candidates);
  const covers = coverOf(conversations, own, bm25);
  const neighbourCosines = cosinesOfNeighbours(candidates, conversations, cosines);
  const asking = askingOf(input.statistics);
  const asksWhen = WHEN_QUESTION.test(input.question.utterance);
  const named = namedIn(input.question.utterance, candidates);
  const asksForItsWords = asksForAssistantWords(input.question.utterance);
  const asksForBoth = asksForEarlierTalk(input.question.utterance);
  const state = askedState(input.question.utterance);
  const age = ageIn(candidates);
  const newness = continuesConversation(input.question.utterance) ? newnessOfConversations(candidates) : null;
  return candidates.map((document, turn) => {
    const before = partner(turn, turns.before[turn]!, documents);
    const after = partner(turn, turns.after[turn]!, documents);
    const asked = before === NONE ? undefined : documents[before]!;
    const answers = asked?.isQuestion === true && asked.speaker !== document.speaker;
    return {
      words: own[turn]! / wordsUnit,
      answer: (answers ? bm25.score(before, turn) : own[turn]!) / wordsUnit,
      exchange: bm25.score(turn, before, after) / wordsUnit,
      covered: input.own.held([turn]) / ideal,
      conversationCover: covers.get(document.conversationId) ?? 0,
      speaker: document.speaker !== null && named.has(document.speaker) ? 1 : 0,
      date: dateMatch(document, input),
      when: asksWhen && TIME_WORDS.test(document.text) ? 1 : 0,
      assistant: isAssistant(document.speaker) && !asksForItsWords && !asksForBoth ? 1 : 0,
      assistantAsked: asksForItsWords ? answering(document) : 0,
      asking: asking(document.speaker),
      newer: state === 'now' ? 1 - age(document) + (reportsChange(document.text) ? CHANGE_SHARE : 0) : 0,
      older: state === 'before' ? age(document) - (reportsChange(document.text) ? CHANGE_SHARE : 0) : 0,
      continued: newness?.[turn] ?? 0,
      length: Math.log(Math.max(document.length, MIN_LENGTH) / input.statistics.averageLength),
      cosine: cosines[turn]!,
      previousCosine: before === NONE ? 0 : cosines[before]!,
      nearbyCosine: neighbourCosines[turn]! - cosines[turn]!,
      nextCosine: after === NONE ? 0 : cosines[after]!,
    };
  });
}

/** 1 for a turn of an assistant, −1 for a question to it. */
function answering({ speaker, isQuestion }: Document): number {
  if (isAssistant(speaker)) return 1;
  return isQuestion ? -1 : 0;
}

/** The relative age of a candidate: 0 for the newest, 1 for the oldest. */
function ageIn(candidates: readonly Document[]): (document: Document) => number {
  let first = Infinity;
  let last = -Infinity;
  for (const { occurredAt } of candidates) {
    first = Math.min(first, occurredAt);
    last = Math.max(last, occurredAt);
  }
  return ({ occurredAt }) => (last > first ? (last - occurredAt) / (last - first) : 0);
}

/** The neighbouring turn, if both belong to one exchange; else `NONE`. */
function partner(turn: number, neighbour: number, documents: readonly Document[]): number {
  if (neighbour === NONE) return NONE;
  const gapMs = Math.abs(documents[neighbour]!.occurredAt - documents[turn]!.occurredAt);
  return gapMs <= CONVERSATION.exchangeGapMs ? neighbour : NONE;
}

/** The indexes of the candidates by conversation; candidates without a conversation are under null. */
function conversationsOf(candidates: readonly Document[]): Map<string | null, number[]> {
  const conversations = new Map<string | null, number[]>();
  for (let turn = 0; turn < candidates.length; turn++) {
    const { conversationId } = candidates[turn]!;
    const members = conversations.get(conversationId);
    if (members) members.push(turn);
    else conversations.set(conversationId, [turn]);
  }
  return conversations;
}

/** By conversation: how much of the query it covers, in units of words. */
function coverOf(
  conversations: ReadonlyMap<string | null, readonly number[]>,
  own: Float64Array,
  bm25: Bm25,
): Map<string | null, number> {
  const matching = own.keys().filter((turn) => own[turn]! > 0);
  const covering = new Set(
    [...matching].sort((a, b) => own[b]! - own[a]! || a - b).slice(0, COVER_FROM_BEST),
  );
  const covers = new Map<string | null, number>();
  let best = 0;
  for (const [conversationId, members] of conversations) {
    const cover = bm25.cover(members.filter((turn) => covering.has(turn)));
    best = Math.max(best, cover);
    covers.set(conversationId, cover);
  }
  const unit = wordsUnitOf(best);
  for (const [conversationId, cover] of covers) covers.set(conversationId, cover / unit);
  return covers;
}

/** By candidate: the best cosine of the candidate and its neighbours in the conversation, reduced with distance. */
function cosinesOfNeighbours(
  candidates: readonly Document[],
  conversations: ReadonlyMap<string | null, readonly number[]>,
  cosines: Float64Array,
): Float64Array {
  const { decay, reach } = CONVERSATION.nearby;
  const shares = Array.from({ length: reach + 1 }, (_, distance) => decay ** distance);
  const best = cosines.slice(0, candidates.length);
  for (const members of conversations.values()) {
    const placed = members
      .flatMap((turn) => {
        const at = candidates[turn]!.turnIndex;
        return at === null ? [] : [{ turn, at }];
      })
      .sort((a, b) => a.at - b.at);
    let first = 0;
    for (const { turn, at } of placed) {
      while (at - placed[first]!.at > reach) first++;
      for (let i = first; i < placed.length && placed[i]!.at - at <= reach; i++) {
        const other = placed[i]!;
        const share = shares[Math.abs(other.at - at)]!;
        best[turn] = Math.max(best[turn]!, share * cosines[other.turn]!);
      }
    }
  }
  return best;
}

/** How much more a speaker asks than the others do, weighted by the speaker's share of the conversations: −1..1. */
function askingOf({ speakers, everyone }: TextStatistics): (speaker: string | null) => number {
  return (speaker) => {
    const own = speakers.get(speaker ?? '');
    if (!own || own.turns === 0 || own.turns === everyone.turns) return 0;
    const part = Math.min(1, (2 * own.turns) / everyone.turns);
    return (own.questions / own.turns - everyone.questions / everyone.turns) * part;
  };
}

/** How well a candidate matches the time of the query, by when it occurred or by the time it talks about. */
function dateMatch(document: Document, { spans, talkedAbout }: FeatureInput): number {
  const told = talkedAbout.get(document.unitId) ?? [];
  const overlaps = (span: Span) => told.some(({ from, to }) => from < span.to && to > span.from);
  return Math.max(
    0,
    ...spans.map((span) =>
      Math.max(
        dateProximity(document.occurredAt, span),
        overlaps(span) ? CONVERSATION.date.mentionedDateShare : 0,
      ),
    ),
  );
}

/** 1 inside the span. Outside, a share times e^(−gap/τ), up to a short time before and a longer time after. */
function dateProximity(at: Instant, span: Span): number {
  if (at >= span.from && at < span.to) return 1;
  const { tauDays, daysBefore, daysAfter, neighbourShare } = CONVERSATION.date;
  const isBefore = at < span.from;
  const gapDays = Math.ceil((isBefore ? span.from - at : at - span.to) / DAY_MS);
  return gapDays <= (isBefore ? daysBefore : daysAfter) ? neighbourShare * Math.exp(-gapDays / tauDays) : 0;
}

/** Speakers whose full name or first name occurs in the utterance. */
function namedIn(utterance: string, candidates: readonly Document[]): Set<string> {
  const normalized = utterance.normalize('NFKC').toLowerCase();
  const speakers = new Set(candidates.flatMap((document) => document.speaker ?? []));
  return new Set([...speakers].filter((speaker) => containsName(normalized, speaker)));
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Whether a lower-case text contains a name. */
function containsName(text: string, speaker: string): boolean {
  const name = speaker.normalize('NFKC').toLowerCase().trim();
  if (CJK.test(name)) return name.length > 1 && text.includes(name);
  const first = name.split(/\s+/)[0] ?? '';
  const escaped = first.replace(/[^\p{L}\p{N}]/gu, '.');
  // “Theos address”: in casual writing the apostrophe is missing.
  const possessive = first.length > 2 ? 's?' : '';
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}${possessive}(?![\\p{L}\\p{N}])`, 'u');
  return first.length > 1 && pattern.test(text);
}
