import { keysOf, recordOf } from '../model/model.ts';
import type { Language } from '../text/text.ts';
import type { Address } from './address.ts';

/** The weights of a conversation profile and the rule for injecting. All conversation profiles compute the same features. */
export interface ConversationProfile {
  readonly base: 'conversation';
  readonly name: string;
  /** Weights in a memory of a hundred units. */
  readonly weights: ConversationWeights;
  /** Added to a weight for each tenfold growth of the memory. In a large memory words tell more and vectors less. */
  readonly growth: Readonly<Partial<Record<ConversationFeature, number>>>;
  readonly inject: InjectRule;
}

export type ConversationFeature = keyof typeof WEIGHTS;
export type ConversationWeights = Readonly<Record<ConversationFeature, number>>;

/**
 * The features of the `conversation` profile; each meaning is at its weight. Scores are log odds: one turn is
 * e^(difference) times as likely as another. Cosines are in units of the standard deviation over pairs of texts.
 */
const WEIGHTS = {
  /** Words: BM25 of the turn. How it is scaled: `CONVERSATION.wordsUnit`. */
  words: 0.69,
  /** Words: BM25 of the turn joined with the question it answers. An answer rarely repeats its question. */
  answer: 0.92,
  /** Words: BM25 of the turn joined with its neighbours. Important things are often said over two or three turns. */
  exchange: 0.84,
  /** Words: share of the utterance's term weight that the turn itself contains. */
  covered: 0.64,
  /** Words: share of the query that the conversation covers. */
  conversationCover: 0.46,
  /** Better candidates of its conversation, at most 3. In a memory of a hundred units they tell nothing; see `GROWTH`. */
  sameConversation: 0,
  /** The query names its speaker. */
  speaker: 2.04,
  /** It occurred at the time of the query or talks about it; reduced up to two weeks after and three days before. */
  date: 2.19,
  /** The query asks when, and the turn names a time. */
  when: 0.62,
  /** The query asks for the current state: 1 for the newest candidate, 0 for the oldest, plus .5 if it reports a change. */
  newer: 1.02,
  /** The query asks for an earlier state: 1 for the oldest candidate, minus .5 if it reports a change. */
  older: 1.43,
  /** The utterance continues an earlier conversation: 1 in the newest one, less in earlier ones. */
  continued: 2,
  /** An assistant said it, and the query does not ask what an assistant said, or what both said. */
  assistant: -2.2,
  /** The query asks what an assistant said: 1 for its own turns, −1 for questions to it. */
  assistantAsked: 1.5,
  /** Its speaker mostly asks and says much: an interviewer's turns hold few answers. */
  asking: -1.32,
  /** Logarithm of its length over the mean length: long turns share words with every query. */
  length: -0.4,
  /** Meaning: cosine with the query, minus the mean over all turns. */
  cosine: 0.84,
  /** Meaning: how much higher the best cosine around it is, reduced with each turn between. */
  nearbyCosine: 0.62,
  /** Meaning: cosine of the turn before. */
  previousCosine: 0.09,
  /** Meaning: cosine of the next turn. A question with a good answer is a good hit. */
  nextCosine: 0.14,
  /**
   * Its emotion matches the wanted one (`mood.ts`). Measured: a small gain for companions, no effect elsewhere. See
   * docs/decisions/0011.
   */
  emotion: 0.25,
  /**
   * The utterance refers to a known thing by its kind only (“that trip”), and the turn mentions such a thing. Computed
   * only when keyword search finds nothing certain; chance matches of keywords weigh less than this.
   */
  referent: 10,
};

const GROWTH = {
  words: 0.32,
  cosine: -0.24,
  /** In a small memory each conversation tells of something else; in a large one what belongs together was said together. */
  sameConversation: 0.4,
};

/** Every other number of the `conversation` profile, each with its reason. */
export const CONVERSATION = {
  /** Saturates earlier than the usual 1.2: in a chat, a repeated word adds little. */
  bm25: { k1: 0.9, b: 0.75 },
  /**
   * A BM25 score is a sum of log odds, in nats: what it tells does not depend on the other turns. A feature counts it in
   * units of `nats`, so that a match of common words only weighs little. More than `most` units tell nothing more: a best
   * turn with a higher score counts as `most`, and the others in proportion. See docs/decisions/0049.
   */
  wordsUnit: { nats: 12, most: 1.5 },
  /**
   * Term frequencies are those of the memory's turns plus this many turns of general language. A few dozen turns are
   * too few to tell which terms are rare.
   */
  assumedTurns: 200,
  /** Shorter turns count with this length, in terms: “yes, a cat” is no better an answer than a whole sentence. */
  lengthFloor: 25,
  /** Weight of a term of the previous line relative to one of the utterance; higher if the utterance refers to it. */
  contextWeight: { leaning: 0.6, standing: 0.2 },
  /** Factor applied to that weight for each line further back. */
  contextDecay: 0.85,
  contextLines: 10,
  /** Context terms with a lower weight are left out: they cost as much as the others and change nothing. */
  contextLeast: 0.1,
  /** Weight of the last lines' vectors relative to the utterance's, if the utterance refers to them; else they are not used. */
  contextVectorWeight: 0.5,
  contextVectorLines: 3,
  /** How much of the end of a line is embedded, in Latin letters; a character of Chinese or Japanese is as wide as three. */
  contextVectorWidth: 60,
  /** Edges of a date window in days: people tell of things days later, rarely before, and mostly on the day itself. */
  date: {
    tauDays: 4,
    daysBefore: 3,
    daysAfter: 14,
    /** Maximum value outside of the window. */
    neighbourShare: 0.6,
    /** Value of a turn of another day that talks about the time of the query. */
    mentionedDateShare: 0.5,
  },
  /** Factor applied to a neighbour's words or cosine for each turn of distance, and the maximum distance. */
  nearby: { decay: 0.8, reach: 10 },
  /** Turns of one conversation that are further apart in time are not one exchange. */
  exchangeGapMs: 30 * 60_000,
  /** Standard deviation of the cosines of any two texts, if the embedder does not give one. */
  cosineSpread: 0.08,
} as const;

/**
 * Log odds that the memory contains something for the utterance, fitted on questions to the own memory and to other
 * memories.
 */
export interface AnswerableWeights {
  /** The largest share of the utterance's term weight that one of the best hits contains, including its neighbouring turns. */
  readonly covered: number;
  /** The share that the best hit itself contains. */
  readonly coveredByBest: number;
  /** log(1 + the weight of that largest share): half of two common words tells less than half of two rare ones. */
  readonly held: number;
  /** The share of the utterance's term weight whose terms occur in the memory. */
  readonly known: number;
  /** The best score minus the mean score of ranks 2 to 20. */
  readonly lead: number;
  /** The greatest cosine of a candidate with the query. */
  readonly nearest: number;
  /** log10 of a hundredth of the memory's units. */
  readonly size: number;
  /** By the utterance's language: cosines of Chinese sentences are lower, and Chinese words are counted differently. */
  readonly language: Readonly<Record<Language, number>>;
  /** Whether the utterance asks about a name that the memory has never heard. */
  readonly unknownName: number;
  /** By the kind of utterance. */
  readonly address: Readonly<Record<Address, number>>;
  readonly constant: number;
}

/**
 * Log odds that a hit is relevant, from: the logarithm of its share of Σ e^score, the log odds that the memory contains
 * something, its cosine, and the share of the utterance it contains. Calibration: of the hits with probability p, the
 * share p was marked relevant by the author of the question.
 */
export interface RelevanceWeights {
  readonly share: number;
  readonly answerable: number;
  readonly cosine: number;
  readonly covered: number;
  readonly constant: number;
}

/**
 * Threshold of `answerable` (log odds) for injecting anything, in a memory of a hundred units, and what is added for
 * each tenfold growth: all of a small memory fits into a prompt, and little of it is irrelevant there. A hit with a
 * probability of at least `sure` is always shown. A hit whose score is more than `margin` below the best is never
 * shown.
 */
export interface ShowRule {
  readonly from: number;
  readonly perTenfold: number;
  readonly sure: number;
  readonly margin: number;
}

/** Two logistic models (`conversation/probability.ts`) and their thresholds. */
export interface Judge {
  readonly answerable: AnswerableWeights;
  readonly matters: RelevanceWeights;
  readonly tell: ShowRule;
}

/** When to inject. */
export interface InjectRule extends Judge {
  /** The same when nothing has a vector: keyword matches alone need other weights. */
  readonly wordsAlone: Judge;
  /**
   * In the first conversations nearly every word is new. `bonus` is added to the log odds in an empty memory and falls
   * to 0 at `documents` units. It applies in full if the share `covered` of the utterance matches, and in proportion
   * below.
   */
  readonly young: { readonly documents: number; readonly bonus: number; readonly covered: number };
  /** Like `assumedTurns` above, for `known`: a small number, but enough that in a first conversation some words are known. */
  readonly assumedTurns: number;
  /** Minimum probability for each label. */
  readonly high: number;
  readonly medium: number;
}

const ADDRESS: AnswerableWeights['address'] = { open: 0, small_talk: -8, task: -8, knowledge: -4 };

/**
 * Of 1,300 questions about a name, one in fifty asks about a name that its own memory lacks, but four in five about one
 * that another memory lacks. See docs/decisions/0046.
 */
const UNKNOWN_NAME = -5;

const INJECT: InjectRule = {
  answerable: {
    covered: 3.81,
    coveredByBest: 2.39,
    held: 0,
    known: 0,
    lead: 0.24,
    nearest: 9.84,
    size: -0.77,
    unknownName: UNKNOWN_NAME,
    language: { en: 0.2, ja: 0.2, zh: 1 },
    address: ADDRESS,
    constant: -7.31,
  },
  matters: { share: 0.97, answerable: 0.37, cosine: 0.26, covered: -1, constant: -0.52 },
  tell: { from: -0.35, perTenfold: 0.5, sure: 0.35, margin: 2 },
  wordsAlone: {
    answerable: {
      covered: 1.34,
      coveredByBest: 3.33,
      held: 1.12,
      known: 2.43,
      lead: 0.52,
      nearest: 0,
      size: -1.01,
      unknownName: UNKNOWN_NAME,
      language: { en: 0, ja: 0, zh: 0.3 },
      address: ADDRESS,
      constant: -6.26,
    },
    matters: { share: 1.08, answerable: 0.3, cosine: 0, covered: 1.89, constant: -0.34 },
    tell: { from: 0.1, perTenfold: 0.1, sure: 0.5, margin: 1.4 },
  },
  young: { documents: 10, bonus: 3.2, covered: 0.2 },
  assumedTurns: 20,
  high: 0.07,
  medium: 0.05,
};

/** The default profile. */
export const CONVERSATION_PROFILE: ConversationProfile = {
  base: 'conversation',
  name: 'conversation',
  weights: WEIGHTS,
  growth: GROWTH,
  inject: INJECT,
};

/** The weights in a memory of this many units. */
export function weightsAt({ weights, growth }: ConversationProfile, documents: number): ConversationWeights {
  const tenfolds = Math.log10(Math.min(GROWTH_ENDS, Math.max(GROWTH_BEGINS, documents)) / 100);
  return recordOf(keysOf(weights), (feature) => weights[feature] + (growth[feature] ?? 0) * tenfolds);
}

/** Memory sizes (units) between which the weights change; other sizes were not measured. */
const GROWTH_BEGINS = 5;
const GROWTH_ENDS = 10_000;
