/** Opens the inputs of an evaluation: sets in any format, and the embedder. */
import { unreadable } from '../model/model.ts';
import { readdir, stat } from 'node:fs/promises';
import { openEmbedder, type Embedder, type EmbedderSettings } from '../engine/engine.ts';
import { detectFileFormat } from '../ingest/ingest.ts';
import { MemoryError } from '../model/model.ts';
import { cutSet } from './cut.ts';
import type { EvaluationSet } from './dataset.ts';
import { HISTORY_FILE, QUERIES_FILE, readDirectorySet } from './directorySet.ts';
import { openLocomo, openLongMemEval } from './researchSets.ts';
import { hasTemporalCases } from './temporalSet.ts';

type Opened =
  | { readonly kind: 'recall'; readonly set: EvaluationSet }
  | { readonly kind: 'temporal'; readonly path: string };

/**
 * @param cut the most turns of a memory, around what answers each query; default: all
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT, INVALID_INPUT
 */
export async function openPath(path: string, cut?: number): Promise<Opened> {
  const opened = await openAny(path);
  if (cut === undefined || opened.kind === 'temporal') return opened;
  return { kind: 'recall', set: await cutSet(opened.set, cut) };
}

async function openAny(path: string): Promise<Opened> {
  if (!(await isDirectory(path))) return { kind: 'recall', set: await openFile(path) };
  const names = await readdir(path);
  if (hasTemporalCases(names)) return { kind: 'temporal', path };
  const missing = [HISTORY_FILE, QUERIES_FILE].filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new MemoryError(
      'UNKNOWN_FORMAT',
      `${path} is not a labelled set: it has no ${missing.join(' and no ')}.`,
    );
  }
  return { kind: 'recall', set: await readDirectorySet(path) };
}

async function openFile(path: string): Promise<EvaluationSet> {
  const format = await detectFileFormat(path);
  if (format === 'locomo') return openLocomo(path);
  if (format === 'longmemeval') return openLongMemEval(path);
  throw new MemoryError(
    'UNKNOWN_FORMAT',
    `${path} is neither LoCoMo's nor LongMemEval's file, but: ${format}.`,
  );
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Undefined: the bundled one. */
export async function openEvaluationEmbedder(
  given: Embedder | EmbedderSettings | null | undefined,
): Promise<Embedder | null> {
  if (given === null || (given && 'id' in given)) return given;
  return openEmbedder(given ?? { provider: 'bundled' });
}
