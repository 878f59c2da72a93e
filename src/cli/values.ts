/** Reads the values of flags and arguments from their text. */
import { unreadable } from '../model/model.ts';
import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import {
  EMOTION_KEYS,
  KINDS,
  MemoryError,
  type ContextLine,
  type Emotion,
  type Kind,
  type RecallOptions,
} from '../engine/engine.ts';

/** Parses the id of a topic, a unit or a journal entry; “#12” is also accepted. */
export function parseId(value: string): number {
  if (!ID.test(value)) throw new InvalidArgumentError('It must be a number such as 12.');
  return Number(value.replace('#', ''));
}
const ID = /^#?[1-9]\d{0,15}$/;

export function parseIdOrName(words: string): number | string {
  return ID.test(words) ? parseId(words) : words;
}

/** Parses a whole number from 0. */
export function parseCount(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}

export function parsePositive(value: string): number {
  const number = Number(value);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError('It must be greater than 0.');
  return number;
}

export function parseCosine(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(Math.abs(number) <= 1))
    throw new InvalidArgumentError('It must be from -1 to 1.');
  return number;
}

const THRESHOLDS = ['high', 'medium', 'answerable'] as const;

export function parseThresholds(value: string): NonNullable<RecallOptions['thresholds']> {
  const entries = value.split(',').map((each) => {
    const [name, number = ''] = each.trim().split('=');
    const known = THRESHOLDS.find((one) => one === name);
    if (known === undefined || number.trim() === '' || !Number.isFinite(Number(number)))
      throw new InvalidArgumentError(`Use ${THRESHOLDS.join(', ')}, as in “high=0.3,medium=0.15”.`);
    return [known, Number(number)] as const;
  });
  return Object.fromEntries(entries);
}

/** Parses keys of emotions separated by commas, each with an optional strength (`sadness:0.5`). */
export function parseEmotion(value: string): Emotion {
  const values = value.split(',').map((each) => {
    const [name = '', strength = '1'] = each.trim().split(':');
    const key = EMOTION_KEYS.find((one) => one === name);
    if (key === undefined) throw new InvalidArgumentError(`They are: ${EMOTION_KEYS.join(', ')}.`);
    if (!/^-?\d*\.?\d+$/.test(strength) || Math.abs(Number(strength)) > 1)
      throw new InvalidArgumentError('The strength must be from -1 to 1, as in “sadness:0.5”.');
    return [key, Number(strength)] as const;
  });
  return { values: Object.fromEntries(values), confidence: 1 };
}

/** Parses kinds separated by commas. */
export function parseKinds(value: string): Kind[] {
  const wanted = value.split(',').map((kind) => kind.trim());
  const kinds = KINDS.filter((kind) => wanted.includes(kind));
  if (kinds.length < new Set(wanted).size) throw new InvalidArgumentError(`They are: ${KINDS.join(', ')}.`);
  return kinds;
}

/**
 * Parses the lines of a conversation, oldest first, each `Speaker: text` or a JSON object with `speaker` and `text`.
 * @throws MemoryError INVALID_INPUT
 */
export function parseContext(text: string): ContextLine[] {
  return text
    .split(/\r?\n/)
    .flatMap((line, i) => (line.trim() === '' ? [] : [parseContextLine(line.trim(), i + 1)]));
}

function parseContextLine(line: string, number: number): ContextLine {
  const said = line.startsWith('{')
    ? parseJsonLine(line)
    : /^(?<speaker>[^:：]+)[:：]\s*(?<text>.+)$/.exec(line)?.groups;
  const { speaker, text } = said ?? {};
  if (typeof speaker === 'string' && typeof text === 'string') return { speaker: speaker.trim(), text };
  throw new MemoryError(
    'INVALID_INPUT',
    `Line ${number} of the context is neither “Speaker: text” nor {"speaker": …, "text": …}.`,
  );
}

export function parseJsonLine(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** @throws MemoryError FILE_UNREADABLE */
export async function readInput(path: string): Promise<string> {
  try {
    return path === '-' ? await readText(process.stdin) : await readFile(path, 'utf8');
  } catch (cause) {
    throw unreadable(path, cause);
  }
}
