/** Images in client requests. */
import { z } from 'zod';

/** The first base64 characters of each image format. */
const BEGINNINGS = { '/9j/': 'jpeg', iVBORw0KGgo: 'png', UklGR: 'webp', R0lGOD: 'gif' } as const;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The image as a data URL with the format detected from its bytes; null if it is not an image. `base64` may be a data URL. */
export function toDataUrl(base64: string): string | null {
  const bytes = base64.replace(/^data:image\/[\w.+-]+;base64,/, '').replaceAll(/\s/g, '');
  const [, kind] = Object.entries(BEGINNINGS).find(([beginning]) => bytes.startsWith(beginning)) ?? [];
  return kind !== undefined && BASE64.test(bytes) ? `data:image/${kind};base64,${bytes}` : null;
}

const dataUrl = z
  .string()
  .regex(/^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$/, 'not an image as a data URL');

const imageObject = z.looseObject({ base64: z.string() }).transform(({ base64 }, context) => {
  const url = toDataUrl(base64);
  if (url !== null) return url;
  context.addIssue({ code: 'custom', path: ['base64'], message: 'not a PNG, JPEG, WebP or GIF in base64' });
  return z.NEVER;
});

/** A data URL, or an object with `base64`; parsed to a data URL. */
export const imageSchema = z.union([dataUrl, imageObject], {
  error: 'not an image: a data URL, or an object with `base64`',
});
