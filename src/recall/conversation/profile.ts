/** The `conversation` profile: every number that decides what is recalled, in one place, each with its reason. */
export const CONVERSATION = {
  bm25: { k1: 0.9, b: 0.75 },
  /** Shorter documents count as this long, so that “yes, a cat” is no better an answer than a whole sentence. Terms. */
  lengthFloor: 20,
  /** A context line's terms count this much … */
  contextWeight: 0.3,
  /** … times this for each line further back. */
  contextDecay: 0.7,
  contextLines: 6,
  /** How much the last lines' vectors count beside the utterance's. */
  contextVectorWeight: 0.5,
  contextVectorLines: 3,
  /** A date window's edges: share left after so many days. */
  dateTauDays: 7,
  dateDaysBefore: 3,
  dateDaysAfter: 14,
  weights: {
    cat: 3,
    next: 1.2,
    assistant: -1.6,
    speaker: 2,
    session: 0.65,
    date: 2.5,
    dice: 2,
    name: 1,
    when: 1.2,
    cosine: 5,
    cosineSession: 3,
  },
  /** z = known × nBM + stands × (top1 − mean of ranks 2–20) + constant. */
  inject: { known: 1.63, stands: 1.13, constant: -3.09, high: 1, medium: 0 },
} as const;
