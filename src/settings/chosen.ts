import type {
  EmbedderSettings,
  LanguageModelSettings,
  RecallDefaults,
  SensitivePolicy,
} from '../engine/engine.ts';
import type { OperatorSettings } from './schema.ts';

/** The use of a language model: to answer, for background work and deep recall, to describe images. */
export type ModelRole = 'chat' | 'light' | 'vision';

/** The language model chosen for a use; background work uses the one that answers by default. Null: none. */
export function chosenModel(
  { presets, active }: OperatorSettings,
  role: ModelRole,
): LanguageModelSettings | null {
  const id = active[role] ?? (role === 'light' ? active.chat : null);
  return presets.llm.find((preset) => preset.id === id)?.settings ?? null;
}

/** The defaults for recalls of this memory. */
export function chosenRecall({ recall, recallByMemory }: OperatorSettings, memoryId: string): RecallDefaults {
  const own = recallByMemory[memoryId];
  return { ...recall, ...own, thresholds: { ...recall.thresholds, ...own?.thresholds } };
}

/** What the memory itself says about personal data and secrets; undefined: nothing. */
export function chosenSensitive(
  { memories }: OperatorSettings,
  memoryId: string,
): SensitivePolicy | undefined {
  return memories[memoryId]?.sensitive;
}

/** Null: the bundled one. */
export function chosenEmbedder({ presets, active }: OperatorSettings): EmbedderSettings | null {
  return presets.embedding.find((preset) => preset.id === active.embedding)?.settings ?? null;
}
