import { z } from 'zod';
import { MemoryError } from '../model/model.ts';
import { apiKeyEnvSchema, endpointUrlSchema } from './access.ts';
import { readJsonSetting, splitOnce } from './settingLine.ts';

/** Put before each text. Default: what is known for a model of this name (see docs/embedders.md), else nothing. */
const prefixSchema = z.string().max(1000).optional();

const endpointSchema = z.strictObject({
  provider: z.literal('endpoint'),
  /** The address that `/embeddings` is added to, such as `http://127.0.0.1:11434/v1`. */
  url: endpointUrlSchema,
  model: z.string().min(1),
  apiKeyEnv: apiKeyEnvSchema.optional(),
  /** Asks the model for shorter vectors. Default: as many dimensions as it gives. */
  dimensions: z.int().min(1).max(16_384).optional(),
  queryPrefix: prefixSchema,
  documentPrefix: prefixSchema,
  /** Texts in one request; 32 is what the strictest servers accept. */
  batchSize: z.int().min(1).max(2048).default(32),
  /** Longest wait for one request, retries included, in milliseconds. */
  timeoutMs: z.int().min(1).max(600_000).default(30_000),
});

const onnxSchema = z.strictObject({
  provider: z.literal('onnx'),
  /** Holds the model's `.onnx` file and its `tokenizer.json`. */
  directory: z.string().min(1),
  /** How the vectors of the tokens become the text's: their mean, or that of the first token. */
  pooling: z.enum(['mean', 'cls']).default('mean'),
  queryPrefix: prefixSchema,
  documentPrefix: prefixSchema,
  /** Tokens read of a text, the special ones included; the rest is left out. */
  maxTokens: z.int().min(8).max(32_768).default(512),
});

/** Which embedder a memory uses, with everything that may be set. */
export const embedderSettingsSchema = z.discriminatedUnion('provider', [
  z.strictObject({ provider: z.literal('bundled') }),
  z.strictObject({ provider: z.literal('static') }),
  z.strictObject({ provider: z.literal('hashed') }),
  endpointSchema,
  onnxSchema,
]);
/** As a user writes them: what has a default may be left out. */
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
 *     static                                        its table of words alone: less good, and hardly any work
 *     hashed                                        no model: texts are alike when they are written alike
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
    throw new MemoryError('INVALID_INPUT', `This names no embedder. It is one of: ${FORMS}.`);
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
