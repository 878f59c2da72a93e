/** What a conversation profile weighs and when it injects. What it reads and how is the same for all of them. */
export interface ConversationProfile {
  readonly base: 'conversation';
  readonly name: string;
  readonly weights: ConversationWeights;
  readonly inject: InjectRule;
}

export type ConversationFeature = keyof typeof WEIGHTS;
export type ConversationWeights = Readonly<Record<ConversationFeature, number>>;

/** The features of the `conversation` profile; what each means stands at its weight. */
const WEIGHTS = {
  /** Words: BM25 of the turn read with the question it answers, as a share of the best turn's. An answer rarely repeats its question. */
  answer: 2.4,
  /** Words: BM25 of the turn read with the turns beside it. What matters is often said over two or three turns. */
  exchange: 1.7,
  /** Words: what the turns around it hold, less with each turn between. What is told takes several turns. */
  nearby: 1.1,
  /** Words: how much of the query its conversation covers. */
  conversationCover: 0.2,
  /** Words: the best turn of its conversation. */
  conversationBest: 2.4,
  /** It was said by someone whom the query names. */
  speaker: 1.9,
  /** It says the name of someone whom the query names: who wrote to them, or told of them. */
  mention: 0.5,
  /** It is from the time the query asks about, or tells of it; less up to two weeks after and three days before. */
  date: 4,
  /** The query asks when, and the turn names a time. */
  when: 1,
  /** Its speaker talks longer than the others: long answers of an assistant share words with everything. */
  talkative: -0.4,
  /** Its speaker mostly asks and has a large part in the conversations: who interviews is not who tells. */
  asking: -2.8,
  /** It opens its conversation, and its speaker is not the talkative one: people begin with what they came for. */
  opening: 1.8,
  /** Meaning: cosine with the query, less what every turn has in common. */
  cosine: 2.3,
  /** Meaning: the best cosine around it, less with each turn between. */
  nearbyCosine: 3.7,
  /** Meaning: cosine of the turn that follows: a question is as good as its answer. */
  nextCosine: 1.7,
  /**
   * It feels like what is wanted (`mood.ts`). It helps a companion's user a little and nobody else, nor harms them: see
   * docs/decisions/0011.
   */
  emotion: 0.5,
  /**
   * The utterance names by its kind alone what it takes as known (“that trip”), and it speaks of such a thing. Looked for
   * only where words find nothing sure; what they find by chance weighs less than this.
   */
  referent: 12,
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
} as const;

/**
 * When to inject: z = Σ of the first four × what `Confidence` describes, + `constant`; a hit's own z is less by `below`
 * for each point that its score lies under the best.
 */
export interface InjectRule {
  readonly known: number;
  readonly covered: number;
  readonly terms: number;
  readonly stands: number;
  readonly constant: number;
  /** As `assumedTurns` above, for what the memory knows: few, but enough that a first talk is not all unknown words. */
  readonly assumedTurns: number;
  /**
   * `bonus` is added to z in a memory without turns, less with each, down to 0 at so many `turns`: in the first talks
   * nearly every word is new, and all there is fits into a prompt.
   */
  readonly young: { readonly turns: number; readonly bonus: number };
  readonly below: number;
  /** Where z must lie for a hit to be so called. */
  readonly high: number;
  readonly medium: number;
}

/** The default profile. Its rule is fitted so that a query asked in somebody else's memory brings up little. */
export const CONVERSATION_PROFILE: ConversationProfile = {
  base: 'conversation',
  name: 'conversation',
  weights: WEIGHTS,
  inject: {
    known: 10.1,
    covered: 4.2,
    terms: 1.4,
    stands: 0.44,
    constant: -10.35,
    assumedTurns: 20,
    young: { turns: 16, bonus: 6 },
    below: 0.25,
    high: 0.3,
    medium: -0.17,
  },
};
