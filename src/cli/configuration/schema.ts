import { resolve } from 'node:path';
import { z } from 'zod';
import {
  checkTimeZone,
  defaultDataDir,
  embedderSettingsSchema,
  isMemoryError,
  languageModelSettingsSchema,
  MemoryError,
  parseEmbedderSetting,
  parseLanguageModelSetting,
  REORGANIZE_SCHEDULES,
  SENSITIVE_POLICIES,
} from '../../engine/engine.ts';
import { LOG_LEVELS } from '../log.ts';

/** How a value is set and described. */
interface Telling {
  /** As in the help; null: not allowed on the command line, which other users of the machine can read. */
  readonly flag: string | null;
  readonly about: string;
  /** The description of the flag, when it differs from that of the value. */
  readonly flagAbout?: string;
  /** The description of the default, when the value itself has none. */
  readonly otherwise?: string;
  /** Parses the value from text of any source. Default: the text itself. */
  readonly read?: (words: string) => unknown;
}

const tellings = z.registry<Telling>();

const MODEL_FORMS =
  'openai:MODEL, google:MODEL, anthropic:MODEL, ollama:MODEL, lmstudio:MODEL, URL#MODEL or JSON';

const modelSetting = (flag: string, about: string) =>
  languageModelSettingsSchema.optional().register(tellings, {
    flag,
    about,
    otherwise: "the settings'",
    read: parseLanguageModelSetting,
  });

/** All configuration of `omoide serve`. */
export const configSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').register(tellings, {
    flag: '--host <address>',
    about: 'address to listen at; one beyond this machine is taken from the command line alone',
  }),
  port: z.int().min(0).max(65_535).default(7438).register(tellings, {
    flag: '--port <number>',
    about: 'port to listen at; 0: any that is free',
    read: toNumber,
  }),
  cocoroPort: z.int().min(0).max(65_535).optional().register(tellings, {
    flag: '--cocoro-port <number>',
    about:
      'port at which clients of Cocoro are answered in its protocol (they look for 55601); 0: any that is free',
    otherwise: 'none: they are not answered',
    read: toNumber,
  }),
  data: z.string().min(1).default(defaultDataDir).register(tellings, {
    flag: '--data <dir>',
    about: 'folder of the memories and the settings',
    otherwise: "the platform's data folder",
  }),
  store: z
    .string()
    .regex(/^postgres(?:ql)?:\/\//, 'must begin with postgres://')
    .optional()
    .register(tellings, {
      flag: '--store <url>',
      about: 'PostgreSQL database of the memories; a password is better in OMOIDE_STORE or PGPASSWORD',
      otherwise: 'files in the folder',
    }),
  vectorIndex: z
    .string()
    .regex(/^qdrant:\/\//, 'must begin with qdrant://')
    .optional()
    .register(tellings, {
      flag: '--vector-index <url>',
      about: 'Qdrant server that is searched for vectors, as qdrant://HOST:PORT/PREFIX',
      otherwise: 'none: the memories are',
    }),
  timeZone: z.string().superRefine(passing(checkTimeZone)).optional().register(tellings, {
    flag: '--time-zone <zone>',
    about: 'zone of the clock of memories that are made now',
    otherwise: "the machine's",
  }),
  worker: z.boolean().default(true).register(tellings, {
    flag: '--no-worker',
    about: 'leave background jobs to “omoide worker”',
    read: toSwitch,
  }),
  reorganize: z
    .enum([...REORGANIZE_SCHEDULES, 'never'])
    .default('nightly')
    .register(tellings, {
      flag: '--reorganize <when>',
      about: 'when topics are put in order unasked, at half past three: nightly, weekly (Mondays) or never',
    }),
  profiles: z.array(z.string().min(1)).default([]).register(tellings, {
    flag: '--profiles <files>',
    about: 'profiles that a recall may name beside the shipped ones, their files separated by commas',
    otherwise: 'none',
    read: toList,
  }),
  rateLimitPerMinute: z.int().min(1).max(100_000_000).default(1_200).register(tellings, {
    flag: '--rate-limit-per-minute <requests>',
    about: 'most requests with one token in a minute',
    read: toNumber,
  }),
  bodyLimitMib: z.number().positive().max(4_096).default(32).register(tellings, {
    flag: '--body-limit-mib <number>',
    about: 'largest request, in MiB',
    read: toNumber,
  }),
  corsOrigins: z
    .array(z.string().refine(isOrigin, 'must be an origin such as https://example.com'))
    .default([])
    .register(tellings, {
      flag: '--cors-origins <list>',
      about: 'origins whose pages may talk to the server, separated by commas',
      otherwise: 'none',
      read: toList,
    }),
  logLevel: z.enum(LOG_LEVELS).default('info').register(tellings, {
    flag: '--log-level <level>',
    about: 'what is told on standard error: error, warn, info or debug, each with those before it',
  }),
  logFormat: z.enum(['text', 'json']).default('text').register(tellings, {
    flag: '--log-format <form>',
    about: 'text for people, or json, an object a line',
  }),
  traceFile: z.string().min(1).optional().register(tellings, {
    flag: '--trace-file <file>',
    about: 'where it is written what models are asked and answer, while the settings say so',
    otherwise: 'trace.jsonl in the folder',
  }),
  sensitive: z.enum(SENSITIVE_POLICIES).default('mark').register(tellings, {
    flag: '--sensitive <policy>',
    about: 'what becomes of turns with personal data or secrets: off, mark (private or secret) or refuse',
  }),
  witness: z.string().min(1).optional().register(tellings, {
    flag: '--witness <file|url>',
    about:
      'a further file or URL for signed heads of the chain of turns, best where whoever can write to the folder cannot',
    otherwise: 'none; they are also in witness_<memory>.log in the folder',
  }),
  archive: z.string().min(1).optional().register(tellings, {
    flag: '--archive <dir|url>',
    about:
      'folder, or s3://BUCKET/PREFIX?endpoint=URL&region=REGION&days=N, to which turns are copied as they lie, encrypted',
    otherwise: 'none',
  }),
  retainTurnsDays: z.int().min(1).max(36_500).optional().register(tellings, {
    flag: '--retain-turns-days <days>',
    about: 'forget turns for good so many days after they were said, imported ones too',
    otherwise: 'never',
    read: toNumber,
  }),
  retainAuditDays: z.int().min(30).max(36_500).optional().register(tellings, {
    flag: '--retain-audit-days <days>',
    about: 'remove entries of the audit log so many days after they were written',
    otherwise: 'never',
    read: toNumber,
  }),
  chatModel: modelSetting('--chat-model <setting>', `the model that answers: ${MODEL_FORMS}`),
  lightModel: modelSetting('--light-model <setting>', 'the model of background work and deep recall'),
  visionModel: modelSetting('--vision-model <setting>', 'the model that describes images'),
  embedder: z
    .union([embedderSettingsSchema, z.null()])
    .optional()
    .register(tellings, {
      flag: '--embedder <setting>',
      about:
        'what makes the vectors: none, bundled, static, hashed, openai:MODEL, onnx:DIR, URL#MODEL or JSON',
      otherwise: "the settings', else bundled",
      read: (words) => (words === 'none' ? null : parseEmbedderSetting(words)),
    }),
  keyVariables: z
    .array(z.string().regex(/^[A-Za-z_]\w*$/, 'must be names of environment variables'))
    .default([])
    .register(tellings, {
      flag: '--key-variables <names>',
      about:
        'environment variables that settings changed over HTTP may name as the key of a model, separated by commas, in addition to ' +
        'those that begin with OMOIDE_KEY_ and the usual ones of known servers',
      otherwise: 'none',
      read: toList,
    }),
  modelHosts: z.array(z.string().min(1)).default([]).register(tellings, {
    flag: '--model-hosts <hosts>',
    about:
      'link-local or metadata addresses that settings changed over HTTP may name as a model’s, separated by commas',
    otherwise: 'none',
    read: toList,
  }),
  token: z
    .string()
    .regex(/^\S{16,}$/, 'must have 16 characters or more and no spaces')
    .optional()
    .register(tellings, {
      flag: null,
      about:
        'a token that is accepted beside those that were made; only its hash is held, and only while the server runs',
      otherwise: 'none',
    }),
});

/** The effective values. Paths are absolute; undefined values are decided by the operator's settings or the machine. */
export type Config = z.output<typeof configSchema>;
export type ConfigName = keyof Config;

export const CONFIG_NAMES = Object.keys(configSchema.shape) as ConfigName[];
/** Paths, or lists of them; in a file they are relative to the file. */
export const PATH_NAMES: readonly ConfigName[] = ['data', 'traceFile', 'witness', 'archive', 'profiles'];

/** The value with its paths resolved against a folder; other values and URLs are unchanged. */
export function resolvePaths(value: unknown, folder: string): unknown {
  if (Array.isArray(value)) return value.map((each) => resolvePaths(each, folder));
  if (typeof value !== 'string' || value === '' || /^(?:https?|s3):\/\//i.test(value)) return value;
  return resolve(folder, value);
}

export function tellingOf(name: ConfigName): Telling {
  const telling = tellings.get(configSchema.shape[name]);
  if (!telling) throw new Error(`Nobody says how ${name} is told.`);
  return telling;
}

/** `OMOIDE_RATE_LIMIT_PER_MINUTE` */
export function environmentName(name: string): string {
  return `OMOIDE_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
}

/** @throws MemoryError INVALID_INPUT */
export function checkValue(name: ConfigName, given: unknown): unknown {
  const { read } = tellingOf(name);
  const value = typeof given === 'string' && read ? read(given) : given;
  const checked = configSchema.shape[name].safeParse(value);
  if (!checked.success) {
    const reasons = checked.error.issues.map(({ path, message }) => [...path.map(String), message].join(' '));
    throw new MemoryError('INVALID_INPUT', reasons.join('; '));
  }
  // Model settings that are not set get their defaults when the model is opened.
  return isModelSettings(value) ? value : checked.data;
}

function isModelSettings(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text that is not a number is returned unchanged; the schema rejects it. */
function toNumber(words: string): unknown {
  return /^-?\d+(?:\.\d+)?$/.test(words) ? Number(words) : words;
}

const SWITCH_WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false,
};

function toSwitch(words: string): unknown {
  return SWITCH_WORDS[words.toLowerCase()] ?? words;
}

function toList(words: string): string[] {
  return words.split(',').flatMap((word) => word.trim() || []);
}

function isOrigin(words: string): boolean {
  return URL.canParse(words) && new URL(words).origin === words;
}

function passing(check: (value: string) => unknown) {
  return (value: string, context: z.RefinementCtx) => {
    try {
      check(value);
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  };
}
