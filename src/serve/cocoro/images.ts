import { z } from 'zod';

/** The first characters of images of each type, in base64. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  '/9j/': 'jpeg',
  iVBORw0KGgo: 'png',
  UklGR: 'webp',
  R0lGOD: 'gif',
};
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** An image of a chat. As in that protocol, only `base64` is read. */
export const imageSchema = z.looseObject({ base64: z.string().nullish() });

/** Images as data URLs. As in that protocol, empty values and other data are skipped. */
export function toDataUrls(images: readonly z.output<typeof imageSchema>[]): string[] {
  return images.flatMap(({ base64 }) => {
    const bytes = (base64 ?? '').replace(/^data:image\/[\w.+-]+;base64,/, '').replaceAll(/\s/g, '');
    const [, kind] = Object.entries(BEGINNINGS).find(([beginning]) => bytes.startsWith(beginning)) ?? [];
    return kind !== undefined && BASE64.test(bytes) ? [`data:image/${kind};base64,${bytes}`] : [];
  });
}
