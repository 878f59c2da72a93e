import type { Language } from '../text/text.ts';
import type { Address } from './address.ts';

/** What a conversation profile weighs and when it injects. What it reads and how is the same for all of them. */
export interface ConversationProfile {
  readonly base: 'conversation';
  readonly name: string;
  /** In a memory of a hundred units. */
  readonly weights: ConversationWeights;
  /** What is added to a weight in a memory ten times as large. In a large one words tell more, and meaning less. */
  readonly growth: Readonly<Partial<Record<ConversationFeature, number>>>;
  readonly inject: InjectRule;
}

export type ConversationFeature = keyof typeof WEIGHTS;
export type ConversationWeights = Readonly<Record<ConversationFeature, number>>;

/**
 * The features of the `conversation` profile; what each means stands at its weight. Scores are log odds: e^(difference) is
 * how much likelier one turn is than another. Cosines are in units of how far those of any two texts lie apart.
 */
const WEIGHTS = {
  /** Words: BM25 of the turn, as a share of the best turn's. */
  words: 0.69,
  /** Words: of the turn read with the question it answers. An answer rarely repeats its question. */
  answer: 0.92,
  /** Words: of the turn read with the turns beside it. What matters is often said over two or three turns. */
  exchange: 0.84,
  /** Words: how much of the utterance's weight the turn itself holds. */
  covered: 0.64,
  /** Words: how much of the query its conversation covers. */
  conversationCover: 0.46,
  /** It was said by someone whom the query names. */
  speaker: 2.04,
  /** It is from the time the query asks about, or tells of it; less up to two weeks after and three days before. */
  date: 2.19,
  /** The query asks when, and the turn names a time. */
  when: 0.62,
  /** The query asks how things are: 1 for the newest candidate, 0 for the oldest, half more where it tells of a change. */
  newer: 1.02,
  /** The query asks how things were before: 1 for the oldest candidate, half less where it tells of a change. */
  older: 1.43,
  /** An assistant said it, and the query does not ask what an assistant said. */
  assistant: -1.71,
  /** The query asks what an assistant said: 1 for what it said, −1 for what it was asked. */
  assistantAsked: 0.95,
  /** Its speaker mostly asks and has a large part in the conversations: who interviews is not who tells. */
  asking: -1.32,
  /** Logarithm of its length over the mean length: long turns share words with everything. */
  length: -0.4,
  /** Meaning: cosine with the query, less what every turn has in common. */
  cosine: 0.84,
  /** Meaning: how much nearer the best turn around it is, less with each turn between. */
  nearbyCosine: 0.62,
  /** Meaning: cosine of the turn before. */
  previousCosine: 0.09,
  /** Meaning: cosine of the turn that follows: a question is as good as its answer. */
  nextCosine: 0.14,
  /**
   * It feels like what is wanted (`mood.ts`). It helps a companion's user a little and nobody else, nor harms them: see
   * docs/decisions/0011.
   */
  emotion: 0.25,
  /**
   * The utterance names by its kind alone what it takes as known (“that trip”), and it speaks of such a thing. Looked for
   * only where words find nothing sure; what they find by chance weighs less than this.
   */
  referent: 10,
};

const GROWTH = {
  words: 0.32,
  cosine: -0.24,
};

/** Every other number of the `conversation` profile, each with its reason. */
export const CONVERSATION = {
  /** Saturates sooner than usual (1.2): in a chat a word said twice says little more than once. */
  bm25: { k1: 0.9, b: 0.75 },
  /**
   * A memory's term frequencies are those of its turns and this many more of language at large: of a few dozen turns
   * nobody can tell what is rare.
   */
  assumedTurns: 200,
  /** Shorter turns count as this long, in terms: “yes, a cat” is no better an answer than a whole sentence. */
  lengthFloor: 25,
  /** How much a term of the line just before counts beside one of the utterance: more where the utterance leans on it. */
  contextWeight: { leaning: 0.6, standing: 0.2 },
  /** What is left of that for each line further back. */
  contextDecay: 0.85,
  contextLines: 10,
  /** Terms of the context that come to less than this are left out: they cost as much as the others and move nothing. */
  contextLeast: 0.1,
  /** How much each of the last lines' vectors counts beside the utterance's. */
  contextVectorWeight: { leaning: 0.5, standing: 0.1 },
  contextVectorLines: 3,
  /** Edges of a date window, days: people tell of things days later, seldom before, and mostly on the day itself. */
  date: {
    tauDays: 4,
    daysBefore: 3,
    daysAfter: 14,
    /** What it counts at most to lie beside the window. */
    besideShare: 0.6,
    /** What it counts that a turn of another day talks of the time asked about. */
    toldShare: 0.5,
  },
  /** What is left of a turn's words or meaning for each turn further away, and how far it reaches. */
  nearby: { decay: 0.8, reach: 10 },
  /** Turns of one conversation further apart than this are no exchange. */
  exchangeGapMs: 30 * 60_000,
  /** How far cosines of any two texts lie apart (standard deviation), where the embedder does not say. */
  cosineSpread: 0.08,
} as const;

/** Log odds that the memory holds something for the utterance, fitted on questions of one's own and of others. */
export interface AnswerableWeights {
  /** The largest share of the utterance's weight that one of the best hits holds, read with the turns beside it. */
  readonly covered: number;
  /** The share that the best hit holds itself. */
  readonly coveredByBest: number;
  /** log(1 + what that largest share weighs): the half of two common words is less than the half of two rare ones. */
  readonly held: number;
  /** The share of the utterance's weight that the memory knows at all. */
  readonly known: number;
  /** How far the best score stands above the mean of ranks 2 to 20. */
  readonly lead: number;
  /** The greatest cosine of a candidate with the query. */
  readonly nearest: number;
  /** log10 of a hundredth of the memory's units. */
  readonly size: number;
  /** By the utterance's language: Chinese sentences lie further apart than others, and their words are counted otherwise. */
  readonly language: Readonly<Record<Language, number>>;
  /** By what the utterance wants. */
  readonly address: Readonly<Record<Address, number>>;
  readonly constant: number;
}

/**
 * Log odds that a hit matters: by the logarithm of its share of Σ e^score, the log odds that the memory holds something,
 * its cosine, and how much of the utterance it holds. Of hits with a probability p, the share p is what the author of
 * the question marked.
 */
export interface MattersWeights {
  readonly share: number;
  readonly answerable: number;
  readonly cosine: number;
  readonly covered: number;
  readonly constant: number;
}

/**
 * Log odds of `answerable` from which anything is told, in a memory of a hundred units, and what ten times as many add:
 * all that a small memory holds fits into a prompt, and misses little there. A hit that matters with a probability of
 * `sure` is told in any case. One whose score lies more than `margin` below the best is not, whatever its probability.
 */
export interface TellRule {
  readonly from: number;
  readonly perTenfold: number;
  readonly sure: number;
  readonly margin: number;
}

/** Two logistic models (`conversation/probability.ts`), and where their answers must lie. */
export interface Judge {
  readonly answerable: AnswerableWeights;
  readonly matters: MattersWeights;
  readonly tell: TellRule;
}

/** When to inject. */
export interface InjectRule extends Judge {
  /** The same where nothing has a vector: words alone are other evidence. */
  readonly wordsAlone: Judge;
  /**
   * In the first talks nearly every word is new: so much is added to the log odds in a memory without units, down to 0 at
   * so many, where so much of the utterance is in common, and in proportion where it is less.
   */
  readonly young: { readonly documents: number; readonly bonus: number; readonly covered: number };
  /** As `assumedTurns` above, for what the memory knows: few, but enough that a first talk is not all unknown words. */
  readonly assumedTurns: number;
  /** Probabilities from which a hit is so called. */
  readonly high: number;
  readonly medium: number;
}

const ADDRESS: AnswerableWeights['address'] = { open: 0, small_talk: -8, task: -8, knowledge: -4 };

const INJECT: InjectRule = {
  answerable: {
    covered: 3.81,
    coveredByBest: 2.39,
    held: 0,
    known: 0,
    lead: 0.24,
    nearest: 9.84,
    size: -0.77,
    language: { en: 0, ja: 0.2, zh: 1 },
    address: ADDRESS,
    constant: -7.31,
  },
  matters: { share: 0.97, answerable: 0.37, cosine: 0.26, covered: -1, constant: -0.52 },
  tell: { from: -0.3, perTenfold: 0.5, sure: 0.35, margin: 2 },
  wordsAlone: {
    answerable: {
      covered: 1.34,
      coveredByBest: 3.33,
      held: 1.12,
      known: 2.43,
      lead: 0.52,
      nearest: 0,
      size: -1.01,
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
  const features = Object.keys(weights) as ConversationFeature[];
  return Object.fromEntries(
    features.map((feature) => [feature, weights[feature] + (growth[feature] ?? 0) * tenfolds]),
  ) as ConversationWeights;
}

/** Outside of these sizes nothing was measured. */
const GROWTH_BEGINS = 5;
const GROWTH_ENDS = 10_000;
