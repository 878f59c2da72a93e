// Measures the data file on held-out examples, next to the lexicon alone.
//
//   node training/emotion/evaluate.ts --pairs DIR [--model FILE]

import { parseArgs } from 'node:util';
import { CLASSIFIER_PATH, loadClassifier } from '../../src/llm/emotion/classifier.ts';
import { emotionOfCues } from '../../src/llm/emotion/cues.ts';
import { inferWith } from '../../src/llm/emotion/emotion.ts';
import { readExamples, type Example } from './examples.ts';
import { calibrationError, figuresOf, reliabilityOf, type Judged } from './measure.ts';

/** The best threshold of the lexicon alone on the training examples: its weakest words have 0.25. */
const LEXICON_SHOWS = 0.25;

function rowOf(name: string, judged: readonly Judged[], threshold?: number): Record<string, string | number> {
  return rounded({ '': name, ...figuresOf(judged, threshold) });
}

function rounded(row: object): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, Number.isInteger(value) ? value : shorten(value)]),
  );
}

function shorten(value: unknown): string {
  return typeof value === 'number' ? value.toFixed(3) : String(value);
}

function main(): void {
  const { values } = parseArgs({
    options: {
      pairs: { type: 'string', default: '' },
      model: { type: 'string', default: CLASSIFIER_PATH },
    },
  });
  const heldOut = readExamples(values.pairs).filter((one) => one.isHeldOut);
  const classifier = loadClassifier(values.model);
  const infer = ({ text, language }: Example) => inferWith(classifier, text, language);
  const lexicon = ({ text, language }: Example) => ({
    values: emotionOfCues(text, language).values,
    confidence: 0,
  });
  const judgeBy = (by: typeof infer) => heldOut.map((example) => ({ example, emotion: by(example) }));
  const judged = judgeBy(infer);
  const baseline = judgeBy(lexicon);

  const table = (['sentences', 'tatoeba'] as const).flatMap((source) =>
    (['en', 'ja', 'zh'] as const).flatMap((language) => {
      const isIn = ({ example }: Judged) => example.source === source && example.language === language;
      return [
        rowOf(`${source} ${language}`, judged.filter(isIn)),
        rowOf(`${source} ${language}, lexicon alone`, baseline.filter(isIn), LEXICON_SHOWS),
      ];
    }),
  );
  console.table(table);
  for (const language of ['en', 'ja', 'zh'] as const) {
    const bins = reliabilityOf(judged.filter(({ example }) => example.language === language));
    console.log(`confidence, ${language}: calibration error ${calibrationError(bins).toFixed(3)}`);
    console.table(bins.map(rounded));
  }
  const startedAt = performance.now();
  for (const one of heldOut) infer(one);
  console.log(`${((performance.now() - startedAt) / heldOut.length).toFixed(3)} ms a sentence`);
}

main();
