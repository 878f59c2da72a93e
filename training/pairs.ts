import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A Japanese or Chinese sentence and its English. */
export interface TranslationPair {
  readonly language: 'ja' | 'zh';
  readonly foreign: string;
  readonly english: string;
}

/** The pairs of `ja-en.tsv` or `zh-en.tsv` in a folder: a sentence, a tab and its English on each line. */
export function readPairs(folder: string, language: 'ja' | 'zh'): TranslationPair[] {
  return readFileSync(join(folder, `${language}-en.tsv`), 'utf8')
    .split('\n')
    .map((line) => line.trim().split('\t'))
    .filter((fields) => fields.length === 2)
    .map(([foreign = '', english = '']) => ({ language, foreign, english: joinTokens(english) }));
}

/** Undoes the tokenisation of the Tanaka corpus: "i can 't ." → "i can't." */
function joinTokens(text: string): string {
  return text
    .replace(/ (n't|'(?:t|s|m|re|ve|ll|d)\b)/gi, '$1')
    .replace(/ ([.,!?;:%)])/g, '$1')
    .replace(/([($]) /g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}
