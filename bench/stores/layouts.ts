/** The databases of `bench/stores.ts`: the number of turns and memories, and their text. */
import { join } from 'node:path';
import { openMemory, type Memory, type MemoryOptions } from '../../src/engine/engine.ts';
import { generateTurns, type GeneratedTurn } from '../generate.ts';

export interface Layout {
  readonly name: string;
  readonly turns: number;
  readonly memories: number;
}

export const LAYOUTS: readonly Layout[] = [
  { name: 'k1', turns: 1_000, memories: 1 },
  { name: 'k10', turns: 10_000, memories: 1 },
  { name: 'k100', turns: 100_000, memories: 1 },
  { name: 'm1_in_10000', turns: 1_000_000, memories: 10_000 },
  { name: 'm1_in_100', turns: 1_000_000, memories: 100 },
  { name: 'm1_in_1', turns: 1_000_000, memories: 1 },
];

/** Number of memories of a layout with different text; the others repeat them. */
export const TEMPLATES = 10;
/** Largest number of memories of a layout that are open and asked at the same time. */
const MAX_ASKED = 20;

/** The memories that are queried, evenly spread over all. */
export function askedMemories({ memories }: Layout): number[] {
  const count = Math.min(memories, MAX_ASKED);
  return Array.from({ length: count }, (_, i) => Math.floor((i * memories) / count));
}

export type StoreName = 'SQLite' | 'PostgreSQL';

/** The location of a memory. */
export type Place = Required<Pick<MemoryOptions, 'dataDir'>> & Pick<MemoryOptions, 'store'>;

export function nameOf(memory: number): string {
  return `bench-${memory}`;
}

export function sqliteFolder(kept: string, { name }: Layout): string {
  return join(kept, 'sqlite', name);
}

/** Turns are added and vectors computed when the caller asks for it; nothing is learnt. */
export async function openBenchMemory(place: Place, memory: number): Promise<Memory> {
  return openMemory({
    ...place,
    memoryId: nameOf(memory),
    embedder: { provider: 'static' },
    worker: false,
    learn: false,
  });
}

/** The turns of each template. */
export function templatesOf({ turns, memories }: Layout): GeneratedTurn[][] {
  const each = turns / memories;
  const count = Math.min(memories, TEMPLATES);
  const said = [...generateTurns(each * count)];
  return Array.from({ length: count }, (_, i) => said.slice(i * each, (i + 1) * each));
}
