import { DAY_MS } from '../../model/model.ts';
import type { TextStatistics } from '../../store/store.ts';
import { diceWith } from '../../text/text.ts';
import type { Document } from '../documents.ts';
import type { Question, TimeRange } from '../types.ts';
import type { Gathered } from './gather.ts';
import { CONVERSATION } from './profile.ts';
import type { Bm25 } from './queryTerms.ts';

export interface FeatureInput {
  readonly question: Question;
  readonly timeRange: TimeRange | null;
  readonly gathered: Gathered;
  readonly documents: ReadonlyMap<number, Document>;
  /** With the query's vector. */
  readonly cosines: ReadonlyMap<number, number>;
  readonly meanVector: Float32Array | null;
  readonly bm25: Bm25;
  readonly speakers: TextStatistics['speakers'];
}

export type ConversationFeatures = Record<keyof typeof CONVERSATION.weights, number>;

const WHEN_QUESTION =
  /\bwhen\b|what (?:day|date|time|year|month)|how long|いつ|何時|何日|何月|何年|什么时候|哪一?天|何时|几月|几号/iu;
const TIME_WORDS =
  /\b(?:\d{4}|yesterday|today|tonight|tomorrow|(?:last|next|this) (?:week|month|year|weekend|night|\w+day)|ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december)\b|\d+[年月日号時点]|昨日|今日|明日|先週|来週|先月|来月|昨天|今天|明天|上周|下周|去年|今年/iu;

/** The features of every candidate, by unit. BM25 values are divided by the greatest of the query. */
export function conversationFeatures(input: FeatureInput): {
  features: Map<number, ConversationFeatures>;
  bestBm25: number;
} {
  const { gathered, documents, bm25 } = input;
  const own = new Map<number, number>();
  for (const [unitId, document] of documents) own.set(unitId, bm25.score(document));
  const candidates = gathered.unitIds.flatMap((unitId) => documents.get(unitId) ?? []);
  const bestBm25 = Math.max(1e-9, ...candidates.map((document) => own.get(document.unitId) ?? 0));
  const sessions = sumBySession(candidates, own);
  const cosines = cosinesOf(candidates, input);
  const cosineSessions = bestBySession(candidates, cosines);
  const dice = diceWith(input.question.utterance);
  const named = namedIn(input.question.utterance, candidates);
  const capitals = capitalWords(input.question.utterance);
  const asksWhen = WHEN_QUESTION.test(input.question.utterance);
  const features = new Map<number, ConversationFeatures>();
  for (const document of candidates) {
    const before = documents.get(gathered.before.get(document.unitId) ?? 0);
    const after = gathered.after.get(document.unitId);
    const score = own.get(document.unitId) ?? 0;
    const key = document.conversationId ?? '';
    features.set(document.unitId, {
      cat:
        (before?.isQuestion && before.speaker !== document.speaker ? bm25.score(before, document) : score) /
        bestBm25,
      next: (after === undefined ? 0 : (own.get(after) ?? 0)) / bestBm25,
      assistant: (score / bestBm25) * talkativeness(document, input.speakers),
      speaker: document.speaker !== null && named.has(document.speaker) ? 1 : 0,
      session: sessions.get(key) ?? 0,
      date: dateMatch(document.occurredAt, input.timeRange),
      dice: dice(document.text),
      name: capitals.length === 0 ? 0 : share(capitals, (word) => document.text.toLowerCase().includes(word)),
      when: asksWhen && TIME_WORDS.test(document.text) ? 1 : 0,
      cosine: cosines.get(document.unitId) ?? 0,
      cosineSession: cosineSessions.get(key) ?? 0,
    });
  }
  return { features, bestBm25 };
}

/** 0 for who speaks as long as the others, up to 1.5 for who speaks much longer: log2 of the ratio of mean lengths. */
function talkativeness(document: Document, speakers: TextStatistics['speakers']): number {
  const own = speakers.get(document.speaker ?? '');
  if (!own || own.turns === 0) return 0;
  let turns = 0;
  let terms = 0;
  for (const other of speakers.values()) {
    turns += other.turns;
    terms += other.terms;
  }
  const otherTurns = turns - own.turns;
  if (otherTurns === 0) return 0;
  const ratio = own.terms / own.turns / Math.max(1, (terms - own.terms) / otherTurns);
  return Math.min(1.5, Math.max(0, Math.log2(ratio)));
}

function dateMatch(at: number, range: TimeRange | null): number {
  if (!range) return 0;
  if (at >= range.from && at < range.to) return 1;
  const { dateTauDays, dateDaysBefore, dateDaysAfter } = CONVERSATION;
  const gap = (at < range.from ? range.from - at : at - range.to) / DAY_MS;
  return gap <= (at < range.from ? dateDaysBefore : dateDaysAfter) ? Math.exp(-gap / dateTauDays) : 0;
}

function sumBySession(
  candidates: readonly Document[],
  own: ReadonlyMap<number, number>,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { conversationId, unitId } of candidates) {
    const key = conversationId ?? '';
    sums.set(key, (sums.get(key) ?? 0) + (own.get(unitId) ?? 0));
  }
  const greatest = Math.max(1e-9, ...sums.values());
  for (const [key, sum] of sums) sums.set(key, sum / greatest);
  return sums;
}

function bestBySession(
  candidates: readonly Document[],
  values: ReadonlyMap<number, number>,
): Map<string, number> {
  const best = new Map<string, number>();
  for (const { conversationId, unitId } of candidates) {
    const key = conversationId ?? '';
    best.set(key, Math.max(values.get(unitId) ?? 0, best.get(key) ?? -1));
  }
  return best;
}

/** Cosine with the query less the cosine that every unit has with it on average. */
function cosinesOf(candidates: readonly Document[], input: FeatureInput): Map<number, number> {
  const query = input.gathered.queryVector;
  const common = query && input.meanVector ? dot(query, input.meanVector) : 0;
  return new Map(
    candidates.flatMap(({ unitId }) => {
      const cosine = input.cosines.get(unitId);
      return cosine === undefined ? [] : [[unitId, cosine - common] as const];
    }),
  );
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Speakers whose name, or its first word, the utterance says. */
function namedIn(utterance: string, candidates: readonly Document[]): Set<string> {
  const said = utterance.toLowerCase();
  const speakers = new Set(candidates.flatMap((document) => document.speaker ?? []));
  return new Set(
    [...speakers].filter((speaker) => {
      const name = speaker.toLowerCase().split(/\s+/)[0] ?? '';
      return name.length > 1 && said.includes(name);
    }),
  );
}

function capitalWords(utterance: string): string[] {
  const words = utterance.match(/(?<![.!?]\s|^)\b[A-Z][a-zA-Z]+/g) ?? [];
  return [...new Set(words.map((word) => word.toLowerCase()))];
}

function share<T>(items: readonly T[], test: (item: T) => boolean): number {
  return items.filter(test).length / items.length;
}
