import {
  EMOTION_KEYS,
  MemoryError,
  pickDefined,
  recallOptionsSchema,
  SCOPES,
  SENSITIVITIES,
  STRATEGIES,
  rerankerSettingsSchema,
  type Memory,
  type RecallOptions,
  type RerankerSettings,
} from '../engine/engine.ts';
import {
  argument,
  flag,
  type AddCommand,
  type Description,
  type Flag,
  type FlagsOf,
  type Output,
} from './command.ts';
import { openExisting, withMemory, type OpenOptions } from './opening.ts';
import { PROFILE_HINT, readProfile } from './profiles.ts';
import { modelFlag } from './settings.ts';
import { addSettingsCommand } from './settingsCommand.ts';
import {
  parseContext,
  parseCosine,
  parseCount,
  parseEmotion,
  parseJsonLine,
  parsePositive,
  parseThresholds,
  readInput,
} from './values.ts';

export const SENSITIVITY_FLAG = flag(
  '--max-sensitivity <level>',
  'the highest sensitivity level that may be found (default: private)',
  { choices: SENSITIVITIES },
);

/** The common flags of `recall`, `remind` and `pack`. */
const RECALL_FLAGS = [
  modelFlag('is used by --deep'),
  flag('--deep', 'use a language model for further queries and the order; takes longer'),
  flag('--deep-time-limit <ms>', 'time limit of --deep in milliseconds (default: 2000)', {
    parse: parseCount,
  }),
  flag(
    '--reranker <setting>',
    'a cross-encoder for reranking: tei:URL, jina:URL#MODEL, cohere:URL#MODEL or JSON',
  ),
  flag('--profile <profile>', `scoring profile: ${PROFILE_HINT}`),
  flag('--strategy <name>', 'forces a strategy', { choices: STRATEGIES }),
  flag('--max-age-days <days>', 'only units of the last days', { parse: parsePositive }),
  flag('--similarity-threshold <cosine>', 'minimum cosine of vector search results', { parse: parseCosine }),
  flag(
    '--thresholds <list>',
    'minimum values for high and medium hits: high=0.3,medium=0.15,answerable=0.5',
    { parse: parseThresholds },
  ),
  flag('--budget <tokens>', 'maximum number of tokens (default: 1500)', { parse: parseCount }),
  flag('--conversation <id>', 'only this conversation'),
  flag('--scope <scope>', 'only this scope', { choices: SCOPES }),
  flag('--from <time>', 'at or after this day or instant'),
  flag('--to <time>', 'before this day or instant'),
  flag('--as-of <time>', 'recall as it would have been at this time'),
  flag('--now <time>', 'time of the utterance (default: now)'),
  SENSITIVITY_FLAG,
  flag('--emotion <list>', `the current mood (default: that of the utterance): ${EMOTION_KEYS.join(', ')}`, {
    parse: parseEmotion,
  }),
  flag('--emotion-mode <mode>', 'wanted emotion of memories: like the mood, comforting in distress, or any', {
    choices: recallOptionsSchema.shape.emotionMode.unwrap().options,
  }),
  flag('--context <file>', 'the conversation so far, “Speaker: text” or JSON lines; - for standard input'),
] as const;
type RecallFlags = FlagsOf<typeof RECALL_FLAGS>;

interface Question<Flags extends readonly Flag[]> {
  readonly memory: Memory;
  readonly utterance: string;
  readonly options: RecallOptions;
  readonly flags: FlagsOf<Flags>;
}

/** A command that finds memories for an utterance. */
export function addRecallCommand<const Flags extends readonly Flag[]>({
  find,
  ...description
}: Pick<Description<[], Flags>, 'name' | 'about' | 'flags'> & {
  readonly find: (question: Question<Flags>) => Promise<Output>;
}): AddCommand {
  return addSettingsCommand({
    ...description,
    args: [argument('<utterance>', 'the current utterance')],
    common: RECALL_FLAGS,
    async run({ args: [utterance], settings, flags, command }) {
      const { options, opening } = await readRecallFlags(command.opts<RecallFlags>());
      const memory = await openExisting(settings, opening);
      return withMemory(memory, () => find({ memory, utterance, options, flags }));
    },
  });
}

/** The names of flags that are options of a recall. */
const OPTION_NAMES = [
  'strategy',
  'maxAgeDays',
  'similarityThreshold',
  'thresholds',
  'scope',
  'from',
  'to',
  'asOf',
  'now',
  'maxSensitivity',
  'emotion',
  'emotionMode',
] as const;

/** @throws MemoryError INVALID_INPUT, FILE_UNREADABLE */
async function readRecallFlags(
  flags: RecallFlags,
): Promise<{ readonly options: RecallOptions; readonly opening: OpenOptions }> {
  const { deep = false, deepTimeLimit, budget, conversation, context, reranker } = flags;
  const profile = flags.profile === undefined ? undefined : await readProfile(flags.profile);
  return {
    options: {
      ...pickDefined(flags, OPTION_NAMES),
      ...(deep && { mode: 'deep' }),
      ...(deepTimeLimit !== undefined && { timeLimitMs: deepTimeLimit }),
      ...(budget !== undefined && { budgetTokens: budget }),
      ...(conversation !== undefined && { conversationId: conversation }),
      ...(context !== undefined && { context: parseContext(await readInput(context)) }),
      ...(profile && { profile: profile.name }),
    },
    opening: {
      embeds: true,
      asksModel: deep,
      ...(reranker && { reranker: parseReranker(reranker) }),
      ...(profile?.file && { profiles: [profile.file] }),
    },
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
