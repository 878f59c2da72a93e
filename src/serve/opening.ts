/** Opens memories with the models that the settings choose, and updates these models. */
import { messageOf } from '../model/model.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  defined,
  internals,
  openMemoryWith,
  type Memory,
  type MemoryOptions,
  type SensitivePolicy,
} from '../engine/engine.ts';
import type { Log } from './log.ts';
import type { Models } from './models.ts';

/** Options of a server or worker that every memory is opened with. */
const SHARED = [
  'store',
  'timeZone',
  'vectorIndex',
  'reorganize',
  'profiles',
  'witness',
  'archive',
  'retention',
  'onWorkerEvent',
  'onRecall',
  'onIngest',
] as const satisfies readonly (keyof MemoryOptions)[];
export interface SharedOptions extends Pick<MemoryOptions, Exclude<(typeof SHARED)[number], `on${string}`>> {
  /** For memories without a setting of their own; default `mask`. */
  readonly sensitive?: SensitivePolicy;
}

export interface OpeningOptions extends SharedOptions, Pick<MemoryOptions, (typeof SHARED)[number]> {
  readonly dataDir: string;
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
  timeZone = options.timeZone,
): Promise<Memory> {
  const { dataDir, worker, models, now } = options;
  await models.settled();
  const notes = notesFolder(dataDir, memoryId);
  const shared: Pick<MemoryOptions, (typeof SHARED)[number]> = Object.fromEntries(
    SHARED.map((name) => [name, options[name]]),
  );
  const settings: MemoryOptions = {
    ...defined({ ...shared, timeZone }),
    dataDir,
    memoryId,
    embedder: models.embedder,
    model: models.modelFor(memoryId, 'light'),
    recall: () => models.recallDefaults(memoryId),
    sensitive: () => models.sensitivePolicy(memoryId) ?? options.sensitive ?? 'mask',
    worker,
    now,
    ...(existsSync(notes) && { notes: { global: notes } }),
    onNotes: ({ skipped, warnings }) => {
      for (const { uri, message } of [...skipped, ...warnings]) options.log(`${uri}: ${message}`, 'warn');
    },
  };
  const memory = await openMemoryWith(settings, (modelId) => models.findEmbedder(modelId));
  // A change of the settings during the opening only reached memories that were already open.
  await useModels(memory, options);
  return memory;
}

/** The folder of a memory's notes. A memory of a project, whose notes are elsewhere, is served without them. */
function notesFolder(dataDir: string, memoryId: string): string {
  return join(dataDir, memoryId === 'default' ? 'notes' : `notes_${memoryId}`);
}

/** Sets the currently chosen models. */
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
