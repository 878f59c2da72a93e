/** The cost for each turn of detecting personal data: the samples, and the same with a phone number in each turn. */
import { readFileSync } from 'node:fs';
import { findSensitive } from '../src/text/text.ts';

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
