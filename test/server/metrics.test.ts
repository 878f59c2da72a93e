import { expect, test } from 'vitest';
import { internals } from '../../src/engine/engine.ts';
import { startScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { openTestServer, type TestServer } from './testServer.ts';

const MEMORY = { memoryId: 'default' };

/** The values of a metric, by its labels. */
async function read({ client }: TestServer, name: string): Promise<Record<string, number>> {
  const lines = (await client.metrics()).split('\n').filter((line) => line.match(/^\w+/)?.[0] === name);
  return Object.fromEntries(
    lines.map((line) => {
      const [, labels = '', value] = /^\w+(?:\{(.*)\})? (.+)$/.exec(line) ?? [];
      return [labels, Number(value)];
    }),
  );
}

async function ingest({ client }: TestServer, texts: readonly string[]): Promise<void> {
  const turns = texts.map((text) => ({ conversationId: 'c', speaker: 'user', text }));
  await client.ingestTurns({ ...MEMORY, body: { turns } });
}

test('counts and times recalls by strategy, and counts those without hits', async () => {
  const server = openTestServer();
  await ingest(server, ['吊り橋が揺れた', '温泉に入った']);
  await server.client.recall({ ...MEMORY, body: { utterance: '吊り橋', strategy: 'keyword_boost' } });
  await server.client.recall({ ...MEMORY, body: { utterance: '吊り橋', strategy: 'hybrid' } });
  await server.client.pack({ ...MEMORY, body: { utterance: 'zzzz qqqq', strategy: 'keyword_boost' } });
  expect(await read(server, 'retrieval_strategy_usage_total')).toEqual({
    'strategy="keyword_boost"': 2,
    'strategy="hybrid"': 1,
  });
  expect(await read(server, 'retrieval_latency_ms_count')).toEqual({
    'strategy="keyword_boost"': 2,
    'strategy="hybrid"': 1,
  });
  expect(await read(server, 'retrieval_empty_results_total')).toEqual({ '': 1 });
  expect(await server.client.metrics()).toContain('# TYPE rerank_latency_ms histogram');
});

test('counts jobs, turns, units and sizes', async () => {
  const server = openTestServer({ worker: true });
  await ingest(server, ['吊り橋が揺れた', '温泉に入った']);
  const lease = await server.parts.memories.acquire('default');
  await internals(lease.memory).settle();
  lease.release();
  expect((await read(server, 'omoide_jobs_total'))['kind="embed",outcome="done"']).toBeGreaterThanOrEqual(2);
  expect((await read(server, 'omoide_jobs'))['status="failed"']).toBe(0);
  expect(await read(server, 'omoide_turns')).toEqual({ '': 2 });
  expect((await read(server, 'omoide_units'))['kind="episode"']).toBe(2);
  expect((await read(server, 'omoide_store_bytes'))['']).toBeGreaterThan(10_000);
});

test('counts the cost of models by purpose and model', async () => {
  const model = await startScriptedModel();
  model.reply('はい', { status: 400, body: { error: { message: 'no' } } });
  const settings = { provider: 'endpoint', url: model.url, model: 'm', retries: 0 } as const;
  const server = openTestServer({ modelOverrides: { chat: settings, embedder: { provider: 'hashed' } } });
  await Array.fromAsync(server.client.chat({ body: { text: 'やあ' } }));
  await Array.fromAsync(server.client.chat({ body: { text: 'ねえ' } }));
  const id = `${model.url}#m`;
  expect(await read(server, 'omoide_model_tokens_total')).toEqual({
    [`purpose="chat",model="${id}",direction="input"`]: 10,
    [`purpose="chat",model="${id}",direction="output"`]: 5,
  });
  expect(await read(server, 'omoide_model_latency_ms_count')).toEqual({
    [`purpose="chat",model="${id}",outcome="done"`]: 1,
    [`purpose="chat",model="${id}",outcome="failed"`]: 1,
  });
});

test('counts requests by operation, never by what is in their path', async () => {
  const server = openTestServer();
  await server.client.readStats({ memoryId: 'nobody' }).catch(() => null);
  await server.request('/secret/path');
  await server.request('/api/memories');
  const counts = await read(server, 'http_request_duration_ms_count');
  expect(counts).toMatchObject({
    'operation="readStats",status="404"': 1,
    'operation="unknown",status="404"': 1,
    'operation="listMemories",status="401"': 1,
  });
  expect(JSON.stringify(counts)).not.toMatch(/nobody|secret/);
});

test('two servers count separately', async () => {
  const [first, second] = [openTestServer(), openTestServer()];
  await ingest(first, ['一つ']);
  expect(await read(first, 'omoide_turns')).toEqual({ '': 1 });
  expect(await read(second, 'omoide_turns')).toEqual({ '': 0 });
});
