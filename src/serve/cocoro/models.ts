/** Language models in that protocol's format: that of LiteLLM, `SERVER/MODEL`, each with a model for images. */
import { z } from 'zod';
import { parseLanguageModelSetting, type LanguageModelSettings } from '../../engine/engine.ts';
import type { LlmPreset, SettingsPatch } from '../../settings/settings.ts';
import { Problem } from '../problem.ts';

const key = z.string().nullish();
const tokens = z.int().min(1).nullish();

export const llmPresetSchema = z.looseObject({
  llm_preset_id: z.string(),
  llm_preset_name: z.string(),
  /** Empty: the stored key is kept. */
  llm_api_key: key,
  llm_model: z.string(),
  reasoning_effort: z.string().nullish(),
  llm_base_url: z.string().nullish(),
  max_turns_window: z.int().min(0).nullish(),
  max_tokens: tokens,
  image_model_api_key: key,
  image_model: z.string().nullish(),
  image_llm_base_url: z.string().nullish(),
  max_tokens_vision: tokens,
  image_timeout_seconds: z.number().positive().nullish(),
});
type WrittenLlmPreset = z.output<typeof llmPresetSchema>;
type Preset = NonNullable<NonNullable<SettingsPatch['presets']>['llm']>[number];

const DEFAULT_MAX_TOKENS = 2_048;
const DEFAULT_IMAGE_TOKENS = 1_024;
const DEFAULT_IMAGE_TIMEOUT_S = 30;

/** Servers by their names in LiteLLM. */
const SERVERS: Readonly<Record<string, Partial<LanguageModelSettings> & { readonly url: string }>> = {
  openai: knownServer('openai'),
  gemini: knownServer('google'),
  anthropic: knownServer('anthropic'),
  openrouter: { url: 'https://openrouter.ai/api/v1' },
  xai: { url: 'https://api.x.ai/v1' },
  groq: { url: 'https://api.groq.com/openai/v1' },
  deepseek: { url: 'https://api.deepseek.com/v1' },
  mistral: { url: 'https://api.mistral.ai/v1' },
};

function knownServer(name: string): Partial<LanguageModelSettings> & { url: string } {
  const { model: _, ...server } = parseLanguageModelSetting(`${name}:any`);
  return server;
}

/** Whether it is the preset for images that belongs to another preset. */
export function isImagePreset({ id }: LlmPreset, all: readonly LlmPreset[]): boolean {
  return all.some((preset) => imagePresetId(preset.id) === id);
}

export function imagePresetId(id: string): string {
  return `${id}.image`;
}

/** A preset in the client's format; keys are never included. */
export function fromLlmPreset(preset: LlmPreset, all: readonly LlmPreset[], recentTurns: number): object {
  const { settings } = preset;
  const image = all.find(({ id }) => id === imagePresetId(preset.id))?.settings;
  const chatName = toLiteLlm(settings);
  const imageName = image ? toLiteLlm(image) : { model: '', url: null };
  return {
    llm_preset_id: preset.id,
    llm_preset_name: preset.name,
    llm_api_key: '',
    llm_model: chatName.model,
    reasoning_effort: settings.extraBody?.['reasoning_effort'] ?? null,
    llm_base_url: chatName.url,
    max_turns_window: recentTurns,
    max_tokens: settings.maxOutputTokens ?? DEFAULT_MAX_TOKENS,
    image_model_api_key: '',
    image_model: imageName.model,
    image_llm_base_url: imageName.url,
    max_tokens_vision: image?.maxOutputTokens ?? DEFAULT_IMAGE_TOKENS,
    image_timeout_seconds: image?.timeoutMs === undefined ? DEFAULT_IMAGE_TIMEOUT_S : image.timeoutMs / 1_000,
  };
}

/**
 * A preset in Omoide's format, and the one for images if there is one.
 * @throws Problem INVALID_INPUT when its server is unknown
 */
export function toLlmPreset(written: WrittenLlmPreset, kept: readonly LlmPreset[]): Preset[] {
  const { llm_preset_id: id, llm_preset_name: name, reasoning_effort: effort } = written;
  const before = settingsOf(id, kept);
  const { reasoning_effort: _, ...extra } = before?.extraBody ?? {};
  const extraBody = { ...extra, ...(effort && { reasoning_effort: effort }) };
  const settings = {
    ...changedModel(before, fromLiteLlm(written.llm_model, written.llm_base_url)),
    ...(written.llm_api_key && { apiKey: written.llm_api_key }),
    ...(written.max_tokens && { maxOutputTokens: written.max_tokens }),
    ...(Object.keys(extraBody).length > 0 && { extraBody }),
  };
  const chat: Preset = { id, name, settings };
  return written.image_model ? [chat, imagePreset(written, chat, kept)] : [chat];
}

function imagePreset(written: WrittenLlmPreset, chat: Preset, kept: readonly LlmPreset[]): Preset {
  const id = imagePresetId(chat.id);
  const before = settingsOf(id, kept);
  const server = fromLiteLlm(written.image_model ?? '', written.image_llm_base_url);
  // For the same server, the key of the chat is used for images, too.
  const keptKey = before?.url === server.url ? before.apiKey : undefined;
  const chatKey = chat.settings.apiKey ?? settingsOf(chat.id, kept)?.apiKey;
  const apiKey =
    written.image_model_api_key || keptKey || (server.url === chat.settings.url ? chatKey : undefined);
  const settings = {
    ...changedModel(before, server),
    ...(apiKey && { apiKey }),
    ...(written.max_tokens_vision && { maxOutputTokens: written.max_tokens_vision }),
    ...(written.image_timeout_seconds && { timeoutMs: Math.round(written.image_timeout_seconds * 1_000) }),
  };
  return { id, name: `${chat.name} (images)`, settings };
}

function settingsOf(id: string, kept: readonly LlmPreset[]): LanguageModelSettings | undefined {
  return kept.find((preset) => preset.id === id)?.settings;
}

type Named = Partial<LanguageModelSettings> & Pick<LanguageModelSettings, 'provider' | 'url' | 'model'>;

/** The settings after a client has changed a model. If the server changes, no setting of the previous server is kept. */
function changedModel(before: LanguageModelSettings | undefined, named: Named): Named {
  if (!before) return named;
  const { apiKey: _, extraBody: __, ...kept } = before;
  if (before.url === named.url) return { ...named, ...kept, model: named.model };
  const { apiKeyEnv: ___, structuredOutput: ____, ...general } = kept;
  return { ...general, ...named };
}

function fromLiteLlm(name: string, baseUrl: string | null | undefined): Named {
  const slash = name.indexOf('/');
  const [prefix, rest] = slash < 0 ? ['', name] : [name.slice(0, slash), name.slice(slash + 1)];
  const provider = 'endpoint';
  if (baseUrl) return { provider, url: baseUrl, model: prefix === 'openai' ? rest : name };
  const server = Object.hasOwn(SERVERS, prefix || 'openai') ? SERVERS[prefix || 'openai'] : undefined;
  if (server) return { ...server, provider, model: rest };
  const known = Object.keys(SERVERS).join(', ');
  throw new Problem(
    'INVALID_INPUT',
    `“${name}” is not the name of a known server (${known}). Give its address as llm_base_url or image_llm_base_url.`,
  );
}

/** In a form that can be written back unchanged. */
function toLiteLlm({ url, model }: LanguageModelSettings): { model: string; url: string | null } {
  const [prefix] = Object.entries(SERVERS).find(([, server]) => server.url === url) ?? [];
  return prefix === undefined
    ? { model: `openai/${model}`, url }
    : { model: `${prefix}/${model}`, url: null };
}
