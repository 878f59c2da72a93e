import type { FeatureName } from '../types.ts';

/** The features of the `conversation` profile; what each means stands at its weight. */
export const WEIGHTS = {
  /** Words: BM25 of the turn read with the question it answers, as a share of the best turn's. An answer rarely repeats its question. */
  answer: 1.45,
  /** Words: BM25 of the turn read with the turns beside it. What matters is often said over two or three turns. */
  exchange: 3,
  /** Words: BM25 of the turn alone, on a logarithmic scale, so that a fair match counts beside a perfect one. */
  keyword: 0.6,
  /** Words: how much of the query its whole conversation covers. */
  conversationCover: 0.8,
  /** Words: the best turn of its conversation. */
  conversationBest: 2.16,
  /** It was said by someone whom the query names. */
  speaker: 2.35,
  /** It is from the time the query asks about; falls off over two weeks after and three days before. */
  date: 4.19,
  /** The query asks when, and the turn names a time. */
  when: 1.26,
  /** Its speaker talks longer than the others: long answers of an assistant share words with everything. */
  talkative: -0.35,
  /** Its speaker mostly asks: who asks rarely tells. */
  asking: -1.99,
  /** It opens its conversation, and its speaker is not the talkative one: people begin with what they came for. */
  opening: 2.94,
  /** Meaning: cosine with the query, less what every turn has in common. */
  cosine: 3,
  /** Meaning: the best cosine of its conversation. */
  conversationCosine: 3.6,
} as const satisfies Record<FeatureName, number>;

/** Every other number of the `conversation` profile, each with its reason. */
export const CONVERSATION = {
  /** Saturates sooner than usual (1.2): in a chat a word said twice says little more than once. */
  bm25: { k1: 0.9, b: 0.75 },
  /** Shorter turns count as this long, in terms: “yes, a cat” is no better an answer than a whole sentence. */
  lengthFloor: 25,
  /** How much a term of the line just before counts beside one of the utterance: more where the utterance leans on it. */
  contextWeight: { leaning: 0.45, standing: 0.15 },
  /** What is left of that for each line further back. */
  contextDecay: 0.8,
  contextLines: 10,
  /** How much each of the last lines' vectors counts beside the utterance's. */
  contextVectorWeight: { leaning: 0.5, standing: 0.1 },
  contextVectorLines: 3,
  /** Edges of a date window, days: people tell of things days later, seldom before. */
  date: {
    tauDays: 7,
    daysBefore: 3,
    daysAfter: 14,
    /** What it counts that a turn of another day talks of the time asked about. */
    toldShare: 0.5,
  },
  /** Turns of everyone that a speaker's own habits are weighed against, so that one turn makes no habit. */
  habitPriorTurns: 5,
  /**
   * When to inject: z = known · (share of the query's weight that the best turn covers) + stands · (best score − mean of
   * ranks 2 to 20) + constant. The two do not depend on each other: how much the memory knows of what is asked, and how
   * far the best stands out from the rest.
   */
  inject: { known: 1.63, stands: 1.13, constant: -3.09, high: 1, medium: 0 },
} as const;
