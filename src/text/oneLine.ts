// Controls, line and paragraph separators, and the marks that turn the direction of writing: nothing that is quoted
// may begin a line of its own or change the order of the text around it.
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\s\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Puts text on one line, so that it cannot change the layout around it. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(UNSAFE, ' ').trim();
}

/** The same of at most `maxLength` UTF-16 units; longer text ends with `…`. */
export function shortLine(text: string, maxLength: number): string {
  const line = oneLine(text);
  if (line.length <= maxLength) return line;
  const start = line.slice(0, maxLength - 1).toWellFormed();
  return `${start.trimEnd()}…`;
}
