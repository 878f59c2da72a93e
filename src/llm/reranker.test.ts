import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startServer, type ReceivedRequest, type Reply } from '../../test/localServer.ts';
import { openReranker, type RerankerSettings } from './reranker.ts';

const KEY = 'rk-this-must-never-be-seen';
const DOCUMENTS = ['猫を飼い始めた', 'the weather is fine', '我养了一只猫'];
const SCORES = [0.9, 0.1, 0.8];

type Dialect = RerankerSettings['dialect'];

/** Results best first, like real servers. */
function reply(dialect: Dialect, scores: readonly number[]): Reply {
  const ranked = scores.map((score, index) => ({ index, score })).sort((a, b) => b.score - a.score);
  if (dialect === 'tei') return { body: ranked };
  return { body: { results: ranked.map(({ index, score }) => ({ index, relevance_score: score })) } };
}

function open(url: string, dialect: Dialect, timeoutMs = 5000) {
  return openReranker(
    { dialect, url: `${url}/rerank`, model: 'some-model', apiKeyEnv: 'TEST_KEY', timeoutMs },
    { TEST_KEY: KEY },
  );
}

const QUESTIONS: Record<Dialect, object> = {
  tei: { query: 'cat', texts: DOCUMENTS, truncate: true },
  cohere: { model: 'some-model', query: 'cat', documents: DOCUMENTS },
  jina: { model: 'some-model', query: 'cat', documents: DOCUMENTS, return_documents: false },
};

const DIALECTS = Object.keys(QUESTIONS) as Dialect[];

describe.each(DIALECTS)('%s', (dialect) => {
  test('returns scores in the order of the documents', async () => {
    const server = await startServer(() => reply(dialect, SCORES));
    expect(await open(server.address, dialect).rerank('cat', DOCUMENTS)).toEqual(SCORES);
    const [request] = server.requests;
    expect(request?.path).toBe('/rerank');
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(request?.body).toEqual(QUESTIONS[dialect]);
  });

  test.each([[[0, 1]], [[0, 1, 3]], [[0, 1, -1]], [[0, 1, 1]], [[0, 1, 2, 2]], [[0, 1, 0.5]], [[0, 1, '2']]])(
    'rejects scores with the indexes %j for three documents',
    async (indexes) => {
      const items = indexes.map((index) => ({ index, score: 0.5, relevance_score: 0.5 }));
      const server = await startServer(() => ({ body: dialect === 'tei' ? items : { results: items } }));
      await expect(open(server.address, dialect).rerank('cat', DOCUMENTS)).rejects.toMatchObject({
        code: 'RERANKER_FAILED',
        details: { retryable: false },
      });
    },
  );

  test.each(['<html></html>', '{}', '[{"index":0}]', '{"results":[{"index":0}]}', 'null'])(
    'rejects %s',
    async (body) => {
      const server = await startServer(() => ({ body }));
      await expect(open(server.address, dialect).rerank('cat', ['a'])).rejects.toMatchObject({
        code: 'RERANKER_FAILED',
        details: { retryable: false },
      });
    },
  );
});

test('more documents than TEI accepts at once are sent in several requests', async () => {
  const documents = Array.from({ length: 70 }, (_, i) => `${i}`);
  const server = await startServer(({ body }: ReceivedRequest) =>
    reply('tei', (body['texts'] as string[]).map(Number)),
  );
  const scores = await open(server.address, 'tei').rerank('cat', documents);
  expect(scores).toEqual(documents.map(Number));
  expect(server.requests).toHaveLength(3);
});

test('without documents there is no request', async () => {
  const server = await startServer(() => reply('tei', []));
  expect(await open(server.address, 'tei').rerank('cat', [])).toEqual([]);
  expect(server.requests).toHaveLength(0);
});

test.each([
  [401, false],
  [429, true],
  [500, true],
])('status %i: the error names it and never the key', async (status, retryable) => {
  const server = await startServer(() => ({ status, body: { message: `bad key ${KEY}` } }));
  const error: unknown = await open(server.address, 'cohere')
    .rerank('cat', DOCUMENTS)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'RERANKER_FAILED',
    message: expect.stringMatching(new RegExp(`${server.address}/rerank .*${status}.*bad key`)) as string,
    details: { retryable, status },
  });
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(KEY);
});

test('a server that does not respond is given up at the time limit', async () => {
  const server = await startServer(() => null);
  await expect(open(server.address, 'tei', 100).rerank('cat', DOCUMENTS)).rejects.toMatchObject({
    code: 'RERANKER_FAILED',
    message: expect.stringContaining('within 100 ms') as string,
    details: { retryable: true },
  });
});

test('an unreachable server fails', async () => {
  await expect(open('http://127.0.0.1:9', 'tei').rerank('cat', DOCUMENTS)).rejects.toMatchObject({
    code: 'RERANKER_FAILED',
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
  await expect(open(server.address, 'jina').rerank('cat', DOCUMENTS, stop.signal)).rejects.toBe(reason);
});

const LOCAL = 'http://127.0.0.1:1/rerank';

test.each<[string, object]>([
  ['no model for Cohere', { dialect: 'cohere', url: LOCAL }],
  ['no model for Jina', { dialect: 'jina', url: LOCAL }],
  ['an unknown dialect', { dialect: 'other', url: LOCAL, model: 'm' }],
  ['an address of another kind', { dialect: 'tei', url: 'ftp://127.0.0.1/rerank' }],
  ['a key in the settings', { dialect: 'tei', url: LOCAL, apiKey: KEY }],
  ['a key that is not set', { dialect: 'tei', url: LOCAL, apiKeyEnv: 'NOT_SET' }],
])('settings with %s are rejected', (_, settings) => {
  expect(() => openReranker(settings as RerankerSettings, {})).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT' }),
  );
});
