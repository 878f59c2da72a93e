const REDACTED = /\[redacted\]/iu;

/** Whether the text contains the placeholder for removed text, so that it means nothing. */
export function isRedacted(text: string): boolean {
  return REDACTED.test(text);
}
