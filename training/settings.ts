import type { LossWeights } from './loss.ts';

/** All settings of a training run except inputs, length and seed. */
export const SETTINGS = {
  /** Dimensions of a vector. */
  width: 256,
  /** Number of rows that belong to one feature each, and of rows shared by all other features (a multiple of 24). */
  ownRows: 66_000,
  sharedRows: 24_000,
  /** Texts in a batch: half as many pairs, or as many texts of one language. */
  batchTexts: 512,
  /** Number of similar texts that stay together in a batch. */
  groupTexts: 32,
  /** Adagrad's initial rate, decreasing linearly to 0, and the initial sum of squares. */
  rate: 0.015,
  firstSquares: 1e-6,
  /**
   * The share of a text's features that is dropped at each step, by kind: word, pair, mark, letters 3–5, characters
   * 1–4. Long features are specific to the training texts, so they are dropped more often, and the model learns to use
   * the shorter ones. The finished rows are scaled by the share that was kept.
   */
  dropout: [0.15, 0.4, 0.15, 0.2, 0.2, 0.3, 0.1, 0.4, 0.5, 0.5],
  /** The share of dictionary entries in an epoch, and how often it uses a Chinese sentence pair. */
  wordShare: 0.35,
  chineseRepeats: 2,
  /** The share of each language's texts that an epoch uses without their translations. */
  aloneShare: { ja: 1, zh: 1, en: 0.5 },
  /** The same for single words among them. */
  aloneWordShare: 0.3,
  /** In such batches, the share of surface similarity in the target. */
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
