// The training loss. A batch of 2B texts has B English ones, then the Japanese or Chinese translation of each;
// `student[i][j]` is the cosine of texts i and j, and the gradient by each cosine is written to `slopes`.

export interface LossWeights {
  /** Weight of the contrastive loss relative to the similarity loss. */
  readonly contrast: number;
  /** Inverse temperature of the contrastive loss. */
  readonly sharpness: number;
  /** The teacher's temperature: how far its near-translations count as correct. */
  readonly teacherTemperature: number;
  /** For two texts in one language, the share of surface similarity (letters) in the target. */
  readonly surfaceEnglish: number;
  readonly surfaceJapanese: number;
  readonly surfaceChinese: number;
  /** For two Chinese texts, the share of the Chinese teacher in the rest of the target. */
  readonly chineseTeacher: number;
  /** The similarity loss has weight this + similarity: near pairs matter more than far ones. */
  readonly matchFloor: number;
}

export interface BatchSimilarities {
  readonly size: number;
  /** 2B × 2B: the student's. */
  readonly student: Float32Array;
  /** 2B × 2B: of the untrained model, which compares only letters. */
  readonly surface: Float32Array;
  /** B × B: the English teacher's, of the English texts. */
  readonly teacher: Float32Array;
  /** B × B: the Chinese teacher's, of the Chinese texts, scaled so that unrelated texts are near 0. */
  readonly chinese: Float32Array;
  readonly isChinese: Uint8Array;
}

/** The share of a batch's texts whose nearest text in the other language is the translation. */
export interface BatchScore {
  found: number;
  squaredError: number;
}

/** Soft cross-entropy of choosing each text's translation, in both directions, with the teacher's distribution as target. */
function contrast(
  batch: BatchSimilarities,
  weights: LossWeights,
  slopes: Float32Array,
  score: BatchScore,
): void {
  const { size, student, teacher } = batch;
  const width = 2 * size;
  const logits = new Float32Array(size);
  const targets = new Float32Array(size);
  const scale = (weights.contrast * weights.sharpness) / size;
  for (let side = 0; side < 2; side++) {
    for (let i = 0; i < size; i++) {
      let sum = 0;
      let targetSum = 0;
      let best = 0;
      for (let j = 0; j < size; j++) {
        const at = side === 0 ? i * width + size + j : j * width + size + i;
        const logit = Math.exp(weights.sharpness * ((student[at] as number) - 1));
        const target = Math.exp(((teacher[i * size + j] as number) - 1) / weights.teacherTemperature);
        logits[j] = logit;
        targets[j] = target;
        sum += logit;
        targetSum += target;
        if (logit > (logits[best] as number)) best = j;
      }
      if (best === i) score.found += 0.5 / size;
      for (let j = 0; j < size; j++) {
        const slope = scale * ((logits[j] as number) / sum - (targets[j] as number) / targetSum);
        const row = side === 0 ? i : j;
        const column = size + (side === 0 ? j : i);
        slopes[row * width + column] = (slopes[row * width + column] as number) + slope;
      }
    }
  }
}

/** Squared error of the cosines. */
function match(
  batch: BatchSimilarities,
  weights: LossWeights,
  slopes: Float32Array,
  score: BatchScore,
): void {
  const { size, student, surface, teacher, chinese, isChinese } = batch;
  const width = 2 * size;
  for (let i = 0; i < width; i++) {
    for (let j = i + 1; j < width; j++) {
      const [a, b] = [i % size, j % size];
      const at = i * width + j;
      const meaning = teacher[a * size + b] as number;
      let target = meaning;
      const sameSide = i < size === j < size;
      if (sameSide) {
        const bothChinese = i >= size && isChinese[a] === 1 && isChinese[b] === 1;
        const sameLanguage = i < size || isChinese[a] === isChinese[b];
        if (bothChinese)
          target =
            (1 - weights.chineseTeacher) * meaning +
            weights.chineseTeacher * (chinese[a * size + b] as number);
        const share =
          i < size ? weights.surfaceEnglish : bothChinese ? weights.surfaceChinese : weights.surfaceJapanese;
        if (sameLanguage) target += share * ((surface[at] as number) - target);
      }
      const error = (student[at] as number) - target;
      const slope = ((weights.matchFloor + Math.max(0, target)) * error) / size;
      slopes[at] = (slopes[at] as number) + slope;
      score.squaredError += (error * error) / (width * size);
    }
  }
}

/** Writes the symmetric gradients of the loss to `slopes` (2B × 2B); returns the score of the batch. */
export function lossSlopes(batch: BatchSimilarities, weights: LossWeights, slopes: Float32Array): BatchScore {
  const width = 2 * batch.size;
  const score: BatchScore = { found: 0, squaredError: 0 };
  slopes.fill(0);
  contrast(batch, weights, slopes, score);
  match(batch, weights, slopes, score);
  for (let i = 0; i < width; i++)
    for (let j = i + 1; j < width; j++) slopes[j * width + i] = slopes[i * width + j] as number;
  return score;
}

/**
 * The same for a batch in one language, with its teacher: all sizes are of its N texts. `share` is the share of surface
 * similarity in the target.
 */
export function matchSlopes(
  size: number,
  student: Float32Array,
  surface: Float32Array,
  teacher: Float32Array,
  share: number,
  weights: LossWeights,
  slopes: Float32Array,
): BatchScore {
  const score: BatchScore = { found: 0, squaredError: 0 };
  for (let i = 0; i < size; i++) {
    slopes[i * size + i] = 0;
    for (let j = i + 1; j < size; j++) {
      const at = i * size + j;
      const target = (1 - share) * (teacher[at] as number) + share * (surface[at] as number);
      const error = (student[at] as number) - target;
      const slope = ((weights.matchFloor + Math.max(0, target)) * error) / size;
      slopes[at] = slope;
      slopes[j * size + i] = slope;
      score.squaredError += (2 * error * error) / (size * size);
    }
  }
  return score;
}
