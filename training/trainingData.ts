// The texts of a training run as lists of rows, with their teachers' vectors.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Placed } from './batches.ts';
import { SETTINGS } from './settings.ts';
import { chooseVocabulary } from './vocabulary.ts';
import type { Vocabulary } from './vocabulary.ts';

export const ENGLISH_TEACHER_WIDTH = 384;
export const CHINESE_TEACHER_WIDTH = 512;

export interface TaughtPair {
  readonly isChinese: boolean;
  readonly isWord: boolean;
  readonly english: Uint32Array;
  readonly foreign: Uint32Array;
  /** Its index among the English teacher's vectors, and among the Chinese teacher's (0 if Japanese). */
  readonly englishAt: number;
  readonly chineseAt: number;
}

/** Texts of one language with their own teacher. */
export interface TextPool {
  readonly texts: readonly { readonly rows: Uint32Array; readonly share: number }[];
  readonly placed: Placed;
  /** The teacher's mean cosine of unrelated texts; cosines are scaled so that it becomes 0. */
  readonly unrelated: number;
  /** The share of surface similarity in the target. */
  readonly surface: number;
}

export interface TrainingData {
  readonly vocabulary: Vocabulary;
  readonly simplified: Uint16Array;
  readonly pairs: readonly TaughtPair[];
  /** The pairs by the English teacher's vectors. */
  readonly pairsPlaced: Placed;
  readonly chinese: Placed;
  readonly pools: readonly TextPool[];
  readonly unrelatedChinese: number;
}

interface CorpusRow {
  readonly language: string;
  readonly isWord: boolean;
  readonly foreign: string;
  readonly english: string;
}

function lines(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}

function readVectors(path: string): Float32Array {
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

function readCorpus(folder: string): CorpusRow[] {
  return lines(join(folder, 'corpus.tsv'))
    .map((line) => line.split('\t'))
    .filter((fields) => fields[1] === 'train')
    .map(([language = '', , kind, foreign = '', english = '']) => ({
      language,
      isWord: kind === 'word',
      foreign,
      english,
    }));
}

/** The mean cosine of random texts. */
function meanCosine({ vectors, dimensions }: Omit<Placed, 'at'>, random: () => number): number {
  const draws = 5000;
  const count = vectors.length / dimensions;
  let sum = 0;
  for (let draw = 0; draw < draws; draw++) {
    const a = Math.floor(random() * count) * dimensions;
    const b = Math.floor(random() * count) * dimensions;
    for (let d = 0; d < dimensions; d++) sum += (vectors[a + d] ?? 0) * (vectors[b + d] ?? 0);
  }
  return sum / draws;
}

function indexOf(texts: readonly string[]): Map<string, number> {
  return new Map(texts.map((text, i) => [text, i]));
}

export function readTrainingData(folder: string, random: () => number): TrainingData {
  const simplified = new Uint16Array(65536);
  for (const line of lines(join(folder, 'simplify.tsv'))) simplified[line.charCodeAt(0)] = line.charCodeAt(2);
  const corpus = readCorpus(folder);
  const weights = new Map<string, number>();
  for (const { isWord, foreign, english } of corpus)
    weights.set(foreign, isWord ? 0.5 : 1).set(english, isWord ? 0.5 : 1);
  const vocabulary = chooseVocabulary(weights, simplified, SETTINGS.ownRows, SETTINGS.sharedRows);

  const english = lines(join(folder, 'en.txt'));
  const chinese = lines(join(folder, 'zh.txt'));
  const variants = lines(join(folder, 'variants.txt'));
  const englishVectors = readVectors(join(folder, 'en.f32'));
  const ofPairs = readVectors(join(folder, 'zh.f32'));
  const ofVariants = readVectors(join(folder, 'variants.f32'));
  const chineseVectors = new Float32Array(ofPairs.length + ofVariants.length);
  chineseVectors.set(ofPairs);
  chineseVectors.set(ofVariants, ofPairs.length);
  const unrelatedChinese = meanCosine({ vectors: ofPairs, dimensions: CHINESE_TEACHER_WIDTH }, random);

  const englishAt = indexOf(english);
  const chineseAt = indexOf(chinese);
  const pairs = corpus.flatMap((row): TaughtPair[] => {
    const rows = { english: vocabulary.rowsOf(row.english), foreign: vocabulary.rowsOf(row.foreign) };
    if (rows.english.length === 0 || rows.foreign.length === 0) return [];
    const places = {
      englishAt: englishAt.get(row.english) ?? 0,
      chineseAt: chineseAt.get(row.foreign) ?? 0,
    };
    return [{ isChinese: row.language === 'zh', isWord: row.isWord, ...rows, ...places }];
  });

  const sentences = new Set<string>(variants);
  const japanese = new Map<string, number>();
  for (const row of corpus) {
    if (row.isWord) continue;
    sentences.add(row.foreign).add(row.english);
    const isNew = row.language === 'ja' && !japanese.has(row.foreign);
    if (isNew) japanese.set(row.foreign, englishAt.get(row.english) ?? 0);
  }
  function pool(
    language: 'ja' | 'zh' | 'en',
    texts: readonly string[],
    placed: Placed,
    unrelated: number,
  ): TextPool {
    const share = SETTINGS.aloneShare[language];
    return {
      texts: texts.map((text) => ({
        rows: vocabulary.rowsOf(text),
        share: sentences.has(text) ? share : share * SETTINGS.aloneWordShare,
      })),
      placed,
      unrelated,
      surface: SETTINGS.aloneSurface[language],
    };
  }
  const byEnglish = (at: Uint32Array): Placed => ({
    vectors: englishVectors,
    dimensions: ENGLISH_TEACHER_WIDTH,
    at,
  });
  const chineseTexts = [...chinese, ...variants];
  const chinesePlaced: Placed = {
    vectors: chineseVectors,
    dimensions: CHINESE_TEACHER_WIDTH,
    at: Uint32Array.from(chineseTexts.keys()),
  };
  return {
    vocabulary,
    simplified,
    pairs,
    pairsPlaced: byEnglish(Uint32Array.from(pairs, (pair) => pair.englishAt)),
    chinese: chinesePlaced,
    pools: [
      pool('zh', chineseTexts, chinesePlaced, unrelatedChinese),
      pool('ja', [...japanese.keys()], byEnglish(Uint32Array.from(japanese.values())), 0),
      pool('en', english, byEnglish(Uint32Array.from(english.keys())), 0),
    ],
    unrelatedChinese,
  };
}
