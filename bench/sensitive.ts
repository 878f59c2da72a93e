/**
 * Measures how well personal data is found, by kind and language, and what the search costs for each turn. `--misses`
 * prints the sentences of the development part that are judged wrongly.
 */
import { readFileSync } from 'node:fs';
import { SENSITIVE_KINDS } from '../src/model/model.ts';
import { findSensitive } from '../src/text/text.ts';
import {
  judge,
  LANGUAGES,
  measure,
  readSentences,
  type Sentence,
} from '../test/sensitive/conversations/conversations.ts';

const PARTS: [string, (sentence: Sentence) => boolean][] = [
  ['development', ({ part }) => part === 'development'],
  ['held-out half', ({ part }) => part === 'heldOut'],
  ['held out, written later', ({ part }) => part === 'heldOutLater'],
  ['all', () => true],
];

for (const language of LANGUAGES) {
  const sentences = readSentences(language);
  for (const [name, isPart] of PARTS) {
    const part = sentences.filter(isPart);
    console.log(
      `\n${language}, ${name}: ${part.length} sentences, ${part.filter(({ value }) => value === null).length} near misses`,
    );
    console.table(
      Object.fromEntries(
        SENSITIVE_KINDS.map((kind) => {
          const { precision, recall, f1 } = measure(part, kind);
          return [kind, { precision: precision.toFixed(3), recall: recall.toFixed(3), F1: f1.toFixed(3) }];
        }),
      ),
    );
  }
  if (process.argv.includes('--misses'))
    for (const sentence of sentences.filter(({ part }) => part === 'development'))
      for (const kind of SENSITIVE_KINDS) {
        const { missed, wrong } = judge(sentence, kind);
        if (missed || wrong > 0) console.log(`${kind} ${missed ? 'missed' : 'wrong'}: ${sentence.text}`);
      }
}

const ROUNDS = 200;

const texts = ['ja', 'zh', 'en'].flatMap((language) =>
  readFileSync(new URL(`../examples/conversations/${language}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const { text, content } = JSON.parse(line) as { text?: string; content?: string };
      return text ?? content ?? [];
    }),
);

function microseconds(of: readonly string[]): number {
  const startedAt = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) for (const text of of) findSensitive(text);
  return ((performance.now() - startedAt) * 1_000) / (ROUNDS * of.length);
}

const withNumbers = texts.map((text) => `${text} 090-1234-5678`);
for (const warm of [texts, withNumbers]) microseconds(warm);
const withoutDigits = texts.filter((text) => !/[\d@]/.test(text));
console.log(
  `${withoutDigits.length} turns without digits: ${microseconds(withoutDigits).toFixed(2)} µs each`,
);
console.log(`${texts.length} turns of the samples: ${microseconds(texts).toFixed(2)} µs each`);
console.log(`the same with a phone number: ${microseconds(withNumbers).toFixed(2)} µs each`);
