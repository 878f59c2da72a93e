/** Opens memories with the models that the settings choose, and keeps them with those. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  internals,
  memoryPath,
  openMemory,
  type Embedder,
  type Memory,
  type MemoryOptions,
} from '../engine/engine.ts';
import type { Log } from './log.ts';
import type { Models } from './models.ts';

export interface OpeningOptions extends Pick<
  MemoryOptions,
  'reorganize' | 'profiles' | 'witness' | 'sensitive' | 'onWorkerEvent' | 'onRecall' | 'onIngest'
> {
  readonly dataDir: string;
  /** Whether background jobs run in this process. */
  readonly worker: boolean;
  readonly models: Models;
  readonly log: Log;
  readonly now: () => number;
}

export interface MemoryFile {
  readonly memoryId: string;
  readonly sizeBytes: number;
}

/** The memories of a folder, by id. */
export function listMemories(dataDir: string): MemoryFile[] {
  const ids = readdirSync(dataDir).flatMap((name) => /^memory_(.+)\.db$/.exec(name)?.[1] ?? []);
  return ids
    .toSorted()
    .map((memoryId) => ({ memoryId, sizeBytes: sizeOf(dataDir, memoryId) }))
    .filter(({ sizeBytes }) => sizeBytes > 0);
}

export function memoryExists(dataDir: string, memoryId: string): boolean {
  return sizeOf(dataDir, memoryId) > 0;
}

/** 0 when it is not there; also what is left of one whose making was cut off at once. */
function sizeOf(dataDir: string, memoryId: string): number {
  return statSync(memoryPath(dataDir, memoryId), { throwIfNoEntry: false })?.size ?? 0;
}

/** @throws MemoryError as `openMemory` does */
export async function openWithModels(
  options: OpeningOptions,
  memoryId: string,
  timeZone: string | undefined,
): Promise<Memory> {
  const { dataDir, worker, models, now, reorganize, profiles, onWorkerEvent, onRecall, onIngest } = options;
  const { witness, sensitive } = options;
  await models.settled();
  const notes = notesFolder(dataDir, memoryId);
  const wanted = models.embedder;
  const serving = await servingEmbedder(options, memoryId, wanted);
  const memory = await openMemory({
    dataDir,
    memoryId,
    embedder: serving,
    model: models.modelFor(memoryId, 'light'),
    recall: () => models.recallDefaults(memoryId),
    worker,
    now,
    ...(timeZone !== undefined && { timeZone }),
    ...(existsSync(notes) && { notes: { global: notes } }),
    onNotes: ({ skipped, warnings }) => {
      for (const { uri, message } of [...skipped, ...warnings]) options.log(`${uri}: ${message}`, 'warn');
    },
    ...(reorganize && { reorganize }),
    ...(profiles && { profiles }),
    ...(witness !== undefined && { witness }),
    ...(sensitive && { sensitive }),
    ...(onWorkerEvent && { onWorkerEvent }),
    ...(onRecall && { onRecall }),
    ...(onIngest && { onIngest }),
  });
  // A change while it was being opened reached only those that were open.
  await useModels(memory, options);
  return memory;
}

/** Where the notes of a memory lie that is no project's. One whose notes lie elsewhere is served without them. */
function notesFolder(dataDir: string, memoryId: string): string {
  return join(dataDir, memoryId === 'default' ? 'notes' : `notes_${memoryId}`);
}

/** The models that are chosen now, in place of those before. */
export async function useModels(
  memory: Memory,
  { models, log }: Pick<OpeningOptions, 'models' | 'log'>,
): Promise<void> {
  internals(memory).setModel(models.modelFor(memory.memoryId, 'light'));
  try {
    await internals(memory).setEmbedder(models.embedder);
  } catch (error) {
    log(`The memory ${memory.memoryId} keeps its embedder: ${(error as Error).message}`, 'warn');
  }
}

/** What the vectors that are there were made with: it serves until those of the embedder wanted are made. */
async function servingEmbedder(
  { dataDir, models }: OpeningOptions,
  memoryId: string,
  wanted: Embedder | null,
): Promise<Embedder | null> {
  if (wanted === null || !memoryExists(dataDir, memoryId)) return wanted;
  const peek = await openMemory({ dataDir, memoryId, embedder: null, learn: false, worker: false });
  try {
    const { vectorModel } = await peek.admin.info();
    if (vectorModel === null || vectorModel.id === wanted.id) return wanted;
    return await models.findEmbedder(vectorModel.id);
  } finally {
    await peek.close();
  }
}
