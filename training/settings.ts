import type { LossWeights } from './loss.ts';

/** Everything about a training run that is not its inputs, its length or its seed. */
export const SETTINGS = {
  /** Dimensions of a vector. */
  width: 256,
  /** Rows that belong to one feature each, and rows that all other features share (a multiple of 24). */
  ownRows: 66_000,
  sharedRows: 24_000,
  /** Texts in a batch: half as many pairs, or as many texts of one language. */
  batchTexts: 512,
  /** Alike texts that stay together in a batch. */
  groupTexts: 32,
  /** Adagrad's first rate, falling in a straight line to nothing, and what its squares begin at. */
  rate: 0.015,
  firstSquares: 1e-6,
  /**
   * The share of a text's features that is left out each time, by kind: word, pair, mark, letters 3–5,
   * characters 1–4. The longer a feature, the more of the training texts it knows by heart, and the less of any
   * other: so the shorter ones learn to do without it. The finished rows are scaled by the share that was kept.
   */
  dropout: [0.15, 0.4, 0.15, 0.2, 0.2, 0.3, 0.1, 0.4, 0.5, 0.5],
  /** The share of dictionary entries that an epoch sees, and how often it sees a Chinese sentence pair. */
  wordShare: 0.35,
  chineseRepeats: 2,
  /** The share of each language's texts that an epoch sees without their translations. */
  aloneShare: { ja: 1, zh: 1, en: 0.5 },
  /** The same for single words among them. */
  aloneWordShare: 0.3,
  /** In such batches, how much of the target is the likeness of letters. */
  aloneSurface: { ja: 0.2, zh: 0, en: 0.2 },
} as const;

export const LOSS_WEIGHTS: LossWeights = {
  contrast: 0.1,
  sharpness: 20,
  teacherTemperature: 0.05,
  surfaceEnglish: 0.3,
  surfaceJapanese: 0.4,
  surfaceChinese: 0.3,
  chineseTeacher: 0.7,
  matchFloor: 0.2,
};
