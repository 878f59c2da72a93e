import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { openBundledEmbedder } from './bundled.ts';
import { openEmbedder } from './openEmbedder.ts';

const endpoint = { provider: 'endpoint', url: 'http://127.0.0.1:1/v1', model: 'm' } as const;

test.each([{}, { MY_KEY: '' }, { MY_KEY: '  ' }])(
  'a missing key is reported by the name of its variable',
  async (env) => {
    await expect(openEmbedder({ ...endpoint, apiKeyEnv: 'MY_KEY' }, env)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('MY_KEY') as string,
    });
  },
);

test('no key is needed when none is named', async () => {
  expect((await openEmbedder(endpoint, {})).id).toBe('endpoint:http://127.0.0.1:1/v1#m');
});

test('invalid settings are rejected', async () => {
  await expect(openEmbedder({ ...endpoint, batchSize: -1 })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('batchSize') as string,
  });
});

test('embedders have ids and dimensions', async () => {
  const embedder = await openEmbedder({ provider: 'hashed' });
  expect(embedder).toMatchObject({ id: 'omoide-hashed-v1', dimensions: 256 });
});

test.each([
  ['猫を飼い始めました', 'I got a cat', 'The meeting was moved to Friday'],
  ['我昨天去了医院', 'Yesterday I went to the hospital', 'She likes strawberry cake'],
])('the bundled model puts “%s” nearer to its translation than to another text', async (...texts) => {
  const embedder = await openEmbedder({ provider: 'bundled' });
  const [text, translation, other] = await embedder.embed(texts, 'document');
  expect(text).toHaveLength(embedder.dimensions ?? 0);
  expect(dot(text!, translation!)).toBeGreaterThan(dot(text!, other!));
});

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, d) => sum + value * (b[d] ?? 0), 0);
}

describe('the bundled model', () => {
  test('gives a text the same vector alone, in a batch, and as a query', async () => {
    const embedder = await openEmbedder({ provider: 'bundled' });
    const texts = [
      '猫を飼い始めました',
      '我昨天去了医院',
      'I got a cat',
      '',
      'The meeting was moved to Friday',
    ];
    const together = await embedder.embed(texts, 'document');
    for (const [i, text] of texts.entries())
      expect(await embedder.embed([text], 'query')).toEqual([together[i]]);
  });

  test('reports a missing or damaged file', async () => {
    const path = join(temporaryFolder(), 'model.bin');
    const failure = expect.objectContaining({
      code: 'EMBEDDER_FAILED',
      message: expect.stringContaining(path) as string,
      details: { retryable: false },
    }) as Error;
    expect(() => openBundledEmbedder(path)).toThrow(failure);
    writeFileSync(path, 'damaged');
    const embedder = openBundledEmbedder(path);
    await expect(embedder.embed(['a'], 'query')).rejects.toThrow(failure);
    await expect(embedder.embed(['a', 'b', 'c', 'd'], 'document')).rejects.toThrow(failure);
  });
});
