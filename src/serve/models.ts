/** Opens the models that the settings choose, and replaces them when the settings change. */
import { MemoryError, messageOf } from '../model/model.ts';
import { isDeepStrictEqual } from 'node:util';
import type { CompanionSettings } from '../companion/companion.ts';
import {
  openEmbedder,
  openLanguageModel,
  openTraceFile,
  type Embedder,
  type EmbedderSettings,
  type LanguageModel,
  type LanguageModelSettings,
  type ModelCall,
  type RecallDefaults,
  type SensitivePolicy,
} from '../engine/engine.ts';
import { chosenRecall, chosenSensitive, type OperatorSettings, type Settings } from '../settings/settings.ts';
import type { Log } from './log.ts';

/** Models that replace those of the settings. */
export interface ModelOverrides {
  readonly chat?: LanguageModelSettings;
  readonly light?: LanguageModelSettings;
  readonly vision?: LanguageModelSettings;
  /** Null: recall by keywords alone. */
  readonly embedder?: EmbedderSettings | null;
}

export interface ModelsOptions {
  readonly settings: Settings;
  readonly overrides: ModelOverrides;
  readonly onCall: (call: ModelCall) => void;
  /** The file for requests and replies while tracing is enabled in the settings. */
  readonly traceFile: string;
  readonly log: Log;
}

type TraceFile = ReturnType<typeof openTraceFile>;
type TraceRecord = Parameters<TraceFile['write']>[0];
/** Requests with this purpose are not traced, since their text must not be stored. */
const UNTRACED = 'meta_request';
type Role = 'chat' | 'light' | 'vision';
const ROLES: readonly Role[] = ['chat', 'light', 'vision'];

interface OpenedModel {
  readonly settings: LanguageModelSettings | null;
  readonly trace: boolean;
  readonly model: LanguageModel | null;
}

const BUNDLED: EmbedderSettings = { provider: 'bundled' };
const STATIC: EmbedderSettings = { provider: 'static' };

export class Models {
  readonly #options: ModelsOptions;
  readonly #opened = new Map<Role, OpenedModel>();
  /** The models of single memories, by the id of their preset. */
  readonly #ofMemories = new Map<string, OpenedModel>();
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #traceFile: TraceFile | null = null;
  #embedderSettings: EmbedderSettings | null = null;
  #embedder: Embedder | null = null;
  /** Resolves when the last chosen embedder is in use. */
  #settled: Promise<void>;

  constructor(options: ModelsOptions) {
    this.#options = options;
    this.#openLanguageModels();
    this.#settled = this.#openEmbedder();
    this.#unsubscribe = options.settings.subscribe(() => this.#follow());
  }

  get chat(): LanguageModel | null {
    return this.#opened.get('chat')?.model ?? null;
  }

  /** The model for background work: the chat model unless another is set. */
  get light(): LanguageModel | null {
    return this.#opened.get('light')?.model ?? this.chat;
  }

  get vision(): LanguageModel | null {
    return this.#opened.get('vision')?.model ?? null;
  }

  get embedder(): Embedder | null {
    return this.#embedder;
  }

  /** Called for each chat, since another profile may rank it. */
  settingsFor(memoryId: string): CompanionSettings {
    const {
      presets,
      active: common,
      memories,
      budgets,
      deepRecall,
      compare,
      reminders,
    } = this.#options.settings.get();
    const { language, sensitive: _, ...own } = memories[memoryId] ?? {};
    const active = { ...common, ...own };
    const textOf = (kind: 'persona' | 'contract') =>
      presets[kind].find((preset) => preset.id === active[kind])?.text ?? '';
    return {
      persona: textOf('persona'),
      contract: textOf('contract'),
      packTokens: budgets.packTokens,
      recentTurns: budgets.recentTurns,
      deepRecall,
      reminders,
      ...(language !== undefined && { language }),
      deepTimeLimitMs: budgets.deepTimeLimitMs,
      ...(budgets.maxOutputTokens !== null && { maxOutputTokens: budgets.maxOutputTokens }),
      ...(compare && Math.random() < compare.share && { profile: compare.profile }),
    };
  }

  /** The model of a memory for a role: its own, or else the active one. */
  modelFor(memoryId: string, role: Role): LanguageModel | null {
    const own = this.#options.settings.get().memories[memoryId] ?? {};
    const id = own[role];
    if (id !== undefined && this.#options.overrides[role] === undefined) return this.#ofPreset(id, role);
    // Background work uses the chat model unless another is set.
    const isOwnChat = role === 'light' && own.chat !== undefined && !this.#opened.get('light')?.model;
    return isOwnChat ? this.modelFor(memoryId, 'chat') : this[role];
  }

  #ofPreset(id: string | null, role: Role): LanguageModel | null {
    if (id === null) return null;
    const { presets, trace } = this.#options.settings.get();
    const settings = presets.llm.find((preset) => preset.id === id)?.settings ?? null;
    const opened = this.#ofMemories.get(id);
    if (opened && opened.trace === trace && isDeepStrictEqual(opened.settings, settings)) return opened.model;
    const model = settings && this.#open(settings, role, trace);
    this.#ofMemories.set(id, { settings, trace, model });
    return model;
  }

  recallDefaults(memoryId: string): RecallDefaults {
    return chosenRecall(this.#options.settings.get(), memoryId);
  }

  /** The memory's own choice; undefined: none. */
  sensitivePolicy(memoryId: string): SensitivePolicy | undefined {
    return chosenSensitive(this.#options.settings.get(), memoryId);
  }

  /** The embedder of this id, if one of the presets has it. */
  async findEmbedder(id: string): Promise<Embedder | null> {
    const { presets } = this.#options.settings.get();
    for (const settings of [BUNDLED, STATIC, ...presets.embedding.map((preset) => preset.settings)]) {
      const embedder = await openEmbedder(settings).catch(() => null);
      if (embedder?.id === id) return embedder;
    }
    return null;
  }

  /** `words` is none. @throws MemoryError NOT_FOUND, EMBEDDER_FAILED, INVALID_INPUT */
  async openEmbedder(name: string): Promise<Embedder | null> {
    if (name === 'words') return null;
    const { presets } = this.#options.settings.get();
    const settings =
      { bundled: BUNDLED, static: STATIC }[name] ?? presets.embedding.find(({ id }) => id === name)?.settings;
    if (!settings) throw new MemoryError('NOT_FOUND', `There is no embedder “${name}” in the settings.`);
    return openEmbedder(settings);
  }

  /** Resolves when the last chosen models are in use. */
  async settled(): Promise<void> {
    for (let waited: Promise<void> | undefined; waited !== this.#settled;) {
      waited = this.#settled;
      await waited;
    }
  }

  /** Called when a model was replaced. @returns a function that unsubscribes */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): void {
    this.#unsubscribe();
    this.#listeners.clear();
    this.#opened.clear();
    this.#ofMemories.clear();
    this.#traceFile?.close();
    this.#traceFile = null;
  }

  #follow(): void {
    this.#openLanguageModels();
    this.#tell();
    this.#settled = this.#settled.then(() => this.#openEmbedder()).then(() => this.#tell());
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #openLanguageModels(): void {
    const settings = this.#options.settings.get();
    for (const role of ROLES) {
      const wanted = this.#options.overrides[role] ?? chosenModel(settings, role);
      const { trace } = settings;
      const opened = this.#opened.get(role);
      if (opened && opened.trace === trace && isDeepStrictEqual(opened.settings, wanted)) continue;
      this.#opened.set(role, { settings: wanted, trace, model: wanted && this.#open(wanted, role, trace) });
    }
  }

  #open(settings: LanguageModelSettings, role: Role, trace: boolean): LanguageModel | null {
    const { onCall, log } = this.#options;
    if (trace) this.#openTraceFile();
    const write = (record: TraceRecord) => {
      if (record.purpose !== UNTRACED) this.#traceFile?.write(record);
    };
    try {
      return openLanguageModel(settings, { onCall, ...(trace && { trace: write }) });
    } catch (error) {
      log(`The ${role} model cannot be used: ${messageOf(error)}`, 'error');
      return null;
    }
  }

  /** The file stays open until the end, since replaced models may still be answering. */
  #openTraceFile(): void {
    try {
      this.#traceFile ??= openTraceFile(this.#options.traceFile);
    } catch (error) {
      this.#options.log(`The trace file cannot be written: ${messageOf(error)}`, 'error');
    }
  }

  /** If it cannot be opened, the previous one is kept. */
  async #openEmbedder(): Promise<void> {
    const { overrides, settings, log } = this.#options;
    const wanted = overrides.embedder === undefined ? chosenEmbedder(settings.get()) : overrides.embedder;
    if (this.#embedder !== null && isDeepStrictEqual(wanted, this.#embedderSettings)) return;
    try {
      this.#embedder = wanted && (await openEmbedder(wanted));
      this.#embedderSettings = wanted;
    } catch (error) {
      log(`The embedder cannot be used: ${messageOf(error)}`, 'error');
    }
  }
}

function chosenModel({ presets, active }: OperatorSettings, role: Role): LanguageModelSettings | null {
  return presets.llm.find((preset) => preset.id === active[role])?.settings ?? null;
}

function chosenEmbedder({ presets, active }: OperatorSettings): EmbedderSettings {
  return presets.embedding.find((preset) => preset.id === active.embedding)?.settings ?? BUNDLED;
}
