/** Before each mail of an mbox file: `From sender date`. */
export const FROM_LINE = /^From (?:\S+|"[^"]*"\S*|-) .*\d{2}:\d{2}/;

/** Whether a text begins as an mbox file does: `From sender date`, and headers under it. */
export function isMbox(head: string): boolean {
  const [first = '', second = ''] = head.trimStart().split(/\r?\n/, 2);
  return FROM_LINE.test(first) && /^[\w-]+:/.test(second);
}
