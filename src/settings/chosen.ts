import type { EmbedderSettings, LanguageModelSettings, RecallDefaults } from '../engine/engine.ts';
import type { OperatorSettings } from './schema.ts';

/** What a language model is for: to answer, to work in the background and recall deeply, to describe images. */
export type ModelRole = 'chat' | 'light' | 'vision';

/** The language model chosen for this; background work falls to the one that answers. Null: none. */
export function chosenModel(
  { presets, active }: OperatorSettings,
  role: ModelRole,
): LanguageModelSettings | null {
  const id = active[role] ?? (role === 'light' ? active.chat : null);
  return presets.llm.find((preset) => preset.id === id)?.settings ?? null;
}

/** What holds for recalls of this memory that do not say otherwise. */
export function chosenRecall({ recall, recallByMemory }: OperatorSettings, memoryId: string): RecallDefaults {
  const own = recallByMemory[memoryId];
  return { ...recall, ...own, thresholds: { ...recall.thresholds, ...own?.thresholds } };
}

/** Null: the bundled one. */
export function chosenEmbedder({ presets, active }: OperatorSettings): EmbedderSettings | null {
  return presets.embedding.find((preset) => preset.id === active.embedding)?.settings ?? null;
}
