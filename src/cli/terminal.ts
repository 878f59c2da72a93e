/** What is printed: colours where there is a terminal to show them, plain text in a pipe. */
import { stripVTControlCharacters, styleText } from 'node:util';
import type { Instant } from '../engine/engine.ts';
import { wrapText } from '../text/text.ts';

type Format = Parameters<typeof styleText>[0];

/** Lines longer than this are hard to read, however wide the window is. */
const WIDEST = 100;
const NARROWEST = 40;

/** Cells in a line: the terminal's width, at most 100; 100 where there is no terminal, or it does not tell (0). */
export function lineWidth(): number {
  return Math.max(NARROWEST, Math.min(WIDEST, process.stdout.columns || WIDEST));
}

/** `text` in a colour or weight, if `stream` is a terminal that shows them and NO_COLOR is not set. */
export function style(format: Format, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(format, text, { stream });
}

/** `text` without what would steer the terminal: what was remembered must not do that. Line breaks stay. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/gu, (control) =>
    control === '\t' ? ' ' : '',
  );
}

/** The lines of a remembered text, wrapped behind `indent`; of more than `mostLines` the last ends in “…”. */
export function wrapped(text: string, indent: string, mostLines = Infinity): string[] {
  const width = lineWidth() - indent.length;
  const lines = wrapText(plain(text).trim(), width);
  if (lines.length <= mostLines) return lines.map((line) => indent + line);
  const [last = ''] = wrapText(lines[mostLines - 1] ?? '', width - MORE.length);
  return [...lines.slice(0, mostLines - 1), last + MORE].map((line) => indent + line);
}

const MORE = ' …';

export function printLines(lines: readonly string[], stream: NodeJS.WriteStream = process.stdout): void {
  stream.write(lines.map((line) => `${line}\n`).join(''));
}

/** A note to the person at the keyboard, beside the results. */
export function printNote(text: string): void {
  printLines([style('dim', `note: ${text}`, process.stderr)], process.stderr);
}

/** One JSON value: on one line for programs, laid out for people. */
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
