import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startServer, type ReceivedRequest, type Reply } from '../../test/localServer.ts';
import { openEmbedder } from './openEmbedder.ts';
import type { EmbedderSettings } from './embedderSettings.ts';

const KEY = 'sk-this-must-never-be-seen';

/** A server that returns for each text a vector of its length and its position in the batch. */
function answerWell({ body }: ReceivedRequest): Reply {
  const input = body['input'] as string[];
  return { body: { data: input.map((text, index) => ({ index, embedding: [text.length, index, 1] })) } };
}

function open(address: string, more: Partial<Extract<EmbedderSettings, { provider: 'endpoint' }>> = {}) {
  return openEmbedder(
    { provider: 'endpoint', url: `${address}/v1`, model: 'some-model', apiKeyEnv: 'TEST_KEY', ...more },
    { TEST_KEY: KEY },
  );
}

function texts({ body }: ReceivedRequest): unknown {
  return body['input'];
}

describe('a valid response', () => {
  test('gives the vectors in the order of the texts; the request has model, key and texts', async () => {
    const server = await startServer(answerWell);
    const embedder = await open(server.address);
    expect(embedder.dimensions).toBeNull();
    const vectors = await embedder.embed(['おはよう', '你好', 'hello there'], 'document');
    expect(vectors).toEqual([4, 2, 11].map((length, i) => Float32Array.of(length, i, 1)));
    expect(embedder.dimensions).toBe(3);
    const [request] = server.requests;
    expect(request?.path).toBe('/v1/embeddings');
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(request?.body).toMatchObject({ model: 'some-model', input: ['おはよう', '你好', 'hello there'] });
    expect(request?.body).not.toHaveProperty('dimensions');
  });

  test('is sorted by index when it is out of order', async () => {
    const server = await startServer((request) => {
      const { data } = answerWell(request).body as { data: unknown[] };
      return { body: { data: data.reverse() } };
    });
    const vectors = await (await open(server.address)).embed(['a', 'bb', 'ccc'], 'document');
    expect(vectors.map((vector) => vector[0])).toEqual([1, 2, 3]);
  });

  test('without usable indexes keeps its order', async () => {
    for (const index of [undefined, 0]) {
      const server = await startServer(({ body }) => ({
        body: {
          data: (body['input'] as string[]).map((text) => ({ index, embedding: [text.length] })),
        },
      }));
      const vectors = await (await open(server.address)).embed(['a', 'bb'], 'document');
      expect(vectors.map((vector) => vector[0])).toEqual([1, 2]);
    }
  });

  test('is requested in batches, with dimensions when they are set', async () => {
    const server = await startServer(answerWell);
    const embedder = await open(server.address, { batchSize: 2, dimensions: 3 });
    const vectors = await embedder.embed(['a', 'bb', 'ccc', 'dddd', 'eeeee'], 'document');
    expect(vectors.map((vector) => vector[0])).toEqual([1, 2, 3, 4, 5]);
    expect(server.requests.map(texts)).toEqual([['a', 'bb'], ['ccc', 'dddd'], ['eeeee']]);
    expect(server.requests.map(({ body }) => body['dimensions'])).toEqual([3, 3, 3]);
  });
});

describe('the request', () => {
  test('begins with the prefix of its purpose, known for the model or set', async () => {
    const server = await startServer(answerWell);
    const known = await open(server.address, { model: 'nomic-embed-text:v1.5' });
    await known.embed(['cat'], 'query');
    await known.embed(['cat'], 'document');
    const set = await open(server.address, { model: 'nomic-embed-text', queryPrefix: '' });
    await set.embed(['cat'], 'query');
    expect(server.requests.map(texts)).toEqual([['search_query: cat'], ['search_document: cat'], ['cat']]);
  });

  test('cuts very long text between characters', async () => {
    const server = await startServer(answerWell);
    await (await open(server.address)).embed(['あ' + '😀'.repeat(500_000)], 'document');
    const [sent = ''] = texts(server.requests[0]!) as string[];
    expect(sent.length).toBeLessThanOrEqual(6000);
    expect(sent.isWellFormed()).toBe(true);
  });

  test('contains no white space alone, whose vector is zero', async () => {
    const server = await startServer(answerWell);
    const vectors = await (await open(server.address)).embed([' \n', 'cat', ''], 'document');
    expect(vectors).toEqual([new Float32Array(3), Float32Array.of(3, 1, 1), new Float32Array(3)]);
    expect((texts(server.requests[0]!) as string[]).every((text) => text.trim() !== '')).toBe(true);
  });

  test('is not sent without texts', async () => {
    const server = await startServer(answerWell);
    expect(await (await open(server.address)).embed([], 'document')).toEqual([]);
    expect(server.requests).toHaveLength(0);
  });
});

describe('the id', () => {
  test('differs between models, servers, dimensions and prefixes', async () => {
    const base = 'http://127.0.0.1:1';
    const ids = await Promise.all(
      [
        open(base),
        open('http://127.0.0.1:2'),
        open(base, { model: 'other' }),
        open(base, { dimensions: 64 }),
        open(base, { queryPrefix: 'q: ' }),
        open(base, { documentPrefix: 'q: ' }),
      ].map(async (embedder) => (await embedder).id),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.join()).not.toContain(KEY);
  });
});

/** Invalid responses: one vector too few, another length, and so on. */
const UNUSABLE: Record<string, Reply> = {
  'too few vectors': { body: { data: [{ embedding: [1, 2] }] } },
  'different dimensions': { body: { data: [{ embedding: [1, 2] }, { embedding: [1] }] } },
  'empty vectors': { body: { data: [{ embedding: [] }, { embedding: [] }] } },
  'numbers too large': { body: '{"data":[{"embedding":[1,1e300]},{"embedding":[1,2]}]}' },
  'no numbers': { body: { data: [{ embedding: [null] }, { embedding: [null] }] } },
  'not JSON': { body: '<html>welcome</html>' },
  'another form': { body: { embeddings: [[1], [2]] } },
};

describe('an invalid response', () => {
  test.each(Object.entries(UNUSABLE))('%s: fails and is not retryable', async (_, reply) => {
    const server = await startServer(() => reply);
    await expect((await open(server.address)).embed(['a', 'b'], 'document')).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: expect.stringContaining(`${server.address}/v1`) as string,
      details: { retryable: false },
    });
    expect(server.requests).toHaveLength(1);
  });

  test('dimensions that change later are rejected', async () => {
    const server = await startServer((_, count) => ({
      body: { data: [{ embedding: count === 0 ? [1, 2] : [1, 2, 3] }] },
    }));
    const embedder = await open(server.address);
    await embedder.embed(['a'], 'document');
    await expect(embedder.embed(['a'], 'document')).rejects.toMatchObject({ code: 'EMBEDDER_FAILED' });
    expect(embedder.dimensions).toBe(2);
  });

  test('dimensions that were not requested are rejected', async () => {
    const server = await startServer(answerWell);
    const embedder = await open(server.address, { dimensions: 2 });
    await expect(embedder.embed(['a'], 'document')).rejects.toThrow(/3 dimensions where 2/);
  });

  test('reports the server’s reason in all its formats', async () => {
    for (const body of [{ error: 'no such model' }, { message: 'no such model' }, 'no such model']) {
      const server = await startServer(() => ({ status: 404, body }));
      const embedding = (await open(server.address)).embed(['a'], 'query');
      await expect(embedding).rejects.toThrow(/status 404: .*no such model/);
    }
  });

  test('401 names endpoint and status, and never the key, even when the server repeats it', async () => {
    const server = await startServer(() => ({
      status: 401,
      body: { error: { message: `Incorrect API key provided: ${KEY}.` } },
    }));
    const error: unknown = await (
      await open(server.address)
    )
      .embed(['a'], 'document')
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: expect.stringMatching(/127\.0\.0\.1:\d+\/v1 .*401.*Incorrect API key/) as string,
      details: { retryable: false, status: 401 },
    });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(KEY);
  });
});

describe('temporary failures', () => {
  const soon = { 'retry-after-ms': '1' };

  test.each([429, 500, 503])('%i, then a valid response: a document is tried again', async (status) => {
    const server = await startServer((request, count) =>
      count < 2 ? { status, headers: soon, body: { error: { message: 'later' } } } : answerWell(request),
    );
    expect(await (await open(server.address)).embed(['abc'], 'document')).toEqual([Float32Array.of(3, 0, 1)]);
    expect(server.requests).toHaveLength(3);
  });

  test('a query is not tried again, since somebody waits', async () => {
    const server = await startServer(() => ({ status: 503, headers: soon, body: {} }));
    await expect((await open(server.address)).embed(['a'], 'query')).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      details: { retryable: true, status: 503 },
    });
    expect(server.requests).toHaveLength(1);
  });

  test('a permanent failure ends after a few attempts', async () => {
    const server = await startServer(() => ({ status: 429, headers: soon, body: {} }));
    await expect((await open(server.address)).embed(['a'], 'document')).rejects.toMatchObject({
      details: { retryable: true, status: 429 },
    });
    expect(server.requests).toHaveLength(3);
  });

  test('a server that does not respond is given up at the time limit', async () => {
    const server = await startServer(() => null);
    const embedder = await open(server.address, { timeoutMs: 100 });
    await expect(embedder.embed(['a'], 'document')).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: expect.stringContaining('within 100 ms') as string,
      details: { retryable: true },
    });
  });

  test('an unreachable server fails', async () => {
    const embedder = await open('http://127.0.0.1:9');
    await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: expect.stringContaining('could not be reached') as string,
      details: { retryable: true },
    });
  });

  test('the caller can abort with its own reason', async () => {
    const reason = new Error('no longer needed');
    const stop = new AbortController();
    const server = await startServer(() => {
      stop.abort(reason);
      return null;
    });
    await expect((await open(server.address)).embed(['a'], 'document', stop.signal)).rejects.toBe(reason);
    await expect((await open(server.address)).embed(['a'], 'document', stop.signal)).rejects.toBe(reason);
    expect(server.requests).toHaveLength(1);
  });
});
