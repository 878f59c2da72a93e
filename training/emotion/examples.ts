// The sentences for training and measuring.
//
//   sentences.*.tsv  written for this project: emotions, a tab, the sentence; half are held out
//   phrases.*.txt    written for this project: an emotion, then short utterances of it; all for training
//   the lexicon      each of its words and emoji; all for training
//   labels.tsv       the emotions of a Tatoeba sentence, by the hash of its English; a third is held out

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { staticModel } from '../../src/llm/bundled.ts';
import { indexLexicon, type Feelings } from '../../src/llm/emotion/lexicon.ts';
import { KEY_COUNT, viewSentence, type SentenceView } from '../../src/llm/emotion/sentence.ts';
import { FEELINGS_OF_EMOJI } from '../../src/llm/emotion/signs.ts';
import { ENGLISH } from '../../src/llm/emotion/wordsEn.ts';
import { JAPANESE } from '../../src/llm/emotion/wordsJa.ts';
import { CHINESE } from '../../src/llm/emotion/wordsZh.ts';
import { EMOTION_KEYS } from '../../src/model/model.ts';
import type { Language } from '../../src/text/text.ts';
import { readPairs } from '../pairs.ts';

export interface Example {
  readonly language: Language;
  readonly text: string;
  readonly view: SentenceView;
  /** For each key 1 if it shows, 0.5 if it shows slightly, else 0. */
  readonly shows: Float32Array;
  readonly source: 'sentences' | 'phrases' | 'lexicon' | 'tatoeba';
  /** Similar sentences in all languages are in one group, so that none is in both training and measuring. */
  readonly group: string;
  /** Never used for training. */
  readonly isHeldOut: boolean;
}

/** A word of the lexicon with a lower strength shows an emotion slightly. */
const PLAIN_STRENGTH = 0.5;
const LANGUAGES = ['en', 'ja', 'zh'] as const;
/** Written sentences with at least this cosine are in one group: mostly translations. */
const SAME_GROUP_COSINE = 0.6;
/** A phrase with at least this cosine to a measured sentence is not used for training. */
const TOO_NEAR_COSINE = 0.75;

/** @param pairs a folder with `ja-en.tsv` and `zh-en.tsv`. */
export function readExamples(pairs: string): Example[] {
  return [...readSentences(), ...readPhrases(), ...readLexicon(), ...readTatoeba(pairs)];
}

/** Whether it is a whole utterance, used for measuring; the others are only for training. */
export function isUtterance({ source }: Example): boolean {
  return source === 'sentences' || source === 'tatoeba';
}

/** The examples that may be used for training when `measured` are used for measuring. */
export function withoutNear(examples: readonly Example[], measured: readonly Example[]): Example[] {
  const vectors = measured.flatMap(({ source, view }) => (source === 'sentences' ? [view.vector] : []));
  return examples.filter(
    ({ source, view }) =>
      source !== 'phrases' || vectors.every((vector) => cosine(vector, view.vector) <= TOO_NEAR_COSINE),
  );
}

function readSentences(): Example[] {
  const rows = LANGUAGES.flatMap((language) =>
    linesOf(`sentences.${language}.tsv`).map((line) => {
      const [feelings = '', text = ''] = line.split('\t');
      return { language, feelings, text, vector: staticModel().embed(text) };
    }),
  );
  const groups = groupAlike(rows.map(({ vector }) => vector));
  return rows.map(({ language, feelings, text }, i) => {
    const group = rows[groups[i] ?? i]?.text ?? text;
    return example(language, text, feelings, 'sentences', group, hashOf(group) % 2 === 0);
  });
}

function readPhrases(): Example[] {
  return LANGUAGES.flatMap((language) =>
    linesOf(`phrases.${language}.txt`).flatMap((line) => {
      const [feeling = '', phrases = ''] = line.split(/: (.*)/);
      return phrases
        .split(' | ')
        .map((phrase) => example(language, phrase, feeling, 'phrases', phrase, false));
    }),
  );
}

function readLexicon(): Example[] {
  const words = {
    en: new Map([...indexLexicon(ENGLISH, /,/), ...FEELINGS_OF_EMOJI]),
    ja: indexLexicon(JAPANESE, /\s/),
    zh: indexLexicon(CHINESE, /\s/),
  };
  const label = ([key, strength]: Feelings[number]) => (strength < PLAIN_STRENGTH ? `${key}~` : key);
  return LANGUAGES.flatMap((language) =>
    [...words[language]].map(([word, feelings]) =>
      example(language, word, feelings.map(label).join(','), 'lexicon', word, false),
    ),
  );
}

function readTatoeba(folder: string): Example[] {
  const labels = new Map(linesOf('labels.tsv').map((line) => line.split('\t') as [string, string]));
  const found = LANGUAGES.flatMap((language) =>
    language === 'en'
      ? []
      : readPairs(folder, language).flatMap(({ foreign, english }) => {
          const key = labelKey(english);
          const feelings = labels.get(key);
          return feelings === undefined ? [] : [{ language, foreign, english, key, feelings }];
        }),
  );
  const seen = new Set<string>();
  const examples: Example[] = [];
  const isHeldOut = (key: string) => Number.parseInt(key.slice(0, 4), 16) % 3 === 0;
  const add = (language: Language, text: string, feelings: string, key: string) => {
    const identity = language === 'en' ? key : text;
    if (seen.has(identity)) return;
    seen.add(identity);
    examples.push(example(language, text, feelings, 'tatoeba', key, isHeldOut(key)));
  };
  // If a sentence has several translations, the held-out one is kept.
  for (const pair of found.toSorted((a, b) => Number(isHeldOut(b.key)) - Number(isHeldOut(a.key)))) {
    add('en', pair.english, pair.feelings, pair.key);
    add(pair.language, pair.foreign, pair.feelings, pair.key);
  }
  return examples;
}

function example(
  language: Language,
  text: string,
  feelings: string,
  source: Example['source'],
  group: string,
  isHeldOut: boolean,
): Example {
  return {
    language,
    text,
    view: viewSentence(text, language),
    shows: showsOf(feelings),
    source,
    group,
    isHeldOut,
  };
}

/** "joy,trust~": joy, and trust slightly. */
function showsOf(feelings: string): Float32Array {
  const shows = new Float32Array(KEY_COUNT);
  if (feelings === 'none') return shows;
  for (const feeling of feelings.split(',')) {
    const k = EMOTION_KEYS.indexOf(feeling.replace('~', '') as (typeof EMOTION_KEYS)[number]);
    if (k < 0) throw new Error(`no feeling is called ${feeling}`);
    shows[k] = feeling.endsWith('~') ? 0.5 : 1;
  }
  return shows;
}

/** The key of a label's sentence: the hash of its letters and digits. */
function labelKey(english: string): string {
  const letters = english.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return createHash('sha256').update(letters).digest('hex').slice(0, 12);
}

export function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32LE();
}

/** For each vector the first one of its group: similar pairs are joined to groups. */
function groupAlike(vectors: readonly Float32Array[]): number[] {
  const first = vectors.map((_, i) => i);
  const rootOf = (i: number): number => (first[i] === i ? i : (first[i] = rootOf(first[i] ?? i)));
  vectors.forEach((vector, i) => {
    for (let j = 0; j < i; j++) {
      if (cosine(vector, vectors[j] ?? vector) > SAME_GROUP_COSINE) first[rootOf(i)] = rootOf(j);
    }
  });
  return first.map((_, i) => rootOf(i));
}

function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += (a[d] ?? 0) * (b[d] ?? 0);
  return sum;
}

function linesOf(name: string): string[] {
  return readFileSync(join(import.meta.dirname, name), 'utf8')
    .split('\n')
    .filter(Boolean);
}
