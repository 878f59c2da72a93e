/** Applies changes to settings. */
import { isDeepStrictEqual } from 'node:util';
import { MemoryError, parseInput, defined, keysOf } from '../model/model.ts';
import {
  operatorSettingsSchema,
  publicSettingsSchema,
  settingsPatchSchema,
  type LlmPreset,
  type OperatorSettings,
  type PublicSettings,
  type SettingsPatch,
} from './schema.ts';

/** @throws MemoryError INVALID_INPUT, naming every invalid field */
export function changed(settings: OperatorSettings, patch: SettingsPatch): OperatorSettings {
  parseInput(settingsPatchSchema, patch, 'a change of the settings');
  const { presets = {}, active = {}, budgets = {}, reminders = {}, memories = {}, ...switches } = patch;
  const { llm, ...others } = presets;
  const next = {
    ...settings,
    ...defined(switches),
    presets: {
      ...settings.presets,
      ...defined(others),
      ...(llm && { llm: llm.map((preset) => withKey(preset, settings.presets.llm)) }),
    },
    active: { ...settings.active, ...defined(active) },
    budgets: { ...settings.budgets, ...defined(budgets) },
    reminders: { ...settings.reminders, ...defined(reminders) },
    memories: withoutEmptyMemories({ ...settings.memories, ...memories }),
  } as OperatorSettings;
  checkSettings(next);
  return next;
}

/** @throws MemoryError INVALID_INPUT when a chosen preset does not exist, or anything else is invalid */
export function checkSettings(settings: OperatorSettings): void {
  parseInput(operatorSettingsSchema, settings, 'settings');
}

/** The settings without API keys, which can be shown. */
export function withoutKeys(settings: OperatorSettings): PublicSettings {
  const llm = settings.presets.llm.map(({ settings: { apiKey, ...rest }, ...preset }) => ({
    ...preset,
    settings: { ...rest, hasKey: apiKey !== undefined },
  }));
  return publicSettingsSchema.parse({ ...settings, presets: { ...settings.presets, llm } });
}

/** Without memories that have no choices of their own. */
function withoutEmptyMemories(memories: Readonly<Record<string, object | null>>): object {
  return Object.fromEntries(Object.entries(memories).filter(([, own]) => own !== null));
}

type WrittenPreset = NonNullable<NonNullable<SettingsPatch['presets']>['llm']>[number];

/**
 * The preset with its key. A stored key is used only for the address that it was given for: otherwise anyone who
 * may change the settings could send it to another address.
 */
function withKey(written: WrittenPreset, kept: readonly LlmPreset[]): LlmPreset {
  const { apiKey, hasKey: _, ...settings } = written.settings;
  const before = kept.find(({ id }) => id === written.id)?.settings;
  const preset = { ...written, settings: defined(settings) };
  if (apiKey === null) return preset;
  if (apiKey !== undefined) return { ...preset, settings: { ...preset.settings, apiKey } };
  if (before?.apiKey === undefined) return preset;
  if (before.url !== settings.url) {
    throw new MemoryError(
      'INVALID_INPUT',
      `presets.llm: the address of “${written.id}” has changed; send its key again, or null for none.`,
    );
  }
  return { ...preset, settings: { ...preset.settings, apiKey: before.apiKey } };
}

/** The names of the settings that differ. */
export function changedNames(before: OperatorSettings, after: OperatorSettings): (keyof OperatorSettings)[] {
  return keysOf(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
