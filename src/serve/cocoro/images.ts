import { z } from 'zod';
import { toDataUrl } from '../../companion/companion.ts';

/** An image of a chat. As in that protocol, only `base64` is read. */
export const imageSchema = z.looseObject({ base64: z.string().nullish() });

/** Images as data URLs. As in that protocol, empty values and other data are skipped. */
export function toDataUrls(images: readonly z.output<typeof imageSchema>[]): string[] {
  return images.flatMap(({ base64 }) => toDataUrl(base64 ?? '') ?? []);
}
