import { DAY_MS, type Instant } from '../../model/model.ts';
import type { TextStatistics } from '../../store/store.ts';
import type { Span } from '../../text/text.ts';
import type { Document } from '../documents.ts';
import type { Question } from '../types.ts';
import type { Gathered } from './gather.ts';
import type { LateFeature } from './late.ts';
import { CONVERSATION, type ConversationFeature } from '../conversationProfile.ts';
import type { Bm25, TermCounts } from './queryTerms.ts';

export interface FeatureInput {
  readonly question: Question;
  /** The times asked about. */
  readonly spans: readonly Span[];
  /** The times that candidates talk about, other than their own day. */
  readonly talkedAbout: ReadonlyMap<number, readonly Span[]>;
  readonly gathered: Gathered;
  /** The candidates and who stands beside them. */
  readonly documents: ReadonlyMap<number, Document>;
  /** The query's terms in each of them. */
  readonly counted: ReadonlyMap<number, TermCounts>;
  /** With the query's vector, less the cosine that every unit has with it on average. */
  readonly cosines: ReadonlyMap<number, number>;
  readonly bm25: Bm25;
  readonly statistics: TextStatistics;
}

/** All but those that only the best are weighed by. */
export type ConversationFeatures = Record<Exclude<ConversationFeature, LateFeature>, number>;

/** Candidates whose terms tell what a conversation covers. */
const COVER_FROM_BEST = 100;

const WHEN_QUESTION =
  /\bwhen\b|what (?:day|date|time|year|month)|how long|いつ|何時|何日|何月|何年|什么时候|哪一?天|何时|几月|几号|哪个月/iu;
const TIME_WORDS =
  /\b(?:\d{4}|\d{1,2}:\d\d|yesterday|today|tonight|tomorrow|(?:last|next|this) (?:week|night|month|year|weekend|morning|summer|winter|fall|spring|\w+day)|ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|weekend)\b|\d+[年月日号点時]|昨日|今日|明日|先週|来週|先月|来月|昨天|今天|明天|上周|下周|周[一二三四五六日末]|去年|今年/iu;

/** The features of every candidate, by unit. BM25 values are shares of the greatest of any candidate. */
export function conversationFeatures(input: FeatureInput): Map<number, ConversationFeatures> {
  const { gathered, documents, counted, bm25 } = input;
  const own = new Map([...counted].map(([unitId, counts]) => [unitId, bm25.score(counts)]));
  const candidates = gathered.unitIds.flatMap((unitId) => documents.get(unitId) ?? []);
  const bestBm25 = Math.max(1e-9, ...candidates.map((document) => own.get(document.unitId) ?? 0));
  const conversations = conversationFiguresOf(candidates, own, counted, input);
  const surroundings = surroundingsOf(candidates, own, input.cosines);
  const habits = habitsOf(input.statistics);
  const asksWhen = WHEN_QUESTION.test(input.question.utterance);
  const named = namedIn(input.question.utterance, candidates);
  const features = new Map<number, ConversationFeatures>();
  for (const document of candidates) {
    const counts = counted.get(document.unitId) as TermCounts;
    const [before, after] = [gathered.before, gathered.after].map((side) =>
      partner(document, documents.get(side.get(document.unitId) ?? 0)),
    );
    const beside = [before, after].flatMap((each) => counted.get(each?.unitId ?? 0) ?? []);
    const answers = before?.isQuestion === true && before.speaker !== document.speaker;
    const conversation = conversations.get(document.conversationId ?? '');
    const around = surroundings.get(document.unitId);
    const habit = habits(document.speaker);
    const isFirst = document.speaker !== null && !gathered.before.has(document.unitId);
    features.set(document.unitId, {
      answer:
        (answers
          ? bm25.score(counted.get(before.unitId) as TermCounts, counts)
          : (own.get(document.unitId) ?? 0)) / bestBm25,
      exchange: bm25.score(counts, ...beside) / bestBm25,
      nearby: (around?.words ?? 0) / bestBm25,
      conversationCover: conversation?.cover ?? 0,
      conversationBest: (conversation?.best ?? 0) / bestBm25,
      speaker: document.speaker !== null && named.has(document.speaker) ? 1 : 0,
      mention: mentionsOther(document, named) ? 1 : 0,
      date: dateMatch(document, input),
      when: asksWhen && TIME_WORDS.test(document.text) ? 1 : 0,
      talkative: habit.talkative,
      asking: habit.asking * habit.party,
      opening: isFirst ? habit.party * Math.max(0, -habit.talkative / MOST_TALKATIVE) : 0,
      cosine: input.cosines.get(document.unitId) ?? 0,
      nearbyCosine: around?.cosine ?? input.cosines.get(document.unitId) ?? 0,
      nextCosine: input.cosines.get(after?.unitId ?? 0) ?? 0,
    });
  }
  return features;
}

/** The turn beside, if the two belong to one exchange. */
function partner(document: Document, beside: Document | undefined): Document | undefined {
  const gapMs = Math.abs((beside?.occurredAt ?? Infinity) - document.occurredAt);
  return gapMs <= CONVERSATION.exchangeGapMs ? beside : undefined;
}

interface ConversationFigures {
  best: number;
  /** 0..1: what the conversation covers of the query, as a share of the one that covers most. */
  cover: number;
}

function conversationFiguresOf(
  candidates: readonly Document[],
  own: ReadonlyMap<number, number>,
  counted: ReadonlyMap<number, TermCounts>,
  { bm25 }: FeatureInput,
): Map<string, ConversationFigures> {
  const scoreOf = (document: Document) => own.get(document.unitId) ?? 0;
  const best = candidates
    .filter((document) => scoreOf(document) > 0)
    .sort((a, b) => scoreOf(b) - scoreOf(a) || a.unitId - b.unitId)
    .slice(0, COVER_FROM_BEST);
  const members = Map.groupBy(best, (document) => document.conversationId ?? '');
  const figures = new Map<string, ConversationFigures>();
  for (const document of candidates) {
    const key = document.conversationId ?? '';
    const known = figures.get(key);
    if (known) {
      known.best = Math.max(known.best, scoreOf(document));
    } else {
      const parts = (members.get(key) ?? []).flatMap(({ unitId }) => counted.get(unitId) ?? []);
      figures.set(key, { best: scoreOf(document), cover: bm25.cover(parts) });
    }
  }
  const mostCovered = Math.max(1e-9, ...[...figures.values()].map((conversation) => conversation.cover));
  for (const conversation of figures.values()) conversation.cover /= mostCovered;
  return figures;
}

interface Surroundings {
  /** Half the sum of what the candidates around it score, each the less the further away. */
  readonly words: number;
  /** The best cosine of it and the candidates around it, those the less the further away. */
  readonly cosine: number;
}

/** What stands around each candidate in its conversation, among the candidates. */
function surroundingsOf(
  candidates: readonly Document[],
  own: ReadonlyMap<number, number>,
  cosines: ReadonlyMap<number, number>,
): Map<number, Surroundings> {
  const { decay, reach } = CONVERSATION.nearby;
  const shares = Array.from({ length: reach + 1 }, (_, distance) => decay ** distance);
  const surroundings = new Map<number, Surroundings>();
  for (const members of Map.groupBy(candidates, (document) => document.conversationId).values()) {
    const turns = members
      .flatMap(({ unitId, turnIndex }) => (turnIndex === null ? [] : [{ unitId, at: turnIndex }]))
      .sort((a, b) => a.at - b.at);
    let first = 0;
    for (const { unitId, at } of turns) {
      while (at - turns[first]!.at > reach) first++;
      let words = 0;
      let cosine = cosines.get(unitId) ?? 0;
      for (let i = first; i < turns.length && turns[i]!.at - at <= reach; i++) {
        const other = turns[i]!;
        if (other.unitId === unitId) continue;
        const share = shares[Math.abs(other.at - at)]!;
        words += (share * (own.get(other.unitId) ?? 0)) / 2;
        cosine = Math.max(cosine, share * (cosines.get(other.unitId) ?? 0));
      }
      surroundings.set(unitId, { words, cosine });
    }
  }
  return surroundings;
}

interface Habit {
  /** log2 of the speaker's mean length over the others', −1.5..1.5. */
  readonly talkative: number;
  /** Share of the speaker's turns that ask, less everyone's share. */
  readonly asking: number;
  /** How much of a party to the conversations the speaker is, 0..1: 1 for who says half of all there is. */
  readonly party: number;
}

const MOST_TALKATIVE = 1.5;

/** How each speaker speaks, beside how all others do. */
function habitsOf({ speakers, everyone }: TextStatistics): (speaker: string | null) => Habit {
  return (speaker) => {
    const own = speakers.get(speaker ?? '');
    const turns = everyone.turns - (own?.turns ?? 0);
    if (!own || own.turns === 0 || turns === 0) return { talkative: 0, asking: 0, party: 0 };
    const ratio = Math.log2(own.terms / own.turns / ((everyone.terms - own.terms) / turns));
    return {
      talkative: Math.min(MOST_TALKATIVE, Math.max(-MOST_TALKATIVE, ratio || 0)),
      asking: own.questions / own.turns - everyone.questions / everyone.turns,
      party: Math.min(1, (2 * own.turns) / everyone.turns),
    };
  };
}

/** From the time asked about, or about it. */
function dateMatch(document: Document, { spans, talkedAbout }: FeatureInput): number {
  const told = talkedAbout.get(document.unitId) ?? [];
  const overlaps = (span: Span) => told.some(({ from, to }) => from < span.to && to > span.from);
  return Math.max(
    0,
    ...spans.map((span) =>
      Math.max(closeness(document.occurredAt, span), overlaps(span) ? CONVERSATION.date.toldShare : 0),
    ),
  );
}

/** 1 inside the span; beside it a share, times e^(−gap/τ), a little before and some while after. */
function closeness(at: Instant, span: Span): number {
  if (at >= span.from && at < span.to) return 1;
  const { tauDays, daysBefore, daysAfter, besideShare } = CONVERSATION.date;
  const isBefore = at < span.from;
  const gapDays = Math.ceil((isBefore ? span.from - at : at - span.to) / DAY_MS);
  return gapDays <= (isBefore ? daysBefore : daysAfter) ? besideShare * Math.exp(-gapDays / tauDays) : 0;
}

/** Finds a name in a text of lower case. */
type NameTest = (text: string) => boolean;

/** Speakers whose name, or its first word, the utterance says. */
function namedIn(utterance: string, candidates: readonly Document[]): Map<string, NameTest> {
  const said = utterance.normalize('NFKC').toLowerCase();
  const speakers = new Set(candidates.flatMap((document) => document.speaker ?? []));
  const tests = [...speakers].map((speaker) => [speaker, nameTest(speaker)] as const);
  return new Map(tests.filter(([, says]) => says(said)));
}

/** Whether its text says the name of one of them, other than its own speaker. */
function mentionsOther({ speaker, text }: Document, named: ReadonlyMap<string, NameTest>): boolean {
  if (named.size === 0) return false;
  const said = text.toLowerCase();
  return [...named].some(([name, says]) => name !== speaker && says(said));
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function nameTest(speaker: string): NameTest {
  const name = speaker.normalize('NFKC').toLowerCase().trim();
  if (CJK.test(name)) return (text) => name.length > 1 && text.includes(name);
  const first = name.split(/\s+/)[0] ?? '';
  const escaped = first.replace(/[^\p{L}\p{N}]/gu, '.');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'u');
  return (text) => first.length > 1 && pattern.test(text);
}
