/**
 * `GET` and `PUT /api/settings`: all values of a client's settings page.
 *
 *     theirs               Omoide's
 *     llm_preset           presets.llm; the model for images is another preset, `ID.image`
 *     embedding_preset     a memory: the embedder is chosen only in Omoide
 *     persona_preset       presets.persona
 *     contract_preset,     presets.contract
 *     addon_preset
 */
import { z } from 'zod';
import type { LlmPreset, OperatorSettings, SettingsPatch, TextPreset } from '../../settings/settings.ts';
import { Problem } from '../problem.ts';
import { fromLlmPreset, imagePresetId, isImagePreset, llmPresetSchema, toLlmPreset } from './models.ts';

const id = z.string().nullish();

/** A preset with the client's names, read as one of Omoide's. */
function textPreset(kind: 'persona' | 'contract' | 'addon') {
  return z
    .looseObject({
      [`${kind}_preset_id`]: z.string(),
      [`${kind}_preset_name`]: z.string(),
      [`${kind}_text`]: z.string(),
    })
    .transform((written): TextPreset => ({
      id: String(written[`${kind}_preset_id`]),
      name: String(written[`${kind}_preset_name`]),
      text: String(written[`${kind}_text`]),
    }));
}

/** Omitted fields are not changed. Unknown fields, and those that Omoide does not need, are ignored. */
export const settingsSchema = z.looseObject({
  exclude_keywords: z.array(z.string()).nullish(),
  memory_enabled: z.boolean().nullish(),
  reminders_enabled: z.boolean().nullish(),
  active_llm_preset_id: id,
  active_embedding_preset_id: id,
  active_persona_preset_id: id,
  active_contract_preset_id: id,
  active_addon_preset_id: id,
  llm_preset: z.array(llmPresetSchema).nullish(),
  embedding_preset: z
    .array(z.looseObject({ embedding_preset_id: z.string(), embedding_preset_name: z.string() }))
    .nullish(),
  persona_preset: z.array(textPreset('persona')).nullish(),
  contract_preset: z.array(textPreset('contract')).nullish(),
  addon_preset: z.array(textPreset('addon')).nullish(),
});
type Written = z.output<typeof settingsSchema>;

/**
 * The settings in the client's format. Keys are never included.
 * @param dimensions of the current vectors
 */
export function forSettings(
  { presets, active, budgets, reminders, cocoro }: OperatorSettings,
  dimensions: number,
): object {
  const text = (kind: 'persona' | 'contract', name: string) =>
    presets[kind].map((preset) => ({
      [`${name}_preset_id`]: preset.id,
      [`${name}_preset_name`]: preset.name,
      [`${name}_text`]: preset.text,
    }));
  return {
    exclude_keywords: cocoro.excludeKeywords,
    memory_enabled: cocoro.memoryEnabled,
    desktop_watch_enabled: false,
    desktop_watch_interval_seconds: 300,
    desktop_watch_target_client_id: null,
    reminders_enabled: reminders.enabled,
    reminders: [],
    active_llm_preset_id: active.chat,
    active_embedding_preset_id: cocoro.memoryId,
    active_persona_preset_id: active.persona,
    active_contract_preset_id: active.contract,
    active_addon_preset_id: active.contract,
    llm_preset: presets.llm
      .filter((preset) => !isImagePreset(preset, presets.llm))
      .map((preset) => fromLlmPreset(preset, presets.llm, budgets.recentTurns)),
    embedding_preset: cocoro.memories.map((memory) => ({
      embedding_preset_id: memory.id,
      embedding_preset_name: memory.name,
      embedding_model_api_key: '',
      embedding_model: 'omoide',
      embedding_base_url: null,
      embedding_dimension: dimensions,
      similar_episodes_limit: 10,
    })),
    persona_preset: text('persona', 'persona'),
    contract_preset: text('contract', 'contract'),
    addon_preset: text('contract', 'addon'),
  };
}

/**
 * The change requested by a client.
 * @throws Problem INVALID_INPUT when a choice is not in its list, an id occurs twice, or the server of a model is
 * unknown
 */
export function fromSettings(written: Written, before: OperatorSettings): SettingsPatch {
  const llm = written.llm_preset;
  const contract = contractsOf(written);
  const chosen = activeModel(written, before);
  const persona = written.persona_preset;
  const memories = written.embedding_preset?.map((preset) => ({
    id: preset.embedding_preset_id,
    name: preset.embedding_preset_name,
  }));
  checkIds(
    'llm_preset',
    llm?.map((preset) => preset.llm_preset_id),
    written.active_llm_preset_id,
  );
  checkIds('embedding_preset', memories?.map(idOf), written.active_embedding_preset_id);
  checkIds('persona_preset', persona?.map(idOf), written.active_persona_preset_id);
  checkIds('contract_preset', contract.presets?.map(idOf), contract.active);
  const turns = llm?.find((preset) => preset.llm_preset_id === chosen?.chat)?.max_turns_window;
  return {
    presets: {
      ...(llm && { llm: llm.flatMap((preset) => toLlmPreset(preset, before.presets.llm)) }),
      ...(persona && { persona }),
      ...(contract.presets && { contract: contract.presets }),
    },
    active: {
      ...chosen,
      ...given('persona', written.active_persona_preset_id),
      ...given('contract', contract.active),
    },
    ...(typeof turns === 'number' && { budgets: { recentTurns: turns } }),
    ...(typeof written.reminders_enabled === 'boolean' && {
      reminders: { enabled: written.reminders_enabled },
    }),
    cocoro: {
      memoryId: written.active_embedding_preset_id ?? before.cocoro.memoryId,
      memories: memories ?? before.cocoro.memories,
      memoryEnabled: written.memory_enabled ?? before.cocoro.memoryEnabled,
      excludeKeywords: written.exclude_keywords ?? before.cocoro.excludeKeywords,
    },
  };
}

/** The older version calls them contracts, the newer one addons. */
function contractsOf(written: Written): { presets?: TextPreset[]; active: string | null | undefined } {
  const presets = written.addon_preset ?? written.contract_preset;
  const active = written.addon_preset ? written.active_addon_preset_id : written.active_contract_preset_id;
  return { ...(presets && { presets }), active };
}

/** The chat model, and its model for images. */
function activeModel(
  { active_llm_preset_id: chat, llm_preset: presets }: Written,
  before: OperatorSettings,
): { chat?: string | null; vision?: string | null } | undefined {
  if (chat === undefined) return undefined;
  if (chat === null || chat === '') return { chat: null };
  const written = presets?.find((preset) => preset.llm_preset_id === chat);
  const hasImages = written
    ? Boolean(written.image_model)
    : before.presets.llm.some((preset) => preset.id === imagePresetId(chat));
  return { chat, vision: hasImages ? imagePresetId(chat) : null };
}

function given<Name extends string>(name: Name, value: string | null | undefined): object {
  return value === undefined ? {} : { [name]: value === '' ? null : value };
}

function idOf({ id }: Pick<LlmPreset, 'id'>): string {
  return id;
}

function checkIds(list: string, ids: readonly string[] | undefined, active: string | null | undefined): void {
  if (!ids) return;
  if (new Set(ids).size < ids.length)
    throw new Problem('INVALID_INPUT', `${list} contains two presets with the same id.`);
  if (active && !ids.includes(active))
    throw new Problem('INVALID_INPUT', `${list} has no preset “${active}”, which is the active one.`);
}
