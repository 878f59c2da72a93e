import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openBundledEmbedder } from './bundled.ts';
import { openEmbedder } from './openEmbedder.ts';

const endpoint = { provider: 'endpoint', url: 'http://127.0.0.1:1/v1', model: 'm' } as const;

test.each([{}, { MY_KEY: '' }, { MY_KEY: '  ' }])(
  'a key that is not set is asked for by name',
  async (env) => {
    await expect(openEmbedder({ ...endpoint, apiKeyEnv: 'MY_KEY' }, env)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('MY_KEY') as string,
    });
  },
);

test('no key is needed where none is named', async () => {
  expect((await openEmbedder(endpoint, {})).id).toBe('endpoint:http://127.0.0.1:1/v1#m');
});

test('wrong settings are refused', async () => {
  await expect(openEmbedder({ ...endpoint, batchSize: -1 })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('batchSize') as string,
  });
});

test('embedders know their names and sizes', async () => {
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

test('a bundled model that is missing or damaged is told of', () => {
  const directory = mkdtempSync(join(tmpdir(), 'omoide-bundled-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'model.bin');
  const failure = expect.objectContaining({
    code: 'EMBEDDER_FAILED',
    message: expect.stringContaining(path) as string,
    details: { retryable: false },
  }) as Error;
  expect(() => openBundledEmbedder(path)).toThrow(failure);
  writeFileSync(path, 'damaged');
  expect(() => openBundledEmbedder(path)).toThrow(failure);
});
