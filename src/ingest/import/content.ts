/**
 * The words of a message's content: a string, or the text parts of an array of parts, a blank line between them, and
 * how many images are among them. `text` is whatever was there when it is neither.
 */
export function plainText(content: unknown): { text: unknown; images: number } {
  if (!Array.isArray(content)) return { text: content, images: 0 };
  const texts: string[] = [];
  let images = 0;
  for (const part of content as unknown[]) {
    if (typeof part === 'string') texts.push(part);
    else if (isRecord(part)) {
      if (typeof part['text'] === 'string' && part['type'] !== 'thinking') texts.push(part['text']);
      else if (/image/.test(String(part['type'] ?? part['content_type']))) images += 1;
    }
  }
  return { text: texts.filter((text) => text.trim() !== '').join('\n\n'), images };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The names of what was attached. */
export function attachmentNames(attachments: unknown, nameField: string): string[] {
  if (!Array.isArray(attachments)) return [];
  return (attachments as unknown[]).flatMap((item) => {
    const name = isRecord(item) ? item[nameField] : null;
    return typeof name === 'string' && name !== '' ? [name.toWellFormed().replaceAll('\0', '\uFFFD')] : [];
  });
}
