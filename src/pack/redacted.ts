const REDACTED = /\[redacted\]/iu;

/** Whether it holds what stands in the place of words that were taken out: it tells nothing. */
export function isRedacted(text: string): boolean {
  return REDACTED.test(text);
}
