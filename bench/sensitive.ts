/**
 * Measures how well personal data is found, by kind and language, and what the search costs for each turn. `--misses`
 * prints the sentences of the development part that are judged wrongly.
 */
import { readFileSync } from 'node:fs';
import { SENSITIVE_KINDS, type SensitiveKind } from '../src/model/model.ts';
import { findSensitive } from '../src/text/text.ts';
import {
  judge,
  type Language,
  LANGUAGES,
  measure,
  type Part,
  PARTS,
  readSentences,
  type Sentence,
} from '../test/sensitive/conversations/conversations.ts';

const NAMES: Record<Part, string> = {
  development: 'development',
  heldOut: 'first held-out set',
  heldOutLater: 'second held-out set',
  heldOutLast: 'last held-out set',
};
const sentences = LANGUAGES.flatMap(readSentences);

for (const part of PARTS) {
  const ofPart = sentences.filter((one) => one.part === part);
  const misses = ofPart.filter(({ value }) => value === null).length;
  console.log(`\n${NAMES[part]}: ${ofPart.length} sentences, ${misses} near misses. F1 (precision, recall):`);
  console.table(
    Object.fromEntries(
      SENSITIVE_KINDS.map((kind) => [
        kind,
        Object.fromEntries(LANGUAGES.map((language) => [language, cellOf(ofPart, kind, language)])),
      ]),
    ),
  );
}
if (process.argv.includes('--misses'))
  for (const sentence of sentences.filter(({ part }) => part === 'development'))
    for (const kind of SENSITIVE_KINDS) {
      const { missed, wrong } = judge(sentence, kind);
      if (missed || wrong > 0) console.log(`${kind} ${missed ? 'missed' : 'wrong'}: ${sentence.text}`);
    }

function cellOf(of: readonly Sentence[], kind: SensitiveKind, language: Language): string {
  const { precision, recall, f1 } = measure(
    of.filter((one) => one.language === language),
    kind,
  );
  return `${f1.toFixed(2)} (${precision.toFixed(2)}, ${recall.toFixed(2)})`;
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
