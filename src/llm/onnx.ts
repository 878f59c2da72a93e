import { messageOf } from '../model/model.ts';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type * as OnnxRuntime from 'onnxruntime-web';
import type { InferenceSession, Tensor } from 'onnxruntime-web';
import { batches, embedderFailed, type Embedder } from './embedder.ts';
import type { OnnxSettings } from './embedderSettings.ts';
import { readTokenizer } from './onnxTokenizer.ts';
import { prefixesFor, prefixesId } from './prefixes.ts';

/** The paths of the model in its directory; smaller models are preferred. */
export const MODEL_FILES = ['model.onnx', 'onnx/model_quantized.onnx', 'onnx/model.onnx'];
const KNOWN_INPUTS = new Set(['input_ids', 'attention_mask', 'token_type_ids']);
const BATCH_SIZE = 16;

/** Token ids of several texts, padded to one length. */
interface TokenBatch {
  readonly ids: BigInt64Array;
  /** 1 for a token, 0 for padding. */
  readonly mask: BigInt64Array;
  readonly textCount: number;
  readonly tokenCount: number;
}

/**
 * A local sentence embedder, from a directory with an ONNX model and its Hugging Face tokenizer. It runs in WebAssembly
 * and blocks this thread for some milliseconds per text.
 *
 * @throws MemoryError EMBEDDER_FAILED when the optional packages or the files are missing, or the model is of another
 * kind.
 */
export async function openOnnxEmbedder(settings: OnnxSettings): Promise<Embedder> {
  const directory = resolve(settings.directory);
  const { ort, Tokenizer } = await importPackages();
  const file = MODEL_FILES.map((name) => join(directory, name)).find((path) => existsSync(path));
  if (file === undefined)
    throw embedderFailed(`${directory} holds no model: none of ${MODEL_FILES.join(', ')}.`, {
      retryable: false,
    });
  const [model, { tokenize, padId, bytes }] = await Promise.all([
    readFile(file),
    readTokenizer(directory, Tokenizer, settings.maxTokens),
  ]);
  ort.env.wasm.numThreads = 1;
  const session = await openSession(ort, model, file);
  const output = chooseOutput(session);
  const prefixes = prefixesFor(basename(directory), settings);
  const contentHash = createHash('sha256').update(model).update(bytes).digest('hex').slice(0, 16);
  // Dynamic quantization scales by the largest value in the batch: a text's vector would depend on the other texts.
  const runSize = model.includes('DynamicQuantizeLinear') ? 1 : BATCH_SIZE;
  let dimensions = output.dimensions;

  async function embedRun(texts: readonly string[]): Promise<Float32Array[]> {
    const batch = toBatch(texts.map(tokenize), padId);
    const answer = (await session.run(feedsOf(ort, session, batch)))[output.name];
    if (answer === undefined || answer.type !== 'float32')
      throw new Error(`the output ${output.name} is of type ${answer?.type}, not float32`);
    const vectors = settings.pooling === 'cls' ? firstTokens(answer, batch) : means(answer, batch);
    dimensions ??= vectors[0]?.length ?? null;
    return vectors;
  }

  return {
    id: `onnx:${contentHash} ${settings.pooling} ${settings.maxTokens}${prefixesId(prefixes)}`,
    get dimensions() {
      return dimensions;
    },
    batchSize: BATCH_SIZE,
    async embed(texts, purpose, signal) {
      const vectors: Float32Array[] = [];
      for (const run of batches(texts, runSize)) {
        signal?.throwIfAborted();
        try {
          vectors.push(...(await embedRun(run.map((text) => prefixes[purpose] + text))));
        } catch (cause) {
          throw failure(`The model in ${directory} failed`, cause);
        }
      }
      return vectors.map((vector, i) => (texts[i]?.trim() === '' ? vector.fill(0) : vector));
    },
  };
}

async function importPackages() {
  try {
    const [ort, { Tokenizer }] = await Promise.all([
      import('onnxruntime-web'),
      import('@huggingface/tokenizers'),
    ]);
    return { ort, Tokenizer };
  } catch (cause) {
    throw embedderFailed(
      'Local ONNX models need two packages that do not come with Omoide: npm install onnxruntime-web @huggingface/tokenizers',
      { retryable: false, cause },
    );
  }
}

type Runtime = typeof OnnxRuntime;

async function openSession(ort: Runtime, model: Uint8Array, file: string): Promise<InferenceSession> {
  let session: InferenceSession;
  try {
    // Only errors are printed: the runtime's warnings are for the authors of the model.
    session = await ort.InferenceSession.create(model, { executionProviders: ['wasm'], logSeverityLevel: 3 });
  } catch (cause) {
    throw failure(`${file} cannot be loaded as an ONNX model`, cause);
  }
  const unknown = session.inputNames.filter((name) => !KNOWN_INPUTS.has(name));
  if (unknown.length > 0)
    throw embedderFailed(
      `${file} is no sentence embedder of a kind that is understood: it wants ${unknown.join(', ')}.`,
      { retryable: false },
    );
  return session;
}

function chooseOutput({ outputNames, outputMetadata }: InferenceSession) {
  const name =
    ['sentence_embedding', 'last_hidden_state'].find((known) => outputNames.includes(known)) ??
    outputNames[0] ??
    '';
  const about = outputMetadata.find((output) => output.name === name);
  const last = about?.isTensor ? about.shape.at(-1) : undefined;
  return { name, dimensions: typeof last === 'number' && last > 0 ? last : null };
}

function toBatch(texts: readonly (readonly number[])[], padId: number): TokenBatch {
  const tokenCount = Math.max(1, ...texts.map((ids) => ids.length));
  const ids = new BigInt64Array(texts.length * tokenCount).fill(BigInt(padId));
  const mask = new BigInt64Array(ids.length);
  for (const [row, tokens] of texts.entries()) {
    ids.set(tokens.map(BigInt), row * tokenCount);
    mask.fill(1n, row * tokenCount, row * tokenCount + tokens.length);
  }
  return { ids, mask, textCount: texts.length, tokenCount };
}

function feedsOf(ort: Runtime, session: InferenceSession, batch: TokenBatch): Record<string, Tensor> {
  const values: Record<string, BigInt64Array> = {
    input_ids: batch.ids,
    attention_mask: batch.mask,
    // Every token belongs to the first (and only) segment.
    token_type_ids: new BigInt64Array(batch.ids.length),
  };
  const shape = [batch.textCount, batch.tokenCount];
  return Object.fromEntries(
    session.inputNames.map((name) => [
      name,
      new ort.Tensor('int64', values[name] ?? new BigInt64Array(0), shape),
    ]),
  );
}

/** The mean over each text's own tokens; the output unchanged when the model already gives one vector per text. */
function means(output: Tensor, { mask, textCount, tokenCount }: TokenBatch): Float32Array[] {
  const data = output.data as Float32Array;
  const width = output.dims.at(-1) ?? 0;
  if (output.dims.length === 2) return rows(data, textCount, width, 1);
  return Array.from({ length: textCount }, (_, text) => {
    const sum = new Float32Array(width);
    let count = 0;
    for (let token = text * tokenCount; token < (text + 1) * tokenCount; token++) {
      if (mask[token] === 0n) continue;
      count++;
      for (let d = 0; d < width; d++) sum[d] = (sum[d] ?? 0) + (data[token * width + d] ?? 0);
    }
    return count === 0 ? sum : sum.map((value) => value / count);
  });
}

/** The vector of each text's first token; the output unchanged when the model already gives one vector per text. */
function firstTokens(output: Tensor, { textCount, tokenCount }: TokenBatch): Float32Array[] {
  const width = output.dims.at(-1) ?? 0;
  return rows(output.data as Float32Array, textCount, width, output.dims.length === 2 ? 1 : tokenCount);
}

/** One row of `width` numbers for each text, where its rows are `step` apart. */
function rows(data: Float32Array, textCount: number, width: number, step: number): Float32Array[] {
  return Array.from({ length: textCount }, (_, text) => {
    const from = text * step * width;
    return data.slice(from, from + width);
  });
}

function failure(what: string, cause: unknown) {
  const reason = messageOf(cause);
  return embedderFailed(`${what}: ${reason}`, { retryable: false, cause });
}
