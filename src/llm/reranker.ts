import { z } from 'zod';
import { MemoryError, messageOf, parseJson } from '../model/model.ts';
import { apiKeyEnvSchema, endpointUrlSchema, excerpt, readApiKey, type Environment } from './access.ts';
import { batches } from './embedder.ts';

/** A cross-encoder: reads a query and a document together and scores how well the document answers the query. */
export interface Reranker {
  readonly id: string;
  /** Time limit for all scores of one call, in milliseconds. */
  readonly timeoutMs?: number;
  /**
   * A score for each of `documents`, in their order; higher is better. The scale depends on the model.
   * @throws MemoryError RERANKER_FAILED, with `details.retryable`.
   * @throws the signal's reason once `signal` is aborted.
   */
  rerank(query: string, documents: readonly string[], signal?: AbortSignal): Promise<number[]>;
}

export const rerankerSettingsSchema = z
  .strictObject({
    /** The protocol: that of TEI, of Cohere (v2), or of Jina, which vLLM, llama.cpp and others also use. */
    dialect: z.enum(['tei', 'cohere', 'jina']),
    /** The full address for requests: `http://127.0.0.1:8080/rerank`, `https://api.cohere.com/v2/rerank` … */
    url: endpointUrlSchema,
    /** Not needed for TEI, which serves one model. */
    model: z.string().min(1).optional(),
    apiKeyEnv: apiKeyEnvSchema.optional(),
    /** Time limit for all scores of one call, in milliseconds. */
    timeoutMs: z.int().min(1).max(600_000).default(1000),
  })
  .refine(({ dialect, model }) => dialect === 'tei' || model !== undefined, {
    path: ['model'],
    error: 'must name the model',
  });
/** As a user writes them: fields with a default are optional. */
export type RerankerSettings = z.input<typeof rerankerSettingsSchema>;

const scoreSchema = z.object({ index: z.int(), score: z.number() });
type Score = z.infer<typeof scoreSchema>;

interface Dialect {
  /** The most documents in one request. */
  readonly maxDocuments: number;
  body(query: string, documents: readonly string[], model: string | undefined): object;
  readonly answerSchema: z.ZodType<Score[]>;
}

const resultsSchema = z
  .object({ results: z.array(z.object({ index: z.int(), relevance_score: z.number() })) })
  .transform(({ results }) => results.map(({ index, relevance_score: score }) => ({ index, score })));

const DIALECTS: Record<'tei' | 'cohere' | 'jina', Dialect> = {
  tei: {
    maxDocuments: 32,
    // Without `truncate` one long document fails the whole request.
    body: (query, texts) => ({ query, texts, truncate: true }),
    answerSchema: z.array(scoreSchema),
  },
  cohere: {
    maxDocuments: 1000,
    body: (query, documents, model) => ({ model, query, documents }),
    answerSchema: resultsSchema,
  },
  jina: {
    maxDocuments: 1000,
    body: (query, documents, model) => ({ model, query, documents, return_documents: false }),
    answerSchema: resultsSchema,
  },
};

/**
 * A reranker behind HTTP. It does not retry, since its caller has another ranking.
 *
 * @param environment where the API key is read, once, by the name in the settings.
 * @throws MemoryError INVALID_INPUT when the settings are invalid or the key they name is not set.
 */
export function openReranker(settings: RerankerSettings, environment: Environment = process.env): Reranker {
  const { data, error } = rerankerSettingsSchema.safeParse(settings);
  if (error)
    throw new MemoryError('INVALID_INPUT', `The reranker settings are wrong. ${z.prettifyError(error)}`);
  const { url, model, timeoutMs } = data;
  const dialect = DIALECTS[data.dialect];
  const apiKey = readApiKey(environment, data.apiKeyEnv);
  const who = `The reranking endpoint ${url}`;

  return {
    id: `${data.dialect}:${url}${model === undefined ? '' : `#${model}`}`,
    timeoutMs,
    async rerank(query, documents, signal) {
      signal?.throwIfAborted();
      const timeLimit = AbortSignal.timeout(timeoutMs);
      const either = signal === undefined ? timeLimit : AbortSignal.any([timeLimit, signal]);
      const scores: number[] = [];
      try {
        for (const batch of batches(documents, dialect.maxDocuments)) {
          const answer = await post(url, apiKey, dialect.body(query, batch, model), either);
          scores.push(...inOrder(dialect.answerSchema, answer, batch.length));
        }
        return scores;
      } catch (error) {
        signal?.throwIfAborted();
        if (timeLimit.aborted)
          throw failed(`${who} did not answer within ${timeoutMs} ms.`, { retryable: true });
        throw explain(error, who, apiKey);
      }
    },
  };
}

/** The reason why an answer is unusable. */
class Unusable extends Error {
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

async function post(url: string, apiKey: string | undefined, body: object, signal: AbortSignal) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  if (!response.ok) throw new Unusable(`with status ${response.status}: ${text}`, response.status);
  try {
    return parseJson(text);
  } catch {
    throw new Unusable('what is not JSON');
  }
}

function inOrder(schema: z.ZodType<Score[]>, answer: unknown, count: number): number[] {
  const { data } = schema.safeParse(answer);
  if (data === undefined) throw new Unusable('in another form than expected; is the dialect right?');
  const scores = new Map(data.map(({ index, score }) => [index, score]));
  const ordered = Array.from({ length: count }, (_, index) => scores.get(index));
  if (data.length !== count || !ordered.every((score) => score !== undefined))
    throw new Unusable(`without one score for each of the ${count} documents`);
  return ordered;
}

/** The original is not attached as the cause: it may contain what was sent, and the key if the server repeats it. */
function explain(error: unknown, who: string, apiKey: string | undefined): MemoryError {
  if (error instanceof Unusable) {
    const { status = 0 } = error;
    const retryable = status === 408 || status === 429 || status >= 500;
    return failed(`${who} answered ${excerpt(error.message, apiKey)}`, {
      retryable,
      ...(status > 0 && { status }),
    });
  }
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const words = messageOf(reason);
  return failed(`${who} could not be reached: ${excerpt(words, apiKey)}`, { retryable: true });
}

function failed(message: string, details: { retryable: boolean; status?: number }): MemoryError {
  return new MemoryError('RERANKER_FAILED', message, details);
}
