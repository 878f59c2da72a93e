// Measures a model file.
//
//   node training/evaluate.ts --sts DIR --corpus DIR [--model FILE]
//
// --sts     a folder with jsts-train.json, lcqmc-dev.txt and sts2015-en.tsv
// --corpus  the folder that training/corpus.ts wrote; only its unseen pairs are read

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadStaticModel } from '../src/llm/static/static.ts';
import type { StaticModel } from '../src/llm/static/static.ts';
import { areaUnderRoc, dot, foundAmong, spearman } from './measure.ts';
import type { ScoredPair } from './measure.ts';

const AMONG = 500;

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

/** Pairs never seen in training, of which no two share a text; spread evenly over the corpus. */
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
  const step = pairs.length / AMONG;
  return Array.from({ length: AMONG }, (_, i) => pairs[Math.floor(i * step)] as [string, string]);
}

/** Spearman's ρ (jsts, sts15), area under ROC (lcqmc), and the share of translations found among 500. */
export function evaluate(model: StaticModel, sts: string, corpus: string): Record<string, number> {
  const cosines = (pairs: ScoredPair[]): number[] =>
    pairs.map(({ first, second }) => dot(model.embed(first), model.embed(second)));
  const jsts = readJsts(join(sts, 'jsts-train.json'));
  const lcqmc = readLcqmc(join(sts, 'lcqmc-dev.txt'));
  const sts15 = readSts(join(sts, 'sts2015-en.tsv'));
  const labels = (pairs: ScoredPair[]): number[] => pairs.map((pair) => pair.label);
  const result: Record<string, number> = {
    jsts: spearman(cosines(jsts), labels(jsts)),
    lcqmc: areaUnderRoc(cosines(lcqmc), labels(lcqmc)),
    sts15: spearman(cosines(sts15), labels(sts15)),
  };
  for (const language of ['ja', 'zh']) {
    const pairs = readUnseen(join(corpus, 'corpus.tsv'), language);
    const foreign = pairs.map(([text]) => model.embed(text));
    const english = pairs.map(([, text]) => model.embed(text));
    result[`${language}→en`] = foundAmong(foreign, english);
    result[`en→${language}`] = foundAmong(english, foreign);
  }
  return result;
}

function main(): void {
  const { values } = parseArgs({
    options: {
      sts: { type: 'string', default: '' },
      corpus: { type: 'string', default: '' },
      model: { type: 'string' },
    },
  });
  const loadedAt = performance.now();
  const model = loadStaticModel(values.model);
  const loadMs = performance.now() - loadedAt;
  console.log(evaluate(model, values.sts, values.corpus));
  const sentences = lines(join(values.corpus, 'corpus.tsv')).filter((line) => line.includes('\tsentence\t'));
  const texts = sentences.slice(0, 20_000).flatMap((line) => line.split('\t').slice(3));
  const startedAt = performance.now();
  for (const text of texts) model.embed(text);
  const sentenceMs = (performance.now() - startedAt) / texts.length;
  console.log({ id: model.id, loadMs, sentenceMs });
}

if (import.meta.main) main();
