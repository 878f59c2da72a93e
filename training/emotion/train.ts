// Trains the emotion classifier. README.md in this folder describes the training data.
//
//   node training/emotion/train.ts --pairs DIR --out FILE [--seed 1]

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import {
  CALIBRATION_COUNT,
  createClassifier,
  evidenceOf,
  sigmoid,
} from '../../src/llm/emotion/classifier.ts';
import { inferWith } from '../../src/llm/emotion/emotion.ts';
import { hashOf, isUtterance, readExamples, withoutNear, type Example } from './examples.ts';
import { fit, type Fitted } from './fit.ts';
import { isRight, type Judged } from './measure.ts';
import { encodeWeights, quantise } from './weightsFile.ts';

const USAGE = `Trains the classifier of emotions.

  node training/emotion/train.ts --pairs DIR --out FILE [--seed 1]

  --pairs  a folder with ja-en.tsv and zh-en.tsv (see README.md)
  --out    the data file to write; its SHA-256 is written beside it`;

const FOLDS = 5;
/** Number of steps and learning rate of the calibration. */
const CALIBRATION_STEPS = 5_000;
const CALIBRATION_RATE = 0.2;

interface Tried extends Judged {
  readonly evidence: ReturnType<typeof evidenceOf>;
}

/** Classifies each utterance with a model that was not trained on it. */
function tryInFolds(examples: readonly Example[], seed: number): Tried[] {
  const foldOf = ({ group }: Example) => hashOf(`fold ${group}`) % FOLDS;
  return Array.from({ length: FOLDS }, (_, fold) => {
    const measured = examples.filter((one) => isUtterance(one) && foldOf(one) === fold);
    const learned = examples.filter((one) => !isUtterance(one) || foldOf(one) !== fold);
    return tryOn(measured, fit(withoutNear(learned, measured), seed));
  }).flat();
}

function tryOn(measured: readonly Example[], fitted: Fitted): Tried[] {
  const classifier = createClassifier(quantise(fitted, new Float32Array(CALIBRATION_COUNT)));
  return measured.map((example) => {
    let evidence = evidenceOf(new Float32Array());
    const confidence = (shown: Float32Array) => {
      evidence = evidenceOf(shown);
      return 0;
    };
    const emotion = inferWith({ ...classifier, confidence }, example.text, example.language);
    return { example, emotion, evidence };
  });
}

/**
 * The calibration of the confidence: σ(intercept + slopes · logits of the two strongest) is the probability that the
 * strongest emotion is correct; other parameters give the probability that “none” is correct. Both sources have the
 * same weight.
 */
function calibrate(tried: readonly Tried[]): Float32Array {
  const counts = Map.groupBy(tried, ({ example }) => example.source);
  const weigh = ({ example }: Tried) => 1 / (counts.get(example.source)?.length ?? 1);
  return Float32Array.from([
    ...fitLogistic(
      tried.filter(({ evidence }) => evidence.shows),
      weigh,
    ),
    ...fitLogistic(
      tried.filter(({ evidence }) => !evidence.shows),
      weigh,
    ),
  ]);
}

/** Logistic regression of correctness, by gradient descent. */
function fitLogistic(tried: readonly Tried[], weigh: (one: Tried) => number): number[] {
  const total = tried.reduce((sum, one) => sum + weigh(one), 0);
  const cases = tried.map((one) => ({
    inputs: [1, ...one.evidence.inputs],
    right: Number(isRight(one)),
    weight: weigh(one) / total,
  }));
  const coefficients = [0, 0, 0];
  for (let step = 0; step < CALIBRATION_STEPS; step++) {
    const slopes = [0, 0, 0];
    for (const { inputs, right, weight } of cases) {
      const found = sigmoid(inputs.reduce((sum, x, i) => sum + x * (coefficients[i] ?? 0), 0));
      inputs.forEach((x, i) => (slopes[i] = (slopes[i] ?? 0) + weight * (right - found) * x));
    }
    slopes.forEach((slope, i) => (coefficients[i] = (coefficients[i] ?? 0) + CALIBRATION_RATE * slope));
  }
  return coefficients;
}

function main(): void {
  const { values } = parseArgs({
    options: {
      pairs: { type: 'string', default: '' },
      out: { type: 'string', default: '' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.pairs === '' || values.out === '') {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const seed = Number(values.seed);
  const all = readExamples(values.pairs);
  const heldOut = all.filter((one) => one.isHeldOut);
  const examples = withoutNear(
    all.filter((one) => !one.isHeldOut),
    heldOut,
  );
  const calibration = calibrate(tryInFolds(examples, seed));
  const fitted = fit(examples, seed);
  const bytes = encodeWeights(quantise(fitted, calibration));
  const digest = createHash('sha256').update(bytes).digest('hex');
  writeFileSync(values.out, bytes);
  writeFileSync(values.out.replace(/\.bin$/, '.sha256'), `${digest}  ${basename(values.out)}\n`);
  console.log({
    learned: examples.length,
    heldOut: heldOut.length,
    features: fitted.hashes.length,
    bytes: bytes.length,
    calibration: [...calibration],
  });
}

main();
