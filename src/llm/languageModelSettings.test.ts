import { describe, expect, test } from 'vitest';
import { checkLanguageModelSettings, parseLanguageModelSetting } from './languageModelSettings.ts';

describe('a model on one line', () => {
  test.each([
    ['openai:gpt-5-mini', 'https://api.openai.com/v1', 'gpt-5-mini', 'OPENAI_API_KEY'],
    [
      'google:gemini-2.5-flash',
      'https://generativelanguage.googleapis.com/v1beta/openai',
      'gemini-2.5-flash',
      'GEMINI_API_KEY',
    ],
    ['anthropic:claude-haiku-4-5', 'https://api.anthropic.com/v1', 'claude-haiku-4-5', 'ANTHROPIC_API_KEY'],
    ['ollama:qwen3:8b', 'http://127.0.0.1:11434/v1', 'qwen3:8b', undefined],
    ['lmstudio:qwen/qwen3-8b', 'http://127.0.0.1:1234/v1', 'qwen/qwen3-8b', undefined],
    [' http://10.0.0.7:8080/v1#qwen3 ', 'http://10.0.0.7:8080/v1', 'qwen3', undefined],
  ])('%s', (line, url, model, apiKeyEnv) => {
    const settings = parseLanguageModelSetting(line);
    expect(settings).toMatchObject({ provider: 'endpoint', url, model });
    expect(settings.apiKeyEnv).toBe(apiKeyEnv);
  });

  test('may be JSON', () => {
    const settings = { provider: 'endpoint', url: 'https://a.test/v1', model: 'm', retries: 0 };
    expect(parseLanguageModelSetting(JSON.stringify(settings))).toEqual(settings);
  });

  test.each([
    'gpt-5',
    'openai:',
    'constructor:x',
    'http://127.0.0.1:8080/v1',
    'ftp://a.test#m',
    '{"provider":"endpoint"}',
    '{"apiKey": "sk-secret"',
  ])('%s is rejected', (line) => {
    expect(() => parseLanguageModelSetting(line)).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.not.stringContaining('sk-secret') as string,
      }),
    );
  });
});

test('settings are validated, and errors never contain a key', () => {
  const wrong = {
    provider: 'endpoint',
    url: 'https://a.test/v1',
    model: '',
    apiKey: 'sk-secret',
    retires: 1,
  };
  expect(() => checkLanguageModelSettings(wrong)).toThrow(
    expect.objectContaining({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/retires[\s\S]*model|model[\s\S]*retires/) as string,
    }),
  );
  expect(() => checkLanguageModelSettings(wrong)).not.toThrow(/sk-secret/);
});
