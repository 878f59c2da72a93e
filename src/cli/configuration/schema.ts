import { keysOf, refineBy } from '../../model/model.ts';
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  checkTimeZone,
  defaultDataDir,
  embedderSettingsSchema,
  languageModelSettingsSchema,
  MemoryError,
  parseEmbedderSetting,
  parseLanguageModelSetting,
  REORGANIZE_SCHEDULES,
  SENSITIVE_POLICIES,
} from '../../engine/engine.ts';
import { LOG_LEVELS } from '../log.ts';

/** How a value is set and described. */
interface Documentation {
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

const documentation = z.registry<Documentation>();

const MODEL_FORMS =
  'openai:MODEL, google:MODEL, anthropic:MODEL, ollama:MODEL, lmstudio:MODEL, URL#MODEL or JSON';

const modelSetting = (flag: string, about: string) =>
  languageModelSettingsSchema.optional().register(documentation, {
    flag,
    about,
    otherwise: "the settings'",
    read: parseLanguageModelSetting,
  });

const retention = (name: string, about: string, minDays = 1) =>
  z
    .int()
    .min(minDays)
    .max(36_500)
    .optional()
    .register(documentation, {
      flag: `--retain-${name}-days <days>`,
      about,
      otherwise: 'never',
      read: toNumber,
    });

/** All configuration of `omoide serve`. */
export const configSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').register(documentation, {
    flag: '--host <address>',
    about: 'address to listen at; one that other machines can reach must be given on the command line',
  }),
  port: z.int().min(0).max(65_535).default(7438).register(documentation, {
    flag: '--port <number>',
    about: 'port to listen at; 0: any free one',
    read: toNumber,
  }),
  cocoroPort: z.int().min(0).max(65_535).optional().register(documentation, {
    flag: '--cocoro-port <number>',
    about: 'port for clients of Cocoro, in its protocol (they expect 55601); 0: any free one',
    otherwise: 'none: not served',
    read: toNumber,
  }),
  data: z.string().min(1).default(defaultDataDir).register(documentation, {
    flag: '--data <dir>',
    about: 'folder of the memories and the settings',
    otherwise: "the platform's data folder",
  }),
  store: z
    .string()
    .regex(/^postgres(?:ql)?:\/\//, 'must begin with postgres://')
    .optional()
    .register(documentation, {
      flag: '--store <url>',
      about: 'PostgreSQL database of the memories; put a password into OMOIDE_STORE or PGPASSWORD',
      otherwise: 'files in the folder',
    }),
  vectorIndex: z
    .string()
    .regex(/^qdrant:\/\//, 'must begin with qdrant://')
    .optional()
    .register(documentation, {
      flag: '--vector-index <url>',
      about: 'Qdrant server that is searched for vectors, as qdrant://HOST:PORT/PREFIX',
      otherwise: 'none: the store itself is searched',
    }),
  timeZone: z.string().superRefine(refineBy(checkTimeZone)).optional().register(documentation, {
    flag: '--time-zone <zone>',
    about: 'time zone of new memories',
    otherwise: "the machine's",
  }),
  worker: z.boolean().default(true).register(documentation, {
    flag: '--no-worker',
    about: 'leave background jobs to “omoide worker”',
    read: toSwitch,
  }),
  reorganize: z
    .enum([...REORGANIZE_SCHEDULES, 'never'])
    .default('nightly')
    .register(documentation, {
      flag: '--reorganize <when>',
      about: 'when topics are reorganised automatically, at 3:30: nightly, weekly (Mondays) or never',
    }),
  profiles: z.array(z.string().min(1)).default([]).register(documentation, {
    flag: '--profiles <files>',
    about: 'additional recall profiles: their files, separated by commas',
    otherwise: 'none',
    read: toList,
  }),
  rateLimitPerMinute: z.int().min(1).max(100_000_000).default(1_200).register(documentation, {
    flag: '--rate-limit-per-minute <requests>',
    about: 'maximum requests per minute with one token',
    read: toNumber,
  }),
  bodyLimitMib: z.number().positive().max(4_096).default(32).register(documentation, {
    flag: '--body-limit-mib <number>',
    about: 'maximum size of a request, in MiB',
    read: toNumber,
  }),
  openMemoriesMib: z.number().positive().optional().register(documentation, {
    flag: '--open-memories-mib <number>',
    about: 'size of the memories of a database that stay open, with --no-worker, in MiB',
    otherwise: "a quarter of the machine's memory",
    read: toNumber,
  }),
  corsOrigins: z
    .array(z.string().refine(isOrigin, 'must be an origin such as https://example.com'))
    .default([])
    .register(documentation, {
      flag: '--cors-origins <list>',
      about: 'origins whose pages may call the server, separated by commas',
      otherwise: 'none',
      read: toList,
    }),
  logLevel: z.enum(LOG_LEVELS).default('info').register(documentation, {
    flag: '--log-level <level>',
    about:
      'level of messages on standard error: error, warn, info or debug; each includes the ones before it',
  }),
  logFormat: z.enum(['text', 'json']).default('text').register(documentation, {
    flag: '--log-format <form>',
    about: 'text, or json: one object per line',
  }),
  traceFile: z.string().min(1).optional().register(documentation, {
    flag: '--trace-file <file>',
    about: 'file for requests to models and their answers, while the settings enable it',
    otherwise: 'trace.jsonl in the folder',
  }),
  sensitive: z.enum(SENSITIVE_POLICIES).default('mask').register(documentation, {
    flag: '--sensitive <policy>',
    about:
      'handling of turns with personal data or secrets: mask, mark (only private or secret), refuse or off',
  }),
  witness: z.string().min(1).optional().register(documentation, {
    flag: '--witness <file|url>',
    about:
      'a further file or URL for signed chain heads; best where users with access to the data folder cannot write',
    otherwise: 'none; they are also in witness_<memory>.log in the folder',
  }),
  archive: z.string().min(1).optional().register(documentation, {
    flag: '--archive <dir|url>',
    about:
      'folder, or s3://BUCKET/PREFIX?endpoint=URL&region=REGION&days=N, for copies of the encrypted turns',
    otherwise: 'none',
  }),
  retainTurnsDays: retention(
    'turns',
    'erase turns this many days after they were said, including imported ones',
  ),
  retainJournalDays: retention('journal', 'remove what undoing a reorganisation needs after this many days'),
  retainVersionsDays: retention('versions', 'remove earlier versions of units after this many days'),
  retainAuditDays: retention('audit', 'remove entries of the audit log after this many days', 30),
  chatModel: modelSetting('--chat-model <setting>', `the model that answers: ${MODEL_FORMS}`),
  lightModel: modelSetting('--light-model <setting>', 'the model for background work and deep recall'),
  visionModel: modelSetting('--vision-model <setting>', 'the model that describes images'),
  embedder: z
    .union([embedderSettingsSchema, z.null()])
    .optional()
    .register(documentation, {
      flag: '--embedder <setting>',
      about: 'the embedder: none, bundled, static, hashed, openai:MODEL, onnx:DIR, URL#MODEL or JSON',
      otherwise: "the settings', else bundled",
      read: (words) => (words === 'none' ? null : parseEmbedderSetting(words)),
    }),
  keyVariables: z
    .array(z.string().regex(/^[A-Za-z_]\w*$/, 'must be names of environment variables'))
    .default([])
    .register(documentation, {
      flag: '--key-variables <names>',
      about:
        'environment variables that settings over HTTP may use as the key of a model, separated by commas, in addition to ' +
        'those that begin with OMOIDE_KEY_ and the usual ones of known servers',
      otherwise: 'none',
      read: toList,
    }),
  modelHosts: z.array(z.string().min(1)).default([]).register(documentation, {
    flag: '--model-hosts <hosts>',
    about:
      'link-local or metadata addresses that settings over HTTP may use for a model, separated by commas',
    otherwise: 'none',
    read: toList,
  }),
  token: z
    .string()
    .regex(/^\S{16,}$/, 'must have 16 characters or more and no spaces')
    .optional()
    .register(documentation, {
      flag: null,
      about: 'an additional valid token; only its hash is kept, in memory',
      otherwise: 'none',
    }),
});

/** The effective values. Paths are absolute; undefined values are decided by the operator's settings or the machine. */
export type Config = z.output<typeof configSchema>;
export type ConfigName = keyof Config;

export const CONFIG_NAMES = keysOf(configSchema.shape);
/** Paths, or lists of them; in a file they are relative to the file. */
export const PATH_NAMES: readonly ConfigName[] = ['data', 'traceFile', 'witness', 'archive', 'profiles'];

/** The value with its paths resolved against a folder; other values and URLs are unchanged. */
export function resolvePaths(value: unknown, folder: string): unknown {
  if (Array.isArray(value)) return value.map((each) => resolvePaths(each, folder));
  if (typeof value !== 'string' || value === '' || /^(?:https?|s3):\/\//i.test(value)) return value;
  return resolve(folder, value);
}

export function documentationOf(name: ConfigName): Documentation {
  const telling = documentation.get(configSchema.shape[name]);
  if (!telling) throw new Error(`There is no documentation for ${name}.`);
  return telling;
}

/** `OMOIDE_RATE_LIMIT_PER_MINUTE` */
export function environmentName(name: string): string {
  return `OMOIDE_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
}

/** @throws MemoryError INVALID_INPUT */
export function checkValue(name: ConfigName, given: unknown): unknown {
  const { read } = documentationOf(name);
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
