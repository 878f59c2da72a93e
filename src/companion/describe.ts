/** Images that could not be described while somebody waited are described in the background. */
import type { Job, Memory } from '../engine/engine.ts';
import { detectLanguage } from '../text/text.ts';
import { describeImages, noteImages } from './images.ts';
import type { CompanionParts } from './types.ts';

export const DESCRIBE_IMAGES = 'describe_images';

/** Asks for the description of an episode's images; they are kept until it is made. */
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
 * Notes what the images of an episode show, unless that is known.
 * @throws MemoryError NO_MODEL, MODEL_FAILED
 */
export async function describe(parts: CompanionParts, job: Job, signal: AbortSignal): Promise<void> {
  const { memory } = parts;
  const [unit] = await memory.units.get([Number(job.input['unitId'])]);
  if (unit?.kind !== 'episode' || unit.state === 'archived' || unit.payload.imageSummary !== null) return;
  const vision = parts.visionModel();
  // Without one the model that answers is shown images as they are; there is nobody to describe these.
  if (!vision) return;
  const images = (job.input['images'] ?? []) as string[];
  const look = { language: detectLanguage(unit.payload.text), purpose: DESCRIBE_IMAGES, signal };
  const summary = await describeImages(images, vision, look);
  if (summary !== null) await noteImages(memory, unit.id, summary);
}
