import { z } from 'zod';
import { MemoryError } from '../model/model.ts';
import { apiKeyEnvSchema, endpointUrlSchema } from './access.ts';
import { KNOWN_SERVERS } from './knownServers.ts';
import { readJsonSetting, splitOnce } from './settingLine.ts';

/** The settings of a language model behind any OpenAI-compatible `/chat/completions`. */
export const languageModelSettingsSchema = z.strictObject({
  provider: z.literal('endpoint'),
  /** The address to which `/chat/completions` is appended, such as `http://127.0.0.1:11434/v1`. */
  url: endpointUrlSchema,
  model: z.string().min(1),
  /** The environment variable that contains the key. */
  apiKeyEnv: apiKeyEnvSchema.optional(),
  /** The key itself; it takes precedence over `apiKeyEnv` and is never shown. */
  apiKey: z.string().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  /** Time limit for a whole reply and, of a stream, for each piece, in milliseconds. */
  timeoutMs: z.int().min(1).max(3_600_000).default(120_000),
  /** How often a request is repeated after a 429, a 5xx or a broken connection. */
  retries: z.int().min(0).max(10).default(2),
  /** The most concurrent requests; the others wait. */
  concurrency: z.int().min(1).max(1_000).default(8),
  /** How a reply is constrained to a schema: by the server, or (`prompt`) by an instruction. */
  structuredOutput: z.enum(['json_schema', 'json_object', 'prompt']).default('json_schema'),
  /** Further fields of every request's body, as the server names them. */
  extraBody: z.record(z.string(), z.json()).optional(),
});
/** As a user writes them: fields with a default are optional. */
export type LanguageModelSettings = z.input<typeof languageModelSettingsSchema>;
export type CheckedLanguageModelSettings = z.output<typeof languageModelSettingsSchema>;

/** The settings with their defaults. @throws MemoryError INVALID_INPUT */
export function checkLanguageModelSettings(settings: unknown): CheckedLanguageModelSettings {
  const { data, error } = languageModelSettingsSchema.safeParse(settings);
  if (error)
    throw new MemoryError(
      'INVALID_INPUT',
      `The language model settings are wrong. ${z.prettifyError(error)}`,
    );
  return data;
}

const FORMS =
  `${Object.keys(KNOWN_SERVERS)
    .map((name) => `${name}:MODEL`)
    .join(', ')}, an address with a model such as http://127.0.0.1:8080/v1#qwen3, ` +
  'or the settings as JSON';

/**
 * Reads a language model written on one line:
 *
 *     openai:gpt-5-mini                 OpenAI, with the key in OPENAI_API_KEY
 *     google:gemini-2.5-flash           Google, with the key in GEMINI_API_KEY
 *     anthropic:claude-haiku-4-5        Anthropic, with the key in ANTHROPIC_API_KEY
 *     ollama:qwen3:8b                   Ollama on this machine
 *     lmstudio:qwen3-8b                 LM Studio on this machine
 *     http://127.0.0.1:8080/v1#qwen3    any OpenAI-compatible server, without a key
 *     {"provider":"endpoint", …}        the settings themselves, as JSON, for everything else
 *
 * @throws MemoryError INVALID_INPUT
 */
export function parseLanguageModelSetting(value: string): LanguageModelSettings {
  const settings = readSetting(value.trim());
  if (settings === undefined)
    throw new MemoryError('INVALID_INPUT', `This is not a valid language model. Use one of: ${FORMS}.`);
  checkLanguageModelSettings(settings);
  return settings;
}

function readSetting(value: string): LanguageModelSettings | undefined {
  if (value.startsWith('{')) return readJsonSetting(value, 'language model') as LanguageModelSettings;
  const [name = '', rest] = splitOnce(value, ':');
  const known = Object.hasOwn(KNOWN_SERVERS, name) ? KNOWN_SERVERS[name] : undefined;
  if (known) return rest ? { provider: 'endpoint', ...known, model: rest } : undefined;
  const [url = '', model] = splitOnce(value, '#');
  return /^https?:/.test(url) && model ? { provider: 'endpoint', url, model } : undefined;
}
