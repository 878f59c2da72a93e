/** Schemas of the operator's settings: as stored, as changed, and as shown. */
import { keysOf } from '../model/model.ts';
import { z } from 'zod';
import {
  embedderSettingsSchema,
  languageModelSettingsSchema,
  PROFILE_NAMES,
  recallDefaultsSchema,
  SENSITIVE_POLICIES,
  type EmbedderSettings,
  type LanguageModelSettings,
} from '../engine/engine.ts';

const MAX_PRESETS = 200;
const MAX_TEXT_LENGTH = 200_000;

const presetIdSchema = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 of the letters a–z and A–Z, digits, “_”, “-” and “.”');

function presetSchema<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject({ id: presetIdSchema, name: z.string().min(1).max(200), ...shape });
}

function listOf<Preset extends z.ZodType<{ id: string }>>(preset: Preset) {
  return z
    .array(preset)
    .max(MAX_PRESETS)
    .refine((presets) => new Set(presets.map(({ id }) => id)).size === presets.length, {
      error: 'contains two presets with the same id',
    });
}

const textPresetSchema = presetSchema({ text: z.string().max(MAX_TEXT_LENGTH) });
const embeddingPresetSchema = presetSchema({ settings: embedderSettingsSchema });

const activeSchema = z.strictObject({
  /** The language model that answers; null: none. */
  chat: presetIdSchema.nullable(),
  /** The one for background work and deep recall; null: the chat model. */
  light: presetIdSchema.nullable(),
  /** The one that describes images; null: images are not described. */
  vision: presetIdSchema.nullable(),
  /** The embedder; null: the bundled one. */
  embedding: presetIdSchema.nullable(),
  /** Who the companion is; null: no persona. */
  persona: presetIdSchema.nullable(),
  /** What companion and user have agreed on; null: nothing. */
  contract: presetIdSchema.nullable(),
});

const budgetsSchema = z.strictObject({
  /** The most tokens that a memory adds to a prompt. */
  packTokens: z.int().min(100).max(1_000_000),
  /** How many recent turns of the conversation go into a prompt. */
  recentTurns: z.int().min(0).max(1_000),
  /** The most tokens of a reply; null: as in the model's own settings. */
  maxOutputTokens: z.int().min(1).max(1_000_000).nullable(),
  /** The time limit of a deep recall, in milliseconds; unfinished parts are left out. */
  deepTimeLimitMs: z.int().min(100).max(600_000).default(2_000),
});

/** Defaults for recalls. Only shipped profiles are known here. */
const recallSettingsSchema = recallDefaultsSchema.extend({ profile: z.enum(PROFILE_NAMES).optional() });

const recall = {
  /** For every memory. */
  recall: recallSettingsSchema.default({}),
  /** By memory id; these take precedence over the defaults for every memory. */
  recallByMemory: z.record(z.string(), recallSettingsSchema).default({}),
};
const compareSchema = z.strictObject({
  profile: z.string().min(1).max(100),
  /** The share of the chats, 0 to 1. */
  share: z.number().min(0).max(1),
});

const time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00');

const remindersSchema = z.strictObject({
  /** Whether open loops with a due time become events. */
  enabled: z.boolean(),
  /** How long before the due time of an event with a time of day, in minutes. */
  leadMinutes: z.int().min(0).max(1_440),
  /** The start of quiet hours without reminders, by the memory’s clock. If equal to `quietTo`, there are no quiet hours. */
  quietFrom: time,
  /** The end of quiet hours; reminders for a day without a time are sent then. */
  quietTo: time,
});

/** The choices of one memory that override the active ones: one server may have several characters or users. */
const memoryChoicesSchema = activeSchema
  .omit({ embedding: true })
  .partial()
  .extend({
    /** The language of the companion's own prompts; default: that of the conversation. */
    language: z.enum(['ja', 'zh', 'en']).optional(),
    /** What happens to its personal data and secrets; default: as the server or command says. */
    sensitive: z.enum(SENSITIVE_POLICIES).optional(),
  });

const byMemory = {
  /** By memory id. */
  memories: z.record(z.string().max(64), memoryChoicesSchema).default({}),
};

/** Choices of clients of Cocoro for which Omoide has no other setting. */
const cocoroSchema = z.strictObject({
  /** The memory for requests that do not name one. */
  memoryId: z.string().min(1).max(64),
  /** The memories that are offered; that protocol calls them embedding presets. */
  memories: z
    .array(z.strictObject({ id: presetIdSchema, name: z.string().min(1).max(200) }))
    .min(1)
    .max(MAX_PRESETS),
  /** False: turns are neither learnt from nor recalled. */
  memoryEnabled: z.boolean(),
  /** Stored for the clients; not used. */
  excludeKeywords: z.array(z.string().max(1_000)).max(1_000),
});

const switches = {
  /** Whether chat uses deep recall, which takes longer. */
  deepRecall: z.boolean(),
  /** Whether `/metrics` can be read without a token. */
  metricsOpen: z.boolean(),
  /** Whether requests to models and their answers are written to the trace file. */
  trace: z.boolean(),
  /** Another profile that ranks a share of the chats, for comparison; null: none. */
  compare: compareSchema.nullable(),
};

/** The list of presets for each choice. */
const CHOICES = {
  chat: 'llm',
  light: 'llm',
  vision: 'llm',
  embedding: 'embedding',
  persona: 'persona',
  contract: 'contract',
} as const satisfies Record<keyof z.infer<typeof activeSchema>, string>;

/** All settings, with keys. */
export const operatorSettingsSchema = z
  .strictObject({
    presets: z.strictObject({
      llm: listOf(presetSchema({ settings: languageModelSettingsSchema })),
      embedding: listOf(embeddingPresetSchema),
      persona: listOf(textPresetSchema),
      contract: listOf(textPresetSchema),
    }),
    active: activeSchema,
    budgets: budgetsSchema,
    ...recall,
    ...byMemory,
    reminders: remindersSchema,
    cocoro: cocoroSchema,
    ...switches,
  })
  .superRefine(({ presets, active, memories }, context) => {
    for (const [memoryId, own] of Object.entries(memories)) {
      for (const choice of keysOf(CHOICES)) {
        const id = choice === 'embedding' ? null : (own[choice] ?? null);
        const kind = CHOICES[choice];
        if (id === null || presets[kind].some((preset) => preset.id === id)) continue;
        const message = `names “${id}”, but presets.${kind} has no such preset; choose another one, or null`;
        context.addIssue({ code: 'custom', path: ['memories', memoryId, choice], message });
      }
    }
    for (const choice of keysOf(CHOICES)) {
      const kind = CHOICES[choice];
      if (active[choice] === null || presets[kind].some(({ id }) => id === active[choice])) continue;
      const message = `names “${active[choice]}”, but presets.${kind} has no such preset; choose another one, or null`;
      context.addIssue({ code: 'custom', path: ['active', choice], message });
    }
  });

export interface LlmPreset {
  readonly id: string;
  readonly name: string;
  readonly settings: LanguageModelSettings;
}

export interface EmbeddingPreset {
  readonly id: string;
  readonly name: string;
  readonly settings: EmbedderSettings;
}

export type TextPreset = z.infer<typeof textPresetSchema>;

/** For models, only values that were set; the others get their defaults when the model is opened. */
export interface OperatorSettings {
  readonly presets: {
    readonly llm: readonly LlmPreset[];
    readonly embedding: readonly EmbeddingPreset[];
    readonly persona: readonly TextPreset[];
    readonly contract: readonly TextPreset[];
  };
  readonly active: Readonly<z.infer<typeof activeSchema>>;
  readonly budgets: Readonly<z.infer<typeof budgetsSchema>>;
  readonly recall: Readonly<z.infer<typeof recallSettingsSchema>>;
  readonly recallByMemory: Readonly<Record<string, z.infer<typeof recallSettingsSchema>>>;
  readonly memories: Readonly<Record<string, z.infer<typeof memoryChoicesSchema>>>;
  readonly reminders: Readonly<z.infer<typeof remindersSchema>>;
  readonly cocoro: Readonly<z.infer<typeof cocoroSchema>>;
  readonly deepRecall: boolean;
  readonly metricsOpen: boolean;
  readonly trace: boolean;
  readonly compare: Readonly<z.infer<typeof compareSchema>> | null;
}

/** The settings before any choice. */
export const DEFAULT_SETTINGS: OperatorSettings = {
  presets: { llm: [], embedding: [], persona: [], contract: [] },
  active: { chat: null, light: null, vision: null, embedding: null, persona: null, contract: null },
  budgets: { packTokens: 1_500, recentTurns: 20, maxOutputTokens: null, deepTimeLimitMs: 2_000 },
  recall: {},
  recallByMemory: {},
  memories: {},
  reminders: { enabled: true, leadMinutes: 0, quietFrom: '22:00', quietTo: '08:00' },
  cocoro: {
    memoryId: 'default',
    memories: [{ id: 'default', name: 'default' }],
    memoryEnabled: true,
    excludeKeywords: [],
  },
  deepRecall: false,
  metricsOpen: false,
  trace: false,
  compare: null,
};

const writtenModelSchema = languageModelSettingsSchema.extend({
  /** Omitted: the stored key is kept. Null: it is removed. */
  apiKey: z.string().min(1).nullable().optional(),
  /** Part of the shown settings; ignored in a change. */
  hasKey: z.boolean().optional(),
});

/**
 * A change. A list of presets replaces the previous list; other omitted fields are kept. The result of `public` may
 * be sent back, changed or not.
 */
export const settingsPatchSchema = z
  .strictObject({
    presets: z
      .strictObject({
        llm: listOf(presetSchema({ settings: writtenModelSchema })),
        embedding: listOf(embeddingPresetSchema),
        persona: listOf(textPresetSchema),
        contract: listOf(textPresetSchema),
      })
      .partial(),
    active: activeSchema.partial(),
    budgets: budgetsSchema.partial(),
    recall: recallSettingsSchema,
    recallByMemory: z.record(z.string(), recallSettingsSchema),
    /** Each named memory is replaced; the others are kept. Null: no choices of its own. */
    memories: z.record(z.string().max(64), memoryChoicesSchema.nullable()),
    reminders: remindersSchema.partial(),
    cocoro: cocoroSchema,
    ...switches,
  })
  .partial();
export type SettingsPatch = z.input<typeof settingsPatchSchema>;

/** The settings to show: all effective values, including defaults; for each key only whether there is one. */
export const publicSettingsSchema = z.strictObject({
  presets: z.strictObject({
    llm: z.array(
      presetSchema({
        settings: languageModelSettingsSchema.omit({ apiKey: true }).extend({ hasKey: z.boolean() }),
      }),
    ),
    embedding: z.array(embeddingPresetSchema),
    persona: z.array(textPresetSchema),
    contract: z.array(textPresetSchema),
  }),
  active: activeSchema,
  budgets: budgetsSchema,
  ...recall,
  ...byMemory,
  reminders: remindersSchema,
  cocoro: cocoroSchema,
  ...switches,
});
export type PublicSettings = Readonly<z.output<typeof publicSettingsSchema>>;
