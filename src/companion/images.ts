import type { LanguageModel, Memory } from '../engine/engine.ts';
import { isMemoryError } from '../model/model.ts';
import type { Language } from '../text/text.ts';
import { keepable } from './keep.ts';
import { prompt } from './prompts.ts';

const MAX_TOKENS = 600;

/** Longest time for which an answer waits for the description of its images, in milliseconds. */
export const ANSWER_WAIT_MS = 3_000;

/** How images come to a model that answers. */
export interface Seen {
  /** What they show, in words; null when there are none, or nobody could tell. */
  readonly summary: string | null;
  /** Those to be shown as they are, since there is nobody to describe them. */
  readonly images: readonly string[];
  /** How many could not be described now. */
  readonly unseen: number;
}

/**
 * Has images described. When the vision model fails or takes longer than `limitMs`, they count as unseen.
 * @param purpose as the request is counted and traced
 */
export async function lookAt(
  images: readonly string[],
  vision: LanguageModel | null,
  look: {
    readonly language: Language;
    readonly purpose: string;
    readonly signal: AbortSignal;
    readonly limitMs?: number;
  },
): Promise<Seen> {
  if (images.length === 0 || !vision) return { summary: null, images, unseen: 0 };
  const { language, purpose, signal, limitMs } = look;
  try {
    const ended = limitMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const summary = await describeImages(images, vision, { language, purpose, signal: ended });
    return { summary, images: [], unseen: summary === null ? images.length : 0 };
  } catch (error) {
    signal.throwIfAborted();
    if (isMemoryError(error, 'MODEL_FAILED') || isTimeout(error))
      return { summary: null, images: [], unseen: images.length };
    throw error;
  }
}

/**
 * What images show, in words; null when the model says nothing.
 * @throws MemoryError MODEL_FAILED
 */
export async function describeImages(
  images: readonly string[],
  vision: LanguageModel,
  look: { readonly language: Language; readonly purpose: string; readonly signal: AbortSignal },
): Promise<string | null> {
  const request = {
    purpose: look.purpose,
    messages: [{ role: 'user', content: prompt('image', look.language), images }],
    maxOutputTokens: MAX_TOKENS,
  } as const;
  const { text } = await vision.generateText(request, look.signal);
  return keepable(text).trim() || null;
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/** Words, and a note that images came with them that could not be seen. */
export function withUnseen(text: string, { unseen }: Seen, language: Language): string {
  return unseen === 0 ? text : `${text}\n[${prompt('unseen_image', language)}]`;
}

/** Notes beside an episode what its images show. */
export async function noteImages(memory: Memory, unitId: number, imageSummary: string): Promise<void> {
  const set = { notes: { imageSummary } };
  await memory.units.update({ unitId, set, reason: 'images described' });
}
