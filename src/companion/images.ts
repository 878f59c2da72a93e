import type { Job, LanguageModel, Memory } from '../engine/engine.ts';
import { isMemoryError, listOf } from '../model/model.ts';
import type { Language } from '../text/text.ts';
import { storableText } from './storeTurn.ts';
import { prompt } from './prompts.ts';

const MAX_TOKENS = 600;

/** Maximum time that an answer waits for image descriptions, in milliseconds. */
export const ANSWER_WAIT_MS = 3_000;

/** The images as the chat model receives them. */
export interface ImageDescriptions {
  /** Their description; null when there are no images or none could be described. */
  readonly summary: string | null;
  /** Images passed to the chat model as they are, because there is no vision model. */
  readonly images: readonly string[];
  /** Number of images that could not be described in time. */
  readonly unseen: number;
}

/** The images that a job was requested with. */
export function imagesOf({ input }: Job): string[] {
  return listOf(input['images']).filter((image) => typeof image === 'string');
}

/**
 * Describes images. If the vision model fails or takes longer than `limitMs`, they count as unseen.
 * @param purpose the purpose under which the request is counted and traced
 */
export async function describeWithinLimit(
  images: readonly string[],
  vision: LanguageModel | null,
  look: {
    readonly language: Language;
    readonly purpose: string;
    readonly signal: AbortSignal;
    readonly limitMs?: number;
  },
): Promise<ImageDescriptions> {
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
 * The description of images; null when the model returns an empty one.
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
  return storableText(text).trim() || null;
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/** The text, with a note if some images could not be seen. */
export function withMissingImagesNote(
  text: string,
  { unseen }: ImageDescriptions,
  language: Language,
): string {
  return unseen === 0 ? text : `${text}\n[${prompt('unseen_image', language)}]`;
}

/** Stores the description of an episode's images. */
export async function storeImageSummary(memory: Memory, unitId: number, imageSummary: string): Promise<void> {
  const set = { notes: { imageSummary } };
  await memory.units.update({ unitId, set, reason: 'images described' });
}
