import { describe, expect, test } from 'vitest';
import { checkEmbedderSettings, parseEmbedderSetting } from './embedderSettings.ts';

const SECRET = 'sk-this-must-never-be-seen';

test.each<[string, object]>([
  ['bundled', { provider: 'bundled' }],
  ['static', { provider: 'static' }],
  [' hashed ', { provider: 'hashed' }],
  [
    'openai:text-embedding-3-small',
    {
      provider: 'endpoint',
      url: 'https://api.openai.com/v1',
      model: 'text-embedding-3-small',
      apiKeyEnv: 'OPENAI_API_KEY',
    },
  ],
  [
    'http://127.0.0.1:11434/v1#nomic-embed-text:v1.5',
    { provider: 'endpoint', url: 'http://127.0.0.1:11434/v1', model: 'nomic-embed-text:v1.5' },
  ],
  [
    'https://host.example/v1#intfloat/multilingual-e5-small',
    { provider: 'endpoint', url: 'https://host.example/v1', model: 'intfloat/multilingual-e5-small' },
  ],
  ['onnx:./models/モデル e5', { provider: 'onnx', directory: './models/モデル e5' }],
  ['onnx:C:\\models\\e5', { provider: 'onnx', directory: 'C:\\models\\e5' }],
  [
    '{"provider":"onnx","directory":"m","pooling":"cls"}',
    { provider: 'onnx', directory: 'm', pooling: 'cls' },
  ],
])('accepts %s', (value, settings) => {
  expect(parseEmbedderSetting(value)).toEqual(settings);
});

test.each([
  '',
  'bundle',
  'openai:',
  'onnx:',
  'http://127.0.0.1:11434/v1',
  'http://127.0.0.1:11434/v1#',
  'http://#model',
  'ftp://127.0.0.1/v1#model',
  '{"provider":"onnx"',
  '{"provider":"magic"}',
  '{"provider":"onnx"}',
  '[]',
])('rejects %s', (value) => {
  expect(() => parseEmbedderSetting(value)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
});

test('an unknown embedder is reported with the valid choices', () => {
  expect(() => parseEmbedderSetting('best')).toThrow(/bundled, static, hashed, openai:MODEL, onnx:DIRECTORY/);
});

describe('settings', () => {
  const endpoint = { provider: 'endpoint', url: 'http://127.0.0.1:1/v1', model: 'm' };

  test('have defaults', () => {
    expect(checkEmbedderSettings(endpoint)).toEqual({ ...endpoint, batchSize: 32, timeoutMs: 30_000 });
    expect(checkEmbedderSettings({ provider: 'onnx', directory: 'm' })).toEqual({
      provider: 'onnx',
      directory: 'm',
      pooling: 'mean',
      maxTokens: 512,
    });
  });

  test.each<[string, object]>([
    ['an unknown setting', { ...endpoint, dimension: 5 }],
    ['a key', { ...endpoint, apiKey: SECRET }],
    ['a key for the name of a variable', { ...endpoint, apiKeyEnv: SECRET }],
    ['a password in the address', { ...endpoint, url: `http://me:${SECRET}@127.0.0.1/v1` }],
    ['a key in the address', { ...endpoint, url: `http://127.0.0.1/v1?key=${SECRET}` }],
    ['no address', { ...endpoint, url: SECRET }],
    ['an empty batch size', { ...endpoint, batchSize: 0 }],
    ['a fractional dimension', { ...endpoint, dimensions: 0.5 }],
    ['an unknown pooling', { provider: 'onnx', directory: 'm', pooling: 'max' }],
    ['a setting of another provider', { provider: 'hashed', model: 'm' }],
  ])('with %s are rejected, without repeating the text', (_, settings) => {
    const error = (() => {
      try {
        return checkEmbedderSettings(settings);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toMatchObject({ code: 'INVALID_INPUT' });
    expect(String(error)).not.toContain(SECRET);
  });

  test('as broken JSON are not repeated', () => {
    expect(() => parseEmbedderSetting(`{"apiKey": ${SECRET}`)).toThrow(
      expect.objectContaining({ message: 'The embedder settings are not valid JSON.' }),
    );
  });
});
