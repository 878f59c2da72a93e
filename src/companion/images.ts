import type { LanguageModel, Memory } from '../engine/engine.ts';
import { isMemoryError } from '../model/model.ts';
import type { Language } from '../text/text.ts';
import { keepable } from './keep.ts';
import { prompt } from './prompts.ts';

const MAX_TOKENS = 600;

/** How images come to a model that answers. */
export interface Seen {
  /** What they show, in words; null when there are none, or nobody could tell. */
  readonly summary: string | null;
  /** Those to be shown as they are, since there is nobody to describe them. */
  readonly images: readonly string[];
}

/**
 * Has images described. That the vision model fails is no reason not to answer: then they are passed over.
 * @param purpose as the request is counted and traced
 */
export async function lookAt(
  images: readonly string[],
  vision: LanguageModel | null,
  language: Language,
  purpose: string,
  signal: AbortSignal,
): Promise<Seen> {
  if (images.length === 0 || !vision) return { summary: null, images };
  const request = {
    purpose,
    messages: [{ role: 'user', content: prompt('image', language), images }],
    maxOutputTokens: MAX_TOKENS,
  } as const;
  try {
    const { text } = await vision.generateText(request, signal);
    return { summary: keepable(text).trim() || null, images: [] };
  } catch (error) {
    if (isMemoryError(error, 'MODEL_FAILED')) return { summary: null, images: [] };
    throw error;
  }
}

/** Notes beside an episode what its images show. */
export async function noteImages(memory: Memory, unitId: number, imageSummary: string): Promise<void> {
  const set = { notes: { imageSummary } };
  await memory.units.update({ unitId, set, reason: 'images described' });
}
