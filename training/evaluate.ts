// Measures the encoder's data file joined with the static model, or one of them alone.
//
// node training/evaluate.ts --sts DIR --corpus DIR [--recall DIR] [--embedder joined|static|encoder] [--encoder FILE]
// [--share N] [--sample N]
//
// --encoder default: the bundled file; --share: the share of the static model, default .3 --sts     a folder with
// jsts-train.json, lcqmc-dev.txt and sts2015-en.tsv --corpus  the folder that training/corpus.ts wrote; only its unseen
// pairs are read --recall  a folder with evaluation sets (docs/evaluating.md): firstcontact-en, -zh, -ja and
// longmemeval-en, as far as they exist --sample  number of pairs from each set of sentence pairs; default all

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ENCODER_PATH, loadEncoder } from '../src/llm/encoder/encoder.ts';
import { loadStaticModel } from '../src/llm/static/static.ts';
import { areaUnderRoc, dot, foundAmong, spearman } from './measure.ts';
import type { ScoredPair } from './measure.ts';

const AMONG = 500;
const RUNS = 200;

/** Embeds a text as a vector of length 1. */
export type Embed = (text: string) => Float32Array;

function lines(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}

function readJsts(path: string): ScoredPair[] {
  return lines(path).map((line) => {
    const { sentence1, sentence2, label } = JSON.parse(line);
    return { first: sentence1, second: sentence2, label };
  });
}

function readLcqmc(path: string): ScoredPair[] {
  return lines(path).map((line) => {
    const [first = '', second = '', label = ''] = line.split('\t');
    return { first, second, label: Number(label) };
  });
}

function readSts(path: string): ScoredPair[] {
  return lines(path).flatMap((line) => {
    const [label = '', first = '', second = ''] = line.split('\t');
    return label.trim() === '' ? [] : [{ first, second, label: Number(label) }];
  });
}

/** `count` of the items, evenly spread. */
function spread<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return Array.from({ length: Math.min(count, items.length) }, (_, i) => items[Math.floor(i * step)] as T);
}

/** Held-out pairs without a common text, spread evenly over the corpus. */
function readUnseen(path: string, language: string): [foreign: string, english: string][] {
  const seen = new Set<string>();
  const pairs: [string, string][] = [];
  for (const line of lines(path)) {
    const [lang, split, , foreign = '', english = ''] = line.split('\t');
    if (lang !== language || split !== 'unseen') continue;
    if (seen.has(foreign) || seen.has(english.toLowerCase())) continue;
    seen.add(foreign).add(english.toLowerCase());
    pairs.push([foreign, english]);
  }
  return spread(pairs, AMONG);
}

/** Spearman's ρ (jsts, sts15) and the area under ROC (lcqmc) of the cosine. */
export function evaluatePairs(embed: Embed, sts: string, sample: number): Record<string, number> {
  const measure = (pairs: ScoredPair[], by: typeof spearman): number => {
    const some = spread(pairs, sample);
    const cosines = some.map(({ first, second }) => dot(embed(first), embed(second)));
    return by(
      cosines,
      some.map((pair) => pair.label),
    );
  };
  return {
    jsts: measure(readJsts(join(sts, 'jsts-train.json')), spearman),
    lcqmc: measure(readLcqmc(join(sts, 'lcqmc-dev.txt')), areaUnderRoc),
    sts15: measure(readSts(join(sts, 'sts2015-en.tsv')), spearman),
  };
}

/** The share of translations found among 500, for each of four directions. */
export function evaluateTranslations(embed: Embed, corpus: string): Record<string, number> {
  const result: Record<string, number> = {};
  for (const language of ['ja', 'zh']) {
    const pairs = readUnseen(join(corpus, 'corpus.tsv'), language);
    const foreign = pairs.map(([text]) => embed(text));
    const english = pairs.map(([, text]) => embed(text));
    result[`${language}→en`] = foundAmong(foreign, english);
    result[`en→${language}`] = foundAmong(english, foreign);
  }
  return result;
}

interface Turn {
  readonly conv_id: string;
  readonly turn_id: string;
  readonly speaker: string;
  readonly text: string;
}

interface Query {
  readonly conv_id: string;
  readonly text: string;
  readonly evidence: readonly string[];
  readonly unanswerable?: boolean;
}

/** The share of each answerable query's evidence among its `first` turns by cosine alone; turns include the speaker's name. */
export function evaluateRecall(embed: Embed, set: string, first: number): number {
  const memories = new Map<string, { id: string; vector: Float32Array }[]>();
  for (const line of lines(join(set, 'history.jsonl'))) {
    const turn = JSON.parse(line) as Turn;
    const memory = memories.get(turn.conv_id) ?? [];
    memory.push({ id: turn.turn_id, vector: embed(`${turn.speaker}: ${turn.text}`) });
    memories.set(turn.conv_id, memory);
  }
  const shares = lines(join(set, 'queries.jsonl'))
    .map((line) => JSON.parse(line) as Query)
    .filter(({ evidence, unanswerable }) => evidence.length > 0 && unanswerable !== true)
    .map(({ conv_id, text, evidence }) => {
      const query = embed(text);
      const ranked = (memories.get(conv_id) ?? [])
        .map(({ id, vector }) => ({ id, score: dot(query, vector) }))
        .sort((a, b) => b.score - a.score);
      const found = new Set(ranked.slice(0, first).map(({ id }) => id));
      return evidence.filter((id) => found.has(id)).length / evidence.length;
    });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

function recallFigures(embed: Embed, folder: string): Record<string, number> {
  const sets: [name: string, first: number][] = [
    ['firstcontact-en', 5],
    ['firstcontact-zh', 5],
    ['firstcontact-ja', 5],
    ['longmemeval-en', 10],
  ];
  return Object.fromEntries(
    sets
      .filter(([name]) => existsSync(join(folder, name)))
      .map(([name, first]) => [`${name} R@${first}`, evaluateRecall(embed, join(folder, name), first)]),
  );
}

/** Concatenates both vectors: the cosine is the weighted mean, with weight `share` for the second. */
function joined(first: Embed, second: Embed, share: number): Embed {
  return (text) => {
    const [a, b] = [first(text), second(text)];
    const vector = new Float32Array(a.length + b.length);
    a.forEach((value, d) => (vector[d] = value * Math.sqrt(1 - share)));
    b.forEach((value, d) => (vector[a.length + d] = value * Math.sqrt(share)));
    return vector;
  };
}

/** Milliseconds for a text of this many pieces: the median of many runs. */
function timed(path: string, pieces: number): number {
  const encoder = loadEncoder(path);
  let text = 'we went';
  while (encoder.countPieces(text) < pieces) text += ' home';
  const times = Array.from({ length: RUNS }, () => {
    const startedAt = performance.now();
    encoder.embed(text);
    return performance.now() - startedAt;
  }).sort((a, b) => a - b);
  return times[RUNS / 2] ?? 0;
}

function main(): void {
  const { values } = parseArgs({
    options: {
      sts: { type: 'string' },
      corpus: { type: 'string' },
      recall: { type: 'string' },
      embedder: { type: 'string', default: 'joined' },
      encoder: { type: 'string', default: ENCODER_PATH },
      share: { type: 'string', default: '0.3' },
      sample: { type: 'string', default: '1000000' },
    },
  });
  const loadedAt = performance.now();
  const encoder = loadEncoder(values.encoder);
  const loadMs = performance.now() - loadedAt;
  const fixed = loadStaticModel();
  const encoded: Embed = (text) => encoder.embed(text);
  const written: Embed = (text) => fixed.embed(text);
  const choices: Record<string, Embed> = {
    encoder: encoded,
    static: written,
    joined: joined(encoded, written, Number(values.share)),
  };
  const embed = choices[values.embedder];
  if (embed === undefined) throw new Error(`--embedder is one of ${Object.keys(choices).join(', ')}`);
  const figures = {
    ...(values.recall && recallFigures(embed, values.recall)),
    ...(values.sts && evaluatePairs(embed, values.sts, Number(values.sample))),
    ...(values.corpus && evaluateTranslations(embed, values.corpus)),
  };
  for (const [name, value] of Object.entries(figures)) console.log(name, value.toFixed(3));
  console.log({ loadMs, ms16: timed(values.encoder, 16), ms128: timed(values.encoder, 128) });
}

if (import.meta.main) main();
