import { messageOf } from '../model/model.ts';
import type { APICallError } from 'ai';
import { z } from 'zod';
import type { MemoryError } from '../model/model.ts';
import { excerpt } from './access.ts';
import { batches, embedderFailed, type Embedder } from './embedder.ts';
import type { EndpointSettings } from './embedderSettings.ts';
import { prefixesFor, prefixesId } from './prefixes.ts';

/** A user waits for a query, and recall works without its vector; nobody waits for a document. Jobs retry as well. */
const RETRIES = { query: 0, document: 2 } as const;
/** Longer texts are cut here, in UTF-16 units, to stay below the 8,192 tokens of common hosted models in any language. */
const MAX_TEXT_LENGTH = 6000;
/** Sent instead of a blank text, which servers reject; its vector is not used. */
const BLANK_PLACEHOLDER = '-';

type Ask = (texts: string[], maxRetries: number, signal: AbortSignal) => Promise<Float32Array[]>;

/** An embedder behind an OpenAI-compatible `/embeddings`: OpenAI, Ollama, TEI, llama.cpp, vLLM and many more. */
export function createEndpointEmbedder(settings: EndpointSettings, apiKey: string | undefined): Embedder {
  const { url, model, batchSize, timeoutMs } = settings;
  const prefixes = prefixesFor(model, settings);
  const size = settings.dimensions === undefined ? '' : `@${settings.dimensions}`;
  let dimensions = settings.dimensions ?? null;
  let ask: Promise<Ask> | undefined;

  async function embedBatch(texts: string[], maxRetries: number, signal?: AbortSignal) {
    const timeLimit = AbortSignal.timeout(timeoutMs);
    try {
      ask ??= connect(settings, apiKey);
      const either = signal === undefined ? timeLimit : AbortSignal.any([timeLimit, signal]);
      const vectors = await (await ask)(texts, maxRetries, either);
      dimensions ??= vectors[0]?.length ?? null;
      const odd = vectors.find((vector) => vector.length !== dimensions);
      if (odd) throw new Unusable(`vectors of ${odd.length} dimensions where ${dimensions} were expected`);
      return vectors;
    } catch (error) {
      signal?.throwIfAborted();
      const who = `The embedding endpoint ${url} (model ${model})`;
      if (timeLimit.aborted)
        throw embedderFailed(`${who} did not answer within ${timeoutMs} ms.`, { retryable: true });
      throw await explain(error, who, apiKey);
    }
  }

  return {
    id: `endpoint:${url}#${model}${size}${prefixesId(prefixes)}`,
    get dimensions() {
      return dimensions;
    },
    batchSize,
    async embed(texts, purpose, signal) {
      signal?.throwIfAborted();
      const vectors: Float32Array[] = [];
      for (const batch of batches(texts, batchSize)) {
        const sent = batch.map((text) => (isBlank(text) ? BLANK_PLACEHOLDER : prefixes[purpose] + cut(text)));
        vectors.push(...(await embedBatch(sent, RETRIES[purpose], signal)));
      }
      return vectors.map((vector, i) => (isBlank(texts[i]) ? vector.fill(0) : vector));
    },
  };
}

/** Loads the library on demand, since that takes 150 ms. */
async function connect(settings: EndpointSettings, apiKey: string | undefined): Promise<Ask> {
  const [{ embedMany }, { createOpenAICompatible }] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
  ]);
  const provider = createOpenAICompatible({
    name: 'embedder',
    baseURL: settings.url,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  const model = provider.embeddingModel(settings.model);
  return async (values, maxRetries, abortSignal) => {
    const { embeddings, responses } = await embedMany({
      model,
      values,
      maxRetries,
      abortSignal,
      ...(settings.dimensions === undefined ? {} : { dimensions: settings.dimensions }),
    });
    return inOrder(embeddings, responses?.[0]?.body).map(toVector);
  };
}

const numberedAnswer = z.object({ data: z.array(z.object({ index: z.int() })) });

/** Orders the vectors by the indexes in the answer, if each occurs once; the library ignores them. */
function inOrder(embeddings: readonly number[][], body: unknown): readonly number[][] {
  const { data } = numberedAnswer.safeParse(body);
  if (data === undefined) return embeddings;
  const ordered = embeddings.map((_, index) => {
    const at = data.data.findIndex((item) => item.index === index);
    return embeddings[at];
  });
  return ordered.every((embedding) => embedding !== undefined) ? ordered : embeddings;
}

function toVector(embedding: readonly number[]): Float32Array {
  const vector = Float32Array.from(embedding);
  if (vector.length === 0) throw new Unusable('an empty vector');
  if (!vector.every(Number.isFinite)) throw new Unusable('a vector with numbers out of range');
  return vector;
}

/** The reason why an answer is unusable. */
class Unusable extends Error {}

/**
 * The error in words that help a person. The original is not attached as its cause: it contains the texts that were
 * sent and the server's message, which may repeat the key.
 */
async function explain(error: unknown, who: string, apiKey: string | undefined): Promise<MemoryError> {
  if (error instanceof Unusable)
    return embedderFailed(`${who} answered ${error.message}.`, { retryable: false });
  const { APICallError, RetryError } = await import('ai');
  const last = RetryError.isInstance(error) ? error.lastError : error;
  if (APICallError.isInstance(last)) return explainCall(last, who, apiKey);
  const words = messageOf(last);
  return embedderFailed(`${who} gave no usable answer: ${excerpt(words, apiKey)}`, { retryable: false });
}

function explainCall(error: APICallError, who: string, apiKey: string | undefined): MemoryError {
  const { statusCode: status, isRetryable: retryable, message, responseBody = '' } = error;
  if (status === undefined)
    return embedderFailed(`${who} could not be reached: ${excerpt(message, apiKey)}`, { retryable });
  // The library reads the reason only in OpenAI's format of errors; otherwise it is in the body.
  const words = responseBody.includes(message) ? message : `${message}. ${responseBody}`;
  return embedderFailed(`${who} answered with status ${status}: ${excerpt(words, apiKey)}`, {
    retryable,
    status,
  });
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

function cut(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : text.slice(0, MAX_TEXT_LENGTH).toWellFormed();
}
