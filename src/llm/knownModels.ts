/** Larger sentence embedders that a user may add as ONNX files, and the settings of each. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { MemoryError } from '../model/model.ts';
import { dot, unitLength } from '../vectors/vectors.ts';
import type { Embedder } from './embedder.ts';
import type { OnnxSettings } from './embedderSettings.ts';
import { MODEL_FILES } from './onnx.ts';
import { prefixesFor } from './prefixes.ts';

export interface KnownModel {
  readonly name: string;
  readonly dimensions: number;
  readonly pooling: OnnxSettings['pooling'];
  readonly maxTokens: number;
}

/** From the models' own cards. */
export const KNOWN_MODELS: readonly KnownModel[] = [
  { name: 'multilingual-e5-small', dimensions: 384, pooling: 'mean', maxTokens: 512 },
  { name: 'multilingual-e5-base', dimensions: 768, pooling: 'mean', maxTokens: 512 },
  { name: 'bge-m3', dimensions: 1024, pooling: 'cls', maxTokens: 1024 },
  { name: 'gte-multilingual-base', dimensions: 768, pooling: 'cls', maxTokens: 1024 },
];

/**
 * The settings for a known model with its files at `path`: their folder, or the `.onnx` file in it.
 * @throws MemoryError INVALID_INPUT naming what is missing
 */
export function settingsForKnownModel(name: string, path: string): OnnxSettings {
  const known = knownModel(name);
  const directory = folderOf(path);
  if (!MODEL_FILES.some((file) => existsSync(join(directory, file))))
    throw new MemoryError('INVALID_INPUT', `${directory} holds no model: none of ${MODEL_FILES.join(', ')}.`);
  if (!existsSync(join(directory, 'tokenizer.json')))
    throw new MemoryError('INVALID_INPUT', `${directory} holds no tokenizer.json; it comes with the model.`);
  const { query, document } = prefixesFor(known.name, {});
  const { pooling, maxTokens } = known;
  return { provider: 'onnx', directory, pooling, maxTokens, queryPrefix: query, documentPrefix: document };
}

/** @throws MemoryError INVALID_INPUT */
export function knownModel(name: string): KnownModel {
  const known = KNOWN_MODELS.find((model) => model.name === name);
  if (known) return known;
  const names = KNOWN_MODELS.map((model) => model.name).join(', ');
  throw new MemoryError(
    'INVALID_INPUT',
    `The model ${JSON.stringify(name)} is unknown. Known models: ${names}. Set any other one with --embedder (docs/embedders.md).`,
  );
}

function folderOf(path: string): string {
  const whole = resolve(path);
  const about = statSync(whole, { throwIfNoEntry: false });
  if (about === undefined) throw new MemoryError('INVALID_INPUT', `There is no ${whole}.`);
  if (about.isDirectory()) return whole;
  const folder = dirname(whole);
  return basename(folder) === 'onnx' ? dirname(folder) : folder;
}

/** The result of a first test of an embedder. */
export interface EmbedderTrial {
  readonly dimensions: number;
  /** Mean time for a short text, milliseconds. */
  readonly milliseconds: number;
  /** Cosines of a sentence with one of the same meaning, and with one of another meaning. */
  readonly sameMeaning: number;
  readonly otherMeaning: number;
}

const TRIAL = ['I have two dogs.', 'My pets are a pair of dogs.', 'The meeting was moved to Friday.'];

/**
 * Embeds three sentences.
 * @throws MemoryError INVALID_INPUT when the vectors are not those of such a model; EMBEDDER_FAILED
 */
export async function tryEmbedder(embedder: Embedder, dimensions: number): Promise<EmbedderTrial> {
  await embedder.embed(TRIAL, 'document'); // The first run compiles; the second is timed.
  const startedAt = performance.now();
  const [text, same, other] = (await embedder.embed(TRIAL, 'document')).map(unitLength);
  const milliseconds = (performance.now() - startedAt) / TRIAL.length;
  if (!text || !same || !other) throw wrong('it gave no vectors');
  if (text.length !== dimensions) throw wrong(`its vectors have ${text.length} numbers, not ${dimensions}`);
  const trial = {
    dimensions,
    milliseconds,
    sameMeaning: dot(text, same),
    otherMeaning: dot(text, other),
  };
  if (!(trial.sameMeaning > trial.otherMeaning))
    throw wrong('it puts two sentences of one meaning no nearer than two of different meanings');
  return trial;
}

function wrong(reason: string): MemoryError {
  return new MemoryError('INVALID_INPUT', `The files are not of this model: ${reason}.`);
}
