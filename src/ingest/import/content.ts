import { isRecord, listOf } from '../../model/model.ts';

/**
 * The text of a message's content, and how many images and voice recordings it contains. The content is a string or
 * an array of parts, whose text parts are joined by blank lines; any other value is returned as `text` unchanged.
 */
export function plainText(content: unknown): { text: unknown; images: number; voices: number } {
  if (!Array.isArray(content)) return { text: content, images: 0, voices: 0 };
  const texts: string[] = [];
  let images = 0;
  let voices = 0;
  for (const part of listOf(content)) {
    if (typeof part === 'string') texts.push(part);
    else if (isRecord(part)) {
      const type = String(part['type'] ?? part['content_type']);
      if (typeof part['text'] === 'string' && type !== 'thinking') texts.push(part['text']);
      else if (/image/.test(type)) images += 1;
      else if (/audio/.test(type)) voices += 1;
    }
  }
  return { text: texts.filter((text) => text.trim() !== '').join('\n\n'), images, voices };
}

/** The names of the attachments. */
export function attachmentNames(attachments: unknown, nameField: string): string[] {
  return listOf(attachments).flatMap((item) => {
    const name = isRecord(item) ? item[nameField] : null;
    return typeof name === 'string' && name !== '' ? [name.toWellFormed().replaceAll('\0', '\uFFFD')] : [];
  });
}
