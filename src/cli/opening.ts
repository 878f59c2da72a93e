import { existsSync } from 'node:fs';
import {
  listMemories,
  memoryExists,
  MemoryError,
  openEmbedder,
  openLanguageModel,
  openMemory,
  type EmbedderSettings,
  type LanguageModelSettings,
  type Memory,
  type ProfileFile,
  type RecallDefaults,
  type RerankerSettings,
  type WorkerEvent,
} from '../engine/engine.ts';
import {
  chosenEmbedder,
  chosenModel,
  chosenRecall,
  openSettings,
  settingsPath,
  type OperatorSettings,
} from '../settings/settings.ts';
import type { Settings } from './settings.ts';
import { printNote } from './terminal.ts';

export interface OpenOptions {
  /** Whether vectors are made or searched. A command that does neither does not load a model. */
  readonly embeds: boolean;
  /** Whether turns are learnt from. Default: they are not. */
  readonly learns?: boolean;
  /** Whether a language model may be asked, beside learning. */
  readonly asksModel?: boolean;
  readonly reranker?: RerankerSettings;
  /** Profiles that a recall may name beside the shipped ones. */
  readonly profiles?: readonly ProfileFile[];
  readonly onWorkerEvent?: (event: WorkerEvent) => void;
}

/** Opens the memory, making it when it is not there. Jobs run only while a command settles them. */
export async function openOrMake(settings: Settings, options: OpenOptions): Promise<Memory> {
  const { timeZone } = settings;
  const { learns = false, asksModel = learns, embeds, reranker, profiles, onWorkerEvent } = options;
  const memory = await openMemory({
    ...placeOf(settings),
    memoryId: settings.memoryId,
    worker: false,
    learn: learns,
    embedder: embeds ? embedderOf(settings) : null,
    model: asksModel ? modelOf(settings) : null,
    recall: recallOf(settings),
    ...(reranker && { reranker }),
    ...(profiles && { profiles }),
    ...(timeZone !== undefined && { timeZone }),
    ...(settings.witness !== undefined && { witness: settings.witness }),
    ...(settings.sensitive && { sensitive: settings.sensitive }),
    ...(onWorkerEvent && { onWorkerEvent }),
  });
  if (timeZone !== undefined && timeZone !== memory.timeZone) {
    printNote(`the memory was made with time zone ${memory.timeZone}, and keeps it.`);
  }
  return memory;
}

/** The embedder that was named, else the one chosen for the folder, else the bundled one. */
export function embedderOf({ embedder, dataDir }: Settings): EmbedderSettings | null {
  if (embedder !== undefined) return embedder;
  const chosen = readChosen(dataDir);
  return (chosen && chosenEmbedder(chosen)) ?? { provider: 'bundled' };
}

/** What the operator has chosen for recalls of this memory. */
function recallOf({ dataDir, memoryId }: Settings): RecallDefaults {
  const chosen = readChosen(dataDir);
  return chosen ? chosenRecall(chosen, memoryId) : {};
}

/** The language model that was named, else the one chosen for the folder's background work. */
export function modelOf({ model, dataDir }: Settings): LanguageModelSettings | null {
  return model === undefined ? chosenModelOf(dataDir, 'light') : model;
}

/** The language model chosen for a role in the settings of a folder; null where none is. */
export function chosenModelOf(dataDir: string, role: 'chat' | 'light'): LanguageModelSettings | null {
  const chosen = readChosen(dataDir);
  return chosen && chosenModel(chosen, role);
}

/**
 * Fails now, rather than when the turns are in, if a model cannot be opened.
 * @throws MemoryError INVALID_INPUT, EMBEDDER_FAILED
 */
export async function checkModels(
  settings: Settings,
  wanted: { embed: boolean; learn: boolean },
): Promise<void> {
  const embedder = wanted.embed ? embedderOf(settings) : null;
  const model = wanted.learn ? modelOf(settings) : null;
  if (embedder) await openEmbedder(embedder);
  if (model) openLanguageModel(model);
}

/** What the operator has chosen for the memories of a folder; null where nobody has chosen anything. */
function readChosen(dataDir: string): OperatorSettings | null {
  const path = settingsPath(dataDir);
  if (!existsSync(path)) return null;
  const settings = openSettings(path);
  try {
    return settings.get();
  } finally {
    settings.close();
  }
}

/**
 * Opens a memory that is there.
 * @throws MemoryError NOT_FOUND, and what `openMemory` throws
 */
export async function openExisting(settings: Settings, options: OpenOptions): Promise<Memory> {
  await requireMemory(settings);
  return openOrMake(settings, options);
}

/** Runs `body` with the memory and closes it, whatever happens. */
export async function using<T>(memory: Memory, body: (memory: Memory) => Promise<T>): Promise<T> {
  try {
    return await body(memory);
  } finally {
    await memory.close();
  }
}

/** Where the memory is to be found. */
export function placeOf({ dataDir, store }: Settings): { dataDir: string; store?: string } {
  return { dataDir, ...(store !== undefined && { store }) };
}

/** @throws MemoryError NOT_FOUND, INVALID_ID */
export async function requireMemory(settings: Settings): Promise<void> {
  const { dataDir, store, memoryId } = settings;
  if (await memoryExists(settings, memoryId)) return;
  const others = await namesOf(settings);
  const there = others.length > 0 ? ` There is: ${others.join(', ')}.` : '';
  const place = store === undefined ? dataDir : 'the store';
  throw new MemoryError(
    'NOT_FOUND',
    `There is no memory ${JSON.stringify(memoryId)} in ${place}.${there} “omoide ingest FILE” makes one.`,
  );
}

const MAX_LISTED = 10;

async function namesOf(settings: Settings): Promise<string[]> {
  try {
    return (await listMemories(settings)).map(({ memoryId }) => memoryId).slice(0, MAX_LISTED);
  } catch {
    return [];
  }
}
