/** Opens memories with the models that the settings choose, and keeps them with those. */
import { messageOf } from '../model/model.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  internals,
  memoryExists,
  openMemory,
  type Embedder,
  type Memory,
  type MemoryOptions,
} from '../engine/engine.ts';
import type { Log } from './log.ts';
import type { Models } from './models.ts';

export interface OpeningOptions extends Pick<
  MemoryOptions,
  'reorganize' | 'profiles' | 'witness' | 'archive' | 'sensitive' | 'onWorkerEvent' | 'onRecall' | 'onIngest'
> {
  readonly dataDir: string;
  /** The database in which the memories are kept, in place of files in the folder. */
  readonly store?: string;
  /** Whether background jobs run in this process. */
  readonly worker: boolean;
  readonly models: Models;
  readonly log: Log;
  readonly now: () => number;
}

/** @throws MemoryError as `openMemory` does */
export async function openWithModels(
  options: OpeningOptions,
  memoryId: string,
  timeZone: string | undefined,
): Promise<Memory> {
  const { dataDir, worker, models, now, reorganize, profiles, onWorkerEvent, onRecall, onIngest } = options;
  const { store, witness, archive, sensitive } = options;
  await models.settled();
  const notes = notesFolder(dataDir, memoryId);
  const wanted = models.embedder;
  const serving = await servingEmbedder(options, memoryId, wanted);
  const memory = await openMemory({
    dataDir,
    ...(store !== undefined && { store }),
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
    ...(archive !== undefined && { archive }),
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
    log(`The memory ${memory.memoryId} keeps its embedder: ${messageOf(error)}`, 'warn');
  }
}

/** What the vectors that are there were made with: it serves until those of the embedder wanted are made. */
async function servingEmbedder(
  { dataDir, store, models }: OpeningOptions,
  memoryId: string,
  wanted: Embedder | null,
): Promise<Embedder | null> {
  if (wanted === null || !(await memoryExists({ dataDir, store }, memoryId))) return wanted;
  const place = { dataDir, ...(store !== undefined && { store }) };
  const peek = await openMemory({ ...place, memoryId, embedder: null, learn: false, worker: false });
  try {
    const { vectorModel } = await peek.admin.info();
    if (vectorModel === null || vectorModel.id === wanted.id) return wanted;
    return await models.findEmbedder(vectorModel.id);
  } finally {
    await peek.close();
  }
}
