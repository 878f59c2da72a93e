/** The operator's settings: models, persona and contract, budgets, and access tokens. Stored in `settings.db`. */
import { join } from 'node:path';
import { MemoryError, type Instant, messageOf, parseJson, recordAt } from '../model/model.ts';
import { changed, changedNames, checkSettings, withoutKeys } from './change.ts';
import {
  DEFAULT_SETTINGS,
  type OperatorSettings,
  type PublicSettings,
  type SettingsPatch,
} from './schema.ts';
import { SettingsFile } from './settingsFile.ts';
import { createFeedbackLog, type FeedbackLog } from './feedback.ts';
import { createAudit, type Audit } from './audit.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { createUsageLog, type UsageLog } from './usage.ts';

export { chosenEmbedder, chosenModel, chosenRecall, chosenSensitive, type ModelRole } from './chosen.ts';
export {
  publicSettingsSchema,
  settingsPatchSchema,
  type EmbeddingPreset,
  type LlmPreset,
  type OperatorSettings,
  type PublicSettings,
  type SettingsPatch,
  type TextPreset,
} from './schema.ts';
export type { TokenIdentity, TokenInfo, Tokens } from './tokens.ts';
export { TOKEN_SCOPES, type NewToken, type TokenScope } from './tokens.ts';
export { feedbackHistory, feedbackQueries } from './feedbackSet.ts';
export { VERDICTS, type Feedback, type FeedbackLog, type NewFeedback } from './feedback.ts';
export { summarizeModelCalls, type ModelCalls } from './modelCalls.ts';
export type { ModelUse, RecallUse, UsageLog } from './usage.ts';

export interface SettingsOptions {
  /** The clock; default: the machine's. */
  readonly now?: () => Instant;
  /** A token that is accepted while these settings are open, and is not stored. */
  readonly givenToken?: { readonly name: string; readonly token: string } | null;
}

/** Any number of processes can open the same settings; each sees the changes of the others. */
export interface Settings {
  /** Includes API keys, for calling models; never show it. */
  get(): OperatorSettings;
  public(): PublicSettings;
  /**
   * Resolves when the change is on the disk and the listeners of this process were called.
   * @throws MemoryError INVALID_INPUT; then nothing has changed
   */
  change(patch: SettingsPatch): Promise<PublicSettings>;
  /**
   * Calls the listener for every change, by any process, within a second; not for the current settings.
   * @returns a function that unsubscribes
   */
  subscribe(listener: (settings: OperatorSettings) => void): () => void;
  readonly tokens: Tokens;
  readonly audit: Audit;
  /** Statistics of the use of memories and models. */
  readonly usage: UsageLog;
  /** Users' verdicts on recalled units. */
  readonly feedback: FeedbackLog;
  close(): void;
}

/** How often changes of other processes are checked. */
const POLL_MS = 500;

/** The path of the settings for the memories of a folder. */
export function settingsPath(dataDir: string): string {
  return join(dataDir, 'settings.db');
}

/**
 * Opens the settings in the SQLite file at `path`; creates it, readable by its owner only, when it does not exist.
 * @throws MemoryError NOT_A_MEMORY, MEMORY_TOO_NEW, READ_ONLY, DISK_FULL, BUSY, STORE_FAILED
 */
export function openSettings(path: string, options: SettingsOptions = {}): Settings {
  const file = new SettingsFile(path);
  try {
    return new OpenedSettings(path, file, options);
  } catch (error) {
    file.close();
    throw error;
  }
}

class OpenedSettings implements Settings {
  readonly tokens: Tokens;
  readonly audit: Audit;
  readonly usage: UsageLog;
  readonly feedback: FeedbackLog;
  readonly #path: string;
  readonly #file: SettingsFile;
  readonly #listeners = new Set<(settings: OperatorSettings) => void>();
  #version: number;
  #current: OperatorSettings;
  /** The settings last passed to the listeners. */
  #told: OperatorSettings;
  #poll: NodeJS.Timeout | undefined;

  constructor(path: string, file: SettingsFile, { now = Date.now, givenToken = null }: SettingsOptions) {
    this.#path = path;
    this.#file = file;
    this.tokens = createTokens(file, now, givenToken);
    this.audit = createAudit(file);
    this.usage = createUsageLog(file, now);
    this.feedback = createFeedbackLog(file, now);
    this.#version = file.dataVersion();
    this.#current = this.#read();
    this.#told = this.#current;
  }

  get(): OperatorSettings {
    const version = this.#file.dataVersion();
    if (version !== this.#version) {
      this.#current = this.#read();
      this.#version = version;
    }
    return this.#current;
  }

  public(): PublicSettings {
    return withoutKeys(this.get());
  }

  async change(patch: SettingsPatch): Promise<PublicSettings> {
    this.#current = this.#file.write(() => {
      const before = this.#read();
      const after = changed(before, patch);
      for (const name of changedNames(before, after)) this.#write(name, after[name]);
      return after;
    });
    this.#tell();
    return withoutKeys(this.#current);
  }

  subscribe(listener: (settings: OperatorSettings) => void): () => void {
    if (this.#listeners.size === 0) this.#told = this.get();
    this.#listeners.add(listener);
    this.#poll ??= setInterval(() => this.#lookAgain(), POLL_MS).unref();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopPolling();
    };
  }

  close(): void {
    this.#stopPolling();
    this.#listeners.clear();
    this.usage.flush();
    this.audit.flush();
    this.#file.close();
  }

  #lookAgain(): void {
    try {
      this.get();
    } catch {
      return; // The file is locked or damaged: the last settings are used until it can be read again.
    }
    this.#tell();
  }

  #tell(): void {
    if (changedNames(this.#told, this.#current).length === 0) return;
    this.#told = this.#current;
    for (const listener of this.#listeners) listener(this.#current);
  }

  #stopPolling(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  /** Values that were never set, or are new in this version, get their defaults. */
  #read(): OperatorSettings {
    const rows = this.#file.all<{ name: string; value: string }>('SELECT name, value FROM setting');
    const kept = Object.fromEntries(rows.map(({ name, value }) => [name, parseJson(value)]));
    const settings = {
      ...DEFAULT_SETTINGS,
      ...kept,
      ...withDefaults('presets', kept),
      ...withDefaults('active', kept),
      ...withDefaults('budgets', kept),
    };
    try {
      checkSettings(settings);
    } catch (cause) {
      throw new MemoryError('STORE_FAILED', `${this.#path} contains invalid settings: ${messageOf(cause)}`, {
        cause,
      });
    }
    return settings;
  }

  #write(name: string, value: unknown): void {
    this.#file.run(
      'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      name,
      JSON.stringify(value),
    );
  }
}

function withDefaults(name: 'presets' | 'active' | 'budgets', kept: Record<string, unknown>) {
  return { [name]: { ...DEFAULT_SETTINGS[name], ...recordAt(kept, name) } };
}
