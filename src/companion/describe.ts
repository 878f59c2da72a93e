/** Describes images in the background if they could not be described while the user waited. */
import type { Job, Memory } from '../engine/engine.ts';
import { detectLanguage } from '../text/text.ts';
import { describeImages, storeImageSummary, imagesOf } from './images.ts';
import type { CompanionParts } from './types.ts';

export const DESCRIBE_IMAGES = 'describe_images';

/** Requests the description of an episode's images; the images are stored until it is done. */
export async function requestDescription(
  memory: Memory,
  unitId: number,
  images: readonly string[],
): Promise<void> {
  const key = `${DESCRIBE_IMAGES}:${unitId}`;
  const input = { unitId, images: [...images] };
  await memory.jobs.request({ kind: DESCRIBE_IMAGES, key, conversationId: null, input });
}

/**
 * Describes the images of an episode and stores the description, unless there is one.
 * @throws MemoryError NO_MODEL, MODEL_FAILED
 */
export async function describe(parts: CompanionParts, job: Job, signal: AbortSignal): Promise<void> {
  const { memory } = parts;
  const [unit] = await memory.units.get([Number(job.input['unitId'])]);
  if (unit?.kind !== 'episode' || unit.state === 'archived' || unit.payload.imageSummary !== null) return;
  const vision = parts.visionModel();
  // Without a vision model, the chat model receives the images themselves.
  if (!vision) return;
  const images = imagesOf(job);
  const look = { language: detectLanguage(unit.payload.text), purpose: DESCRIBE_IMAGES, signal };
  const summary = await describeImages(images, vision, look);
  if (summary !== null) await storeImageSummary(memory, unit.id, summary);
}
