/** Output: colours on a terminal that supports them, plain text in a pipe. */
import { createInterface } from 'node:readline/promises';
import { stripVTControlCharacters, styleText } from 'node:util';
import { MemoryError, type Instant } from '../engine/engine.ts';
import { wrapText } from '../text/text.ts';

type Format = Parameters<typeof styleText>[0];

/** Longer lines are hard to read, even in a wide window. */
const MAX_WIDTH = 100;
const MIN_WIDTH = 40;

/** The width of lines in cells: the terminal's width, at most 100; 100 if there is none or it is unknown (0). */
export function lineWidth(): number {
  return Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, process.stdout.columns || MAX_WIDTH));
}

/** `text` in a colour or weight, if `stream` is a terminal that shows them and NO_COLOR is not set. */
export function style(format: Format, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(format, text, { stream });
}

/** `text` without control sequences, so that stored text cannot control the terminal. Line breaks are kept. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/gu, (control) =>
    control === '\t' ? ' ' : '',
  );
}

/** A stored text as lines, wrapped and indented by `indent`; beyond `maxLines` the last ends in “…”. */
export function wrapped(text: string, indent: string, maxLines = Infinity): string[] {
  const width = lineWidth() - indent.length;
  const lines = wrapText(plain(text).trim(), width);
  if (lines.length <= maxLines) return lines.map((line) => indent + line);
  const [last = ''] = wrapText(lines[maxLines - 1] ?? '', width - MORE.length);
  return [...lines.slice(0, maxLines - 1), last + MORE].map((line) => indent + line);
}

const MORE = ' …';

export function printLines(lines: readonly string[], stream: NodeJS.WriteStream = process.stdout): void {
  stream.write(lines.map((line) => `${line}\n`).join(''));
}

/** A note to the user, separate from the results. */
export function printNote(text: string): void {
  printLines([style('dim', `note: ${text}`, process.stderr)], process.stderr);
}

/** One JSON value: on one line for programs, indented for people. */
export function printJson(value: unknown): void {
  printLines([JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0)]);
}

export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** `1 turn`, `2,000 turns`. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** `2026-11-20T10:26:05Z` */
export function formatInstant(instant: Instant): string {
  return new Date(instant).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The value with these of its instants as text, for JSON. */
export function withInstants<Name extends string, T extends Readonly<Record<Name, Instant | null>>>(
  value: T,
  ...names: readonly Name[]
): object {
  const formatted = names.map((name) => {
    const instant: Instant | null = value[name];
    return [name, instant === null ? null : formatInstant(instant)];
  });
  return { ...value, ...Object.fromEntries(formatted) };
}

/**
 * Asks a question on the terminal; Ctrl-C and Ctrl-D mean no.
 * @param reason why nothing was done, when there is no terminal to ask on
 * @throws MemoryError INVALID_INPUT
 */
export async function confirm(
  question: string,
  reason: string,
  output: NodeJS.WriteStream = process.stderr,
): Promise<boolean> {
  if (!process.stdin.isTTY || !output.isTTY) throw new MemoryError('INVALID_INPUT', reason);
  const terminal = createInterface({ input: process.stdin, output });
  try {
    return /^\s*(?:y|yes|はい|是)\s*$/i.test(await terminal.question(`${question} [y/N] `));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
    printLines([''], output);
    return false;
  } finally {
    terminal.close();
  }
}
