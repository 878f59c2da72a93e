/** The form of the operator's settings: as they are kept, as they are changed, and as they are shown. */
import { z } from 'zod';
import {
  embedderSettingsSchema,
  languageModelSettingsSchema,
  PROFILE_NAMES,
  recallDefaultsSchema,
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
      error: 'holds two presets with the same id',
    });
}

const textPresetSchema = presetSchema({ text: z.string().max(MAX_TEXT_LENGTH) });
const embeddingPresetSchema = presetSchema({ settings: embedderSettingsSchema });

const activeSchema = z.strictObject({
  /** The language model that answers; null: none. */
  chat: presetIdSchema.nullable(),
  /** The one for background work and deep recall; null: the one that answers. */
  light: presetIdSchema.nullable(),
  /** The one that describes images; null: images are not described. */
  vision: presetIdSchema.nullable(),
  /** What makes the vectors; null: the bundled embedder. */
  embedding: presetIdSchema.nullable(),
  /** Who the companion is; null: nobody in particular. */
  persona: presetIdSchema.nullable(),
  /** What companion and person have agreed on; null: nothing. */
  contract: presetIdSchema.nullable(),
});

const budgetsSchema = z.strictObject({
  /** Most tokens of what a memory adds to a prompt. */
  packTokens: z.int().min(100).max(1_000_000),
  /** Turns of the conversation so far that go into a prompt. */
  recentTurns: z.int().min(0).max(1_000),
  /** Longest reply; null: as the model's own settings say. */
  maxOutputTokens: z.int().min(1).max(1_000_000).nullable(),
  /** How long a deep recall may take, in milliseconds; what is not done by then is left out. */
  deepTimeLimitMs: z.int().min(100).max(600_000).default(2_000),
});

/** What holds for recalls that do not say otherwise. Only shipped profiles are known here. */
const recallSettingsSchema = recallDefaultsSchema.extend({ profile: z.enum(PROFILE_NAMES).optional() });

const recall = {
  /** For every memory. */
  recall: recallSettingsSchema.default({}),
  /** By memory id, before what holds for every memory. */
  recallByMemory: z.record(z.string(), recallSettingsSchema).default({}),
};
const compareSchema = z.strictObject({
  profile: z.string().min(1).max(100),
  /** Of the chats, 0 to 1. */
  share: z.number().min(0).max(1),
});

const time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00');

const remindersSchema = z.strictObject({
  /** Whether open loops with a due time become events. */
  enabled: z.boolean(),
  /** How long before something with a time of day is due, in minutes. */
  leadMinutes: z.int().min(0).max(1_440),
  /** From when nobody is reminded, by the memory’s clock. The same as `quietTo`: there are no quiet hours. */
  quietFrom: time,
  /** Until when; what is due on a day without a time is told then. */
  quietTo: time,
});

/** What one memory has instead of what is active: one server may hold several characters or several people. */
const memoryChoicesSchema = activeSchema
  .omit({ embedding: true })
  .partial()
  .extend({
    /** In which the companion's own prompts are written; default: that of the conversation. */
    language: z.enum(['ja', 'zh', 'en']).optional(),
  });

const byMemory = {
  /** By memory id. */
  memories: z.record(z.string().max(64), memoryChoicesSchema).default({}),
};

/** What clients of Cocoro choose and Omoide has no other place for. */
const cocoroSchema = z.strictObject({
  /** The memory of requests that name none. */
  memoryId: z.string().min(1).max(64),
  /** The memories that they offer; that protocol calls them presets of embedding. */
  memories: z
    .array(z.strictObject({ id: presetIdSchema, name: z.string().min(1).max(200) }))
    .min(1)
    .max(MAX_PRESETS),
  /** False: what is said is neither learnt from nor recalled. */
  memoryEnabled: z.boolean(),
  /** Kept for them; nothing is done with it. */
  excludeKeywords: z.array(z.string().max(1_000)).max(1_000),
});

const switches = {
  /** Whether chat recalls with a language model's help, which takes longer. */
  deepRecall: z.boolean(),
  /** Whether `/metrics` is read without a token. */
  metricsOpen: z.boolean(),
  /** Whether what models are asked and answer is written to the trace file. */
  trace: z.boolean(),
  /** Another profile that ranks a share of the chats, to be compared with the usual one; null: none. */
  compare: compareSchema.nullable(),
};

/** Which list of presets each choice is made from. */
const CHOICES = {
  chat: 'llm',
  light: 'llm',
  vision: 'llm',
  embedding: 'embedding',
  persona: 'persona',
  contract: 'contract',
} as const satisfies Record<keyof z.infer<typeof activeSchema>, string>;

/** The whole of it, with keys. */
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
      for (const choice of Object.keys(CHOICES) as (keyof typeof CHOICES)[]) {
        const id = choice === 'embedding' ? null : (own[choice] ?? null);
        const kind = CHOICES[choice];
        if (id === null || presets[kind].some((preset) => preset.id === id)) continue;
        const message = `names “${id}”, but presets.${kind} has no such preset; choose another one, or null`;
        context.addIssue({ code: 'custom', path: ['memories', memoryId, choice], message });
      }
    }
    for (const choice of Object.keys(CHOICES) as (keyof typeof CHOICES)[]) {
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

/** Of models' settings what was set; what was not has its default where the model is opened. */
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

/** Before anybody has chosen anything. */
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
  /** Left out: the key that is kept stays. Null: it is removed. */
  apiKey: z.string().min(1).nullable().optional(),
  /** As the settings show it; nothing is done with it. */
  hasKey: z.boolean().optional(),
});

/**
 * A change. A list of presets takes the place of the one before; everything else that is left out stays as it is.
 * What `public` shows may be sent back, changed or not.
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
    /** Each memory that is named takes the place of what it was; the others stay. Null: as for every memory. */
    memories: z.record(z.string().max(64), memoryChoicesSchema.nullable()),
    reminders: remindersSchema.partial(),
    cocoro: cocoroSchema,
    ...switches,
  })
  .partial();
export type SettingsPatch = z.input<typeof settingsPatchSchema>;

/** What is shown: every value that holds, with the defaults of what was not set, and of keys only whether there is one. */
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
