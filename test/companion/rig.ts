/** A companion on a new memory with a scripted model, for one test. */
import { onTestFinished } from 'vitest';
import {
  createCompanion,
  type ChatEvent,
  type ChatRequest,
  type Companion,
  type CompanionEvent,
  type CompanionSettings,
  type CompanionProblem,
} from '../../src/companion/companion.ts';
import { openLanguageModel, openMemory, type Episode, type Memory } from '../../src/engine/engine.ts';
import { startScriptedModel, type ScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { temporaryFolder } from '../temporary.ts';

export interface RigOptions {
  readonly settings?: Partial<CompanionSettings>;
  readonly withoutModel?: boolean;
  /** Whether a second scripted model describes images. */
  readonly withVision?: boolean;
  readonly dataDir?: string;
  readonly now?: () => number;
  readonly isToldOfChanges?: boolean;
}

export interface Rig {
  readonly dataDir: string;
  readonly memory: Memory;
  readonly companion: Companion;
  readonly model: ScriptedModel;
  readonly vision: ScriptedModel;
  readonly events: CompanionEvent[];
  readonly problems: CompanionProblem[];
  /** Sends a message and reads the answer to its end. */
  readonly chat: (request: ChatRequest | string, signal?: AbortSignal) => Promise<Heard>;
  /** All episodes of a conversation, in order, as `speaker: text`. */
  readonly turns: (conversationId: string) => Promise<string[]>;
  readonly episodes: (conversationId: string) => Promise<Episode[]>;
}

export interface Heard {
  readonly events: readonly ChatEvent[];
  readonly types: readonly string[];
  readonly text: string;
  readonly end: ChatEvent | undefined;
}

const DEFAULTS: CompanionSettings = {
  persona: '',
  contract: '',
  packTokens: 1_500,
  recentTurns: 20,
  deepRecall: false,
  deepTimeLimitMs: 2_000,
  reminders: { enabled: true, leadMinutes: 0, quietFrom: '22:00', quietTo: '08:00' },
};

export async function openRig(options: RigOptions = {}): Promise<Rig> {
  const dataDir = options.dataDir ?? temporaryFolder();
  const [model, vision] = [await startScriptedModel(), await startScriptedModel()];
  const now = options.now ?? Date.now;
  const memory = await openMemory({ dataDir, timeZone: 'Asia/Tokyo', learn: false, now });
  const open = ({ url }: ScriptedModel) =>
    openLanguageModel({ provider: 'endpoint', url, model: 'scripted-model', retries: 0 });
  const [chatModel, visionModel] = [open(model), open(vision)];
  const events: CompanionEvent[] = [];
  const problems: CompanionProblem[] = [];
  const companion = createCompanion({
    memory,
    chatModel: () => (options.withoutModel ? null : chatModel),
    visionModel: () => (options.withVision ? visionModel : null),
    settings: () => ({ ...DEFAULTS, ...options.settings }),
    publish: (event) => events.push(event),
    onProblem: (problem) => problems.push(problem),
    isToldOfChanges: options.isToldOfChanges === true,
    now,
  });
  onTestFinished(async () => {
    await companion.stop(0);
    await memory.close();
    await Promise.all([model.close(), vision.close()]);
  });
  const episodes = async (conversationId: string) => {
    const units = await memory.units.list({ kinds: ['episode'], conversationId }, { limit: 1_000 });
    return (units as Episode[]).sort((a, b) => a.payload.turnIndex - b.payload.turnIndex);
  };
  return {
    dataDir,
    memory,
    companion,
    model,
    vision,
    events,
    problems,
    chat: (request, signal) => readAnswer(companion, request, signal),
    episodes,
    turns: async (conversationId) =>
      (await episodes(conversationId)).map(({ payload }) => `${payload.speaker}: ${payload.text}`),
  };
}

async function readAnswer(
  companion: Companion,
  request: ChatRequest | string,
  signal = new AbortController().signal,
): Promise<Heard> {
  const events: ChatEvent[] = [];
  const asked = typeof request === 'string' ? { text: request } : request;
  for await (const event of companion.chat(asked, signal)) events.push(event);
  const pieces = events.map((event) => (event.type === 'token' ? event.data.text : ''));
  return { events, types: events.map(({ type }) => type), text: pieces.join(''), end: events.at(-1) };
}

interface SentMessage {
  readonly role: string;
  readonly content: unknown;
}

/** The messages of the model's nth request; negative: from the last. */
export function messagesOf(model: ScriptedModel, nth = -1): readonly SentMessage[] {
  return (model.chats.at(nth)?.['messages'] ?? []) as readonly SentMessage[];
}

/** The system prompt of the model's nth request. */
export function systemOf(model: ScriptedModel, nth = -1): string {
  const system = messagesOf(model, nth).filter(({ role }) => role === 'system');
  return system.map(({ content }) => String(content)).join('\n\n');
}

/** An image of one pixel. */
export const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Resolves when `check` returns a truthy value. */
export async function until<T>(check: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const value = await check();
    if (value) return value;
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}
