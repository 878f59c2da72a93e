export type MediaKind =
  | 'image'
  | 'video'
  | 'voice message'
  | 'audio'
  | 'sticker'
  | 'file'
  | 'location'
  | 'call';

export interface Medium {
  readonly kind: MediaKind;
  /** The name of its file, a sticker's emoji, or a place. */
  readonly name?: unknown;
}

/**
 * The text of a message; without text, a description of its media, so that it is kept and can be found: `[image:
 * fern.jpg]`, `[voice message]`, `[2 images]`. Returns `text` unchanged when there are no media.
 */
export function textOrMedia(text: unknown, media: readonly Medium[]): unknown {
  const hasWords = typeof text === 'string' ? text.trim() !== '' : text !== null && text !== undefined;
  if (hasWords || media.length === 0) return text;
  return [...Map.groupBy(media, ({ kind }) => kind)].map(([kind, all]) => formatMedia(kind, all)).join(' ');
}

function formatMedia(kind: MediaKind, all: readonly Medium[]): string {
  const names = all.flatMap(({ name }) =>
    typeof name === 'string' && name.trim() !== '' ? [name.trim()] : [],
  );
  const what = all.length === 1 ? kind : `${all.length} ${kind}s`;
  return names.length > 0 ? `[${what}: ${names.join(', ')}]` : `[${what}]`;
}

/** The kind of a file, by its type (`image/jpeg`) or its name. */
export function mediaKindOf(typeOrName: unknown): MediaKind {
  const text = typeof typeOrName === 'string' ? typeOrName.toLowerCase() : '';
  if (/^image\b|\.(?:jpe?g|png|gif|webp|heic|bmp|svg)$/.test(text)) return 'image';
  if (/^video\b|\.(?:mp4|mov|webm|mkv|3gp)$/.test(text)) return 'video';
  if (/^audio\b|\.(?:mp3|m4a|ogg|opus|wav|aac|amr)$/.test(text)) return 'audio';
  return 'file';
}

/** The metadata for media: the number of images, and the names of the files. */
export function mediaMeta(media: readonly Medium[]): { images: number | null; attachments: string[] } {
  return {
    images: media.filter(({ kind }) => kind === 'image').length || null,
    attachments: media.flatMap(({ name, kind }) =>
      typeof name === 'string' && name !== '' && kind !== 'sticker' && kind !== 'location' ? [name] : [],
    ),
  };
}

/** `count` media of a kind, without names. */
export function media(kind: MediaKind, count: number): Medium[] {
  return Array.from({ length: count }, () => ({ kind }));
}
