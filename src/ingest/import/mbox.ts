/** The line before each mail of an mbox file: `From sender date`. */
export const FROM_LINE = /^From (?:\S+|"[^"]*"\S*|-) .*\d{2}:\d{2}/;

/** Whether a text begins like an mbox file: `From sender date`, followed by headers. */
export function isMbox(head: string): boolean {
  const [first = '', second = ''] = head.trimStart().split(/\r?\n/, 2);
  return FROM_LINE.test(first) && /^[\w-]+:/.test(second);
}
