import { readdirSync, statSync } from 'node:fs';
import {
  checkMemoryId,
  MemoryError,
  memoryPath,
  openMemory,
  type Memory,
  type WorkerEvent,
} from '../engine/engine.ts';
import type { Settings } from './settings.ts';
import { printNote } from './terminal.ts';

export interface OpenOptions {
  /** Whether vectors are made or searched. A command that does neither does not load a model. */
  readonly embeds: boolean;
  readonly onWorkerEvent?: (event: WorkerEvent) => void;
}

/** Opens the memory, making it when it is not there. Jobs run only while a command settles them. */
export async function openOrMake(settings: Settings, options: OpenOptions): Promise<Memory> {
  const { embedder, timeZone } = settings;
  const memory = await openMemory({
    dataDir: settings.dataDir,
    memoryId: settings.memoryId,
    worker: false,
    ...(options.embeds ? embedder !== undefined && { embedder } : { embedder: null }),
    ...(timeZone !== undefined && { timeZone }),
    ...(options.onWorkerEvent && { onWorkerEvent: options.onWorkerEvent }),
  });
  if (timeZone !== undefined && timeZone !== memory.timeZone) {
    printNote(`the memory was made with time zone ${memory.timeZone}, and keeps it.`);
  }
  return memory;
}

/**
 * Opens a memory that is there.
 * @throws MemoryError NOT_FOUND, and what `openMemory` throws
 */
export async function openExisting(settings: Settings, options: OpenOptions): Promise<Memory> {
  requireMemory(settings);
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

/** @throws MemoryError NOT_FOUND, INVALID_ID */
export function requireMemory({ dataDir, memoryId }: Settings): void {
  if (memoryExists({ dataDir, memoryId })) return;
  const others = listMemories(dataDir);
  const there = others.length > 0 ? ` There is: ${others.join(', ')}.` : '';
  throw new MemoryError(
    'NOT_FOUND',
    `There is no memory ${JSON.stringify(memoryId)} in ${dataDir}.${there} “omoide ingest FILE” makes one.`,
  );
}

/** A file of no bytes is what is left of a memory whose making was cut off at once: there is nothing in it. */
export function memoryExists({ dataDir, memoryId }: Pick<Settings, 'dataDir' | 'memoryId'>): boolean {
  const file = statSync(memoryPath(dataDir, checkMemoryId(memoryId)), { throwIfNoEntry: false });
  return file !== undefined && file.size > 0;
}

const MOST_LISTED = 10;

function listMemories(dataDir: string): string[] {
  try {
    return readdirSync(dataDir)
      .flatMap((name) => /^memory_(.+)\.db$/.exec(name)?.[1] ?? [])
      .filter((memoryId) => memoryExists({ dataDir, memoryId }))
      .slice(0, MOST_LISTED);
  } catch {
    return [];
  }
}
