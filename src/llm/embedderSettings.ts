import { z } from 'zod';
import { MemoryError } from '../model/model.ts';
import { apiKeyEnvSchema, endpointUrlSchema } from './access.ts';
import { readJsonSetting, splitOnce } from './settingLine.ts';

/** Text before each input. Default: the known prefix of a model of this name (see docs/embedders.md), else none. */
const prefixSchema = z.string().max(1000).optional();

const endpointSchema = z.strictObject({
  provider: z.literal('endpoint'),
  /** The address to which `/embeddings` is appended, such as `http://127.0.0.1:11434/v1`. */
  url: endpointUrlSchema,
  model: z.string().min(1),
  apiKeyEnv: apiKeyEnvSchema.optional(),
  /** Requests shorter vectors. Default: the model's own dimensions. */
  dimensions: z.int().min(1).max(16_384).optional(),
  queryPrefix: prefixSchema,
  documentPrefix: prefixSchema,
  /** Texts in one request; the strictest servers accept 32. */
  batchSize: z.int().min(1).max(2048).default(32),
  /** Time limit of one request, including retries, in milliseconds. */
  timeoutMs: z.int().min(1).max(600_000).default(30_000),
});

const onnxSchema = z.strictObject({
  provider: z.literal('onnx'),
  /** Contains the model's `.onnx` file and its `tokenizer.json`. */
  directory: z.string().min(1),
  /** How the text's vector is computed: the mean of the tokens' vectors, or that of the first token. */
  pooling: z.enum(['mean', 'cls']).default('mean'),
  queryPrefix: prefixSchema,
  documentPrefix: prefixSchema,
  /** The most tokens of a text that are read, including the special ones. */
  maxTokens: z.int().min(8).max(32_768).default(512),
});

/** The settings of a memory's embedder. */
export const embedderSettingsSchema = z.discriminatedUnion('provider', [
  z.strictObject({ provider: z.literal('bundled') }),
  z.strictObject({ provider: z.literal('static') }),
  z.strictObject({ provider: z.literal('hashed') }),
  endpointSchema,
  onnxSchema,
]);
/** As a user writes them: fields with a default are optional. */
export type EmbedderSettings = z.input<typeof embedderSettingsSchema>;
export type EndpointSettings = z.infer<typeof endpointSchema>;
export type OnnxSettings = z.infer<typeof onnxSchema>;

/** The settings with their defaults. @throws MemoryError INVALID_INPUT */
export function checkEmbedderSettings(settings: unknown): z.infer<typeof embedderSettingsSchema> {
  const { data, error } = embedderSettingsSchema.safeParse(settings);
  if (error)
    throw new MemoryError('INVALID_INPUT', `The embedder settings are wrong. ${z.prettifyError(error)}`);
  return data;
}

const FORMS =
  'bundled, static, hashed, openai:MODEL, onnx:DIRECTORY, an address with a model such as http://127.0.0.1:11434/v1#nomic-embed-text, ' +
  'or the settings as JSON';

/**
 * Reads an embedder written on one line:
 *
 *     bundled                                       the model that comes with Omoide
 *     static                                        its table of words alone: less accurate, but very fast
 *     hashed                                        no model: texts are similar when their spelling is
 *     openai:text-embedding-3-small                 OpenAI, with the key in OPENAI_API_KEY
 *     http://127.0.0.1:11434/v1#nomic-embed-text    any OpenAI-compatible server, without a key
 *     onnx:models/multilingual-e5-small             a directory with model.onnx and tokenizer.json
 *     {"provider":"endpoint", …}                    the settings themselves, as JSON, for everything else
 *
 * @throws MemoryError INVALID_INPUT
 */
export function parseEmbedderSetting(value: string): EmbedderSettings {
  const settings = readSetting(value.trim());
  if (settings === undefined)
    throw new MemoryError('INVALID_INPUT', `This is not a valid embedder. Use one of: ${FORMS}.`);
  checkEmbedderSettings(settings);
  return settings;
}

function readSetting(value: string): EmbedderSettings | undefined {
  if (value === 'bundled' || value === 'static' || value === 'hashed') return { provider: value };
  if (value.startsWith('{')) return readJsonSetting(value, 'embedder') as EmbedderSettings;
  const [, scheme, rest] = /^(openai|onnx|https?):(.+)$/s.exec(value) ?? [];
  if (scheme === undefined || rest === undefined) return undefined;
  if (scheme === 'onnx') return { provider: 'onnx', directory: rest };
  if (scheme === 'openai')
    return {
      provider: 'endpoint',
      url: 'https://api.openai.com/v1',
      model: rest,
      apiKeyEnv: 'OPENAI_API_KEY',
    };
  const [url = '', model] = splitOnce(value, '#');
  return model ? { provider: 'endpoint', url, model } : undefined;
}
