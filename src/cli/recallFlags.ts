import { unreadable } from '../model/model.ts';
import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  EMOTION_KEYS,
  KINDS,
  MemoryError,
  recallOptionsSchema,
  SCOPES,
  SENSITIVITIES,
  STRATEGIES,
  rerankerSettingsSchema,
  type ContextLine,
  type Emotion,
  type RecallOptions,
  type RerankerSettings,
} from '../engine/engine.ts';
import type { OpenOptions } from './opening.ts';
import { PROFILE_HINT, readProfile } from './profiles.ts';
import { addModel } from './settings.ts';

/** The common flags of `recall`, `remind` and `pack`. */
export interface RecallFlags {
  readonly profile?: string;
  readonly strategy?: NonNullable<RecallOptions['strategy']>;
  readonly maxAgeDays?: number;
  readonly similarityThreshold?: number;
  readonly thresholds?: NonNullable<RecallOptions['thresholds']>;
  readonly budget?: number;
  readonly conversation?: string;
  readonly scope?: NonNullable<RecallOptions['scope']>;
  readonly from?: string;
  readonly to?: string;
  readonly asOf?: string;
  readonly now?: string;
  readonly maxSensitivity?: NonNullable<RecallOptions['maxSensitivity']>;
  readonly context?: string;
  readonly emotion?: Emotion;
  readonly emotionMode?: NonNullable<RecallOptions['emotionMode']>;
  readonly deep?: true;
  readonly deepTimeLimit?: number;
  readonly reranker?: string;
}

export function addRecallFlags(command: Command): Command {
  return addModel(command, 'is used by --deep')
    .option('--deep', 'use a language model for further queries and the order; takes longer')
    .option('--deep-time-limit <ms>', 'time limit of --deep in milliseconds (default: 2000)', parseCount)
    .option(
      '--reranker <setting>',
      'a cross-encoder for reranking: tei:URL, jina:URL#MODEL, cohere:URL#MODEL or JSON',
    )
    .option('--profile <profile>', `scoring profile: ${PROFILE_HINT}`)
    .addOption(new Option('--strategy <name>', 'forces a strategy').choices(STRATEGIES))
    .option('--max-age-days <days>', 'only units of the last days', parsePositive)
    .option('--similarity-threshold <cosine>', 'minimum cosine of vector search results', parseCosine)
    .option(
      '--thresholds <list>',
      'minimum values for high and medium hits: high=0.3,medium=0.15,answerable=0.5',
      parseThresholds,
    )
    .option('--budget <tokens>', 'maximum number of tokens (default: 1500)', parseCount)
    .option('--conversation <id>', 'only this conversation')
    .addOption(new Option('--scope <scope>', 'only this scope').choices(SCOPES))
    .option('--from <time>', 'at or after this day or instant')
    .option('--to <time>', 'before this day or instant')
    .option('--as-of <time>', 'recall as it would have been at this time')
    .option('--now <time>', 'time of the utterance (default: now)')
    .addOption(
      new Option(
        '--max-sensitivity <level>',
        'the highest sensitivity level that may be found (default: private)',
      ).choices(SENSITIVITIES),
    )
    .option(
      '--emotion <list>',
      `the current mood (default: that of the utterance): ${EMOTION_KEYS.join(', ')}`,
      parseEmotion,
    )
    .addOption(
      new Option(
        '--emotion-mode <mode>',
        'wanted emotion of memories: like the mood, comforting in distress, or any',
      ).choices(recallOptionsSchema.shape.emotionMode.unwrap().options),
    )
    .option(
      '--context <file>',
      'the conversation so far, “Speaker: text” or JSON lines; - for standard input',
    );
}

/** The parsed flags: the request, and how to open the memory. */
export interface RecallRequest {
  readonly options: RecallOptions;
  readonly opening: OpenOptions;
}

/** @throws MemoryError INVALID_INPUT, FILE_UNREADABLE */
export async function readRecallFlags(flags: RecallFlags): Promise<RecallRequest> {
  const { profile: nameOrPath, deep, reranker } = flags;
  const profile = nameOrPath === undefined ? undefined : await readProfile(nameOrPath);
  return {
    options: { ...(await readOptions(flags)), ...(profile && { profile: profile.name }) },
    opening: {
      embeds: true,
      asksModel: deep === true,
      ...(reranker && { reranker: parseReranker(reranker) }),
      ...(profile?.file && { profiles: [profile.file] }),
    },
  };
}

async function readOptions(flags: RecallFlags): Promise<RecallOptions> {
  const {
    strategy,
    maxAgeDays,
    similarityThreshold,
    thresholds,
    budget,
    conversation,
    scope,
    from,
    to,
    asOf,
    now,
    maxSensitivity,
    context,
    emotion,
    emotionMode,
    deep,
    deepTimeLimit,
  } = flags;
  return {
    ...(deep && { mode: 'deep' as const }),
    ...(deepTimeLimit !== undefined && { timeLimitMs: deepTimeLimit }),
    ...(strategy && { strategy }),
    ...(maxAgeDays !== undefined && { maxAgeDays }),
    ...(similarityThreshold !== undefined && { similarityThreshold }),
    ...(thresholds && { thresholds }),
    ...(budget !== undefined && { budgetTokens: budget }),
    ...(conversation !== undefined && { conversationId: conversation }),
    ...(scope && { scope }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(asOf !== undefined && { asOf }),
    ...(now !== undefined && { now }),
    ...(maxSensitivity && { maxSensitivity }),
    ...(emotion && { emotion }),
    ...(emotionMode && { emotionMode }),
    ...(context !== undefined && { context: parseContext(await readInput(context)) }),
  };
}

/** @throws MemoryError INVALID_INPUT */
function parseReranker(words: string): RerankerSettings {
  const [, dialect, url, model] = /^(tei|jina|cohere):(https?:[^#]+)(?:#(.+))?$/.exec(words) ?? [];
  const settings = words.startsWith('{')
    ? parseJsonLine(words)
    : { dialect, url, ...(model !== undefined && { model }) };
  const parsed = rerankerSettingsSchema.safeParse(settings);
  if (parsed.success) return parsed.data;
  throw new MemoryError(
    'INVALID_INPUT',
    'The reranker must be tei:URL, jina:URL#MODEL, cohere:URL#MODEL, or its settings as JSON.',
  );
}

/** Parses a whole number from 0. */
export function parseCount(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}

function parsePositive(value: string): number {
  const number = Number(value);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError('It must be greater than 0.');
  return number;
}

function parseCosine(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(Math.abs(number) <= 1))
    throw new InvalidArgumentError('It must be from -1 to 1.');
  return number;
}

const THRESHOLDS = ['high', 'medium', 'answerable'] as const;

function parseThresholds(value: string): NonNullable<RecallOptions['thresholds']> {
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
export function parseKinds(value: string): NonNullable<RecallOptions['kinds']> {
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

function parseJsonLine(line: string): Record<string, unknown> | undefined {
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
