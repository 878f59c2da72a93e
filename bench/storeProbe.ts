/**
 * One measurement of `bench/stores.ts` in a process of its own. Takes a task as JSON in its first argument, prints the
 * result as JSON.
 */
import { internals, openMemory, type Memory, type MemoryOptions } from '../src/engine/engine.ts';
import { generateQueries, generateTurns } from './generate.ts';
import { spread, type Spread } from './spread.ts';

export type StorePlace = Required<Pick<MemoryOptions, 'dataDir'>> & Pick<MemoryOptions, 'store'>;

export type StoreTask =
  | { readonly probe: 'fill'; readonly place: StorePlace; readonly turns: number; readonly memories: number }
  | {
      readonly probe: 'recall';
      readonly places: Readonly<Record<string, StorePlace>>;
      readonly memories: number;
      readonly clients: number;
      readonly queries: number;
    };

export interface FillResult {
  readonly turnsPerSecond: number;
  readonly withVectorsPerSecond: number;
  readonly rssMb: number;
}

export type RecallResult = Readonly<Record<string, { readonly ms: Spread; readonly perSecond: number }>>;

const EMBEDDER = { provider: 'static' } as const;
const WARM_UP = 20;
/** Memories that are asked, of those that there are. */
const MAX_OPEN = 50;

const nameOf = (memory: number) => `bench-${memory}`;

function open(place: StorePlace, memory: number): Promise<Memory> {
  return openMemory({ ...place, memoryId: nameOf(memory), embedder: EMBEDDER, worker: false, learn: false });
}

async function fill({ place, turns, memories }: Extract<StoreTask, { probe: 'fill' }>): Promise<FillResult> {
  const each = Math.ceil(turns / memories);
  const said = [...generateTurns(each)];
  let addingMs = 0;
  let vectorsMs = 0;
  for (let i = 0; i < memories; i += 1) {
    const memory = await open(place, i);
    const startedAt = performance.now();
    await memory.add(said);
    const addedAt = performance.now();
    await internals(memory).settle();
    addingMs += addedAt - startedAt;
    vectorsMs += performance.now() - addedAt;
    await memory.close();
  }
  return {
    turnsPerSecond: (each * memories) / (addingMs / 1_000),
    withVectorsPerSecond: (each * memories) / ((addingMs + vectorsMs) / 1_000),
    rssMb: process.memoryUsage.rss() / 2 ** 20,
  };
}

/** The stores take turns, so that they share whatever else the machine is doing. */
async function recall(task: Extract<StoreTask, { probe: 'recall' }>): Promise<RecallResult> {
  const taken = new Map(Object.keys(task.places).map((name) => [name, { ms: [] as number[], wallMs: 0 }]));
  const count = Math.min(task.memories, MAX_OPEN);
  const opened = new Map<string, Memory[]>();
  for (const [name, place] of Object.entries(task.places)) {
    const memories = [];
    for (let i = 0; i < count; i += 1)
      memories.push(await open(place, Math.floor((i * task.memories) / count)));
    opened.set(name, memories);
  }
  const queries = generateQueries(WARM_UP + task.queries);
  for (let at = 0; at < queries.length; at += task.clients) {
    for (const [name, memories] of opened) {
      const startedAt = performance.now();
      const times = await Promise.all(
        queries.slice(at, at + task.clients).map(async ({ text, context }, i) => {
          const before = performance.now();
          await memories[(at + i) % count]?.recall(text, { context });
          return performance.now() - before;
        }),
      );
      const sample = taken.get(name);
      if (at < WARM_UP || !sample) continue;
      sample.ms.push(...times);
      sample.wallMs += performance.now() - startedAt;
    }
  }
  for (const memories of opened.values()) for (const memory of memories) await memory.close();
  return Object.fromEntries(
    [...taken].map(([name, { ms, wallMs }]) => [
      name,
      { ms: spread(ms), perSecond: ms.length / (wallMs / 1_000) },
    ]),
  );
}

const task = JSON.parse(process.argv[2] ?? '{}') as StoreTask;
const result = task.probe === 'fill' ? await fill(task) : await recall(task);
process.stdout.write(JSON.stringify(result));
