import {
  listMemories,
  memoryExists,
  MemoryError,
  openEmbedder,
  openLanguageModel,
  openMemory,
  pickDefined,
  type EmbedderSettings,
  type LanguageModelSettings,
  type Memory,
  type ProfileFile,
  type RecallDefaults,
  type RerankerSettings,
  type SensitivePolicy,
  type WorkerEvent,
} from '../engine/engine.ts';
import {
  chosenEmbedder,
  chosenModel,
  chosenRecall,
  chosenSensitive,
  type OperatorSettings,
} from '../settings/settings.ts';
import { readStoredSettings, type Settings } from './settings.ts';
import { printNote } from './terminal.ts';

export interface OpenOptions {
  /** Whether vectors are made or searched. Otherwise no embedder is loaded. */
  readonly embeds: boolean;
  /** Whether turns are learnt from; default: false. */
  readonly learns?: boolean;
  /** Whether a language model may be used for anything except learning. */
  readonly asksModel?: boolean;
  readonly reranker?: RerankerSettings;
  /** Profiles that a recall may name in addition to the shipped ones. */
  readonly profiles?: readonly ProfileFile[];
  readonly onWorkerEvent?: (event: WorkerEvent) => void;
}

/** Opens the memory, creating it when needed. Jobs run only while a command calls `settle`. */
export async function openOrCreate(settings: Settings, options: OpenOptions): Promise<Memory> {
  const { timeZone } = settings;
  const { learns = false, asksModel = learns, embeds } = options;
  const memory = await openMemory({
    ...placeOf(settings),
    memoryId: settings.memoryId,
    worker: false,
    learn: learns,
    embedder: embeds ? embedderOf(settings) : null,
    model: asksModel ? modelOf(settings) : null,
    recall: recallOf(settings),
    ...pickDefined(options, ['reranker', 'profiles']),
    sensitive: sensitiveOf(settings),
    ...pickDefined(settings, ['timeZone', 'witness', 'archive']),
    onWorkerEvent: options.onWorkerEvent ?? noteProblem,
  });
  if (timeZone !== undefined && timeZone !== memory.timeZone) {
    printNote(`the memory was created with time zone ${memory.timeZone}, which cannot change.`);
  }
  return memory;
}

function noteProblem(event: WorkerEvent): void {
  if (event.type === 'stalled') printNote(event.error);
}

/** The embedder given by flag, else the one chosen for the folder, else the bundled one. */
export function embedderOf({ embedder, dataDir }: Settings): EmbedderSettings | null {
  if (embedder !== undefined) return embedder;
  const chosen = readChosen(dataDir);
  return (chosen && chosenEmbedder(chosen)) ?? { provider: 'bundled' };
}

/** The operator's defaults for recalls of this memory. */
function recallOf({ dataDir, memoryId }: Settings): RecallDefaults {
  const chosen = readChosen(dataDir);
  return chosen ? chosenRecall(chosen, memoryId) : {};
}

/** The policy chosen for the memory in the settings of the folder, else that of the environment. */
export function sensitiveOf({ dataDir, memoryId, sensitive }: Settings): SensitivePolicy {
  const chosen = readChosen(dataDir);
  return (chosen && chosenSensitive(chosen, memoryId)) ?? sensitive ?? 'mask';
}

/** The language model given by flag, else the one chosen for the folder's background work. */
export function modelOf({ model, dataDir }: Settings): LanguageModelSettings | null {
  return model === undefined ? chosenModelOf(dataDir, 'light') : model;
}

/** The language model chosen for a role in the settings of a folder; null when there is none. */
export function chosenModelOf(dataDir: string, role: 'chat' | 'light'): LanguageModelSettings | null {
  const chosen = readChosen(dataDir);
  return chosen && chosenModel(chosen, role);
}

/**
 * Fails before turns are added if a model cannot be opened.
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

/** The operator's settings for the memories of a folder; null when there are none. */
function readChosen(dataDir: string): OperatorSettings | null {
  return readStoredSettings(dataDir, (settings) => settings.get());
}

/**
 * Opens an existing memory.
 * @throws MemoryError NOT_FOUND, and what `openMemory` throws
 */
export async function openExisting(settings: Settings, options: OpenOptions): Promise<Memory> {
  await requireMemory(settings);
  return openOrCreate(settings, options);
}

/** Runs `body` with the memory, and always closes it. */
export async function withMemory<T>(memory: Memory, body: (memory: Memory) => Promise<T>): Promise<T> {
  try {
    return await body(memory);
  } finally {
    await memory.close();
  }
}

export function placeOf(settings: Settings) {
  return { dataDir: settings.dataDir, ...pickDefined(settings, ['store', 'vectorIndex']) };
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
    `There is no memory ${JSON.stringify(memoryId)} in ${place}.${there} “omoide ingest FILE” creates one.`,
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
