/** A process of `measure.ts` that has memories of one store open and runs commands one at a time. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { internals, type Memory } from '../../src/engine/engine.ts';
import { generateTurns, type GeneratedQuery } from '../generate.ts';
import { openBenchMemory, type Place } from './layouts.ts';

export type ProbeTask =
  | { readonly do: 'open'; readonly place: Place; readonly memories: readonly number[] }
  | { readonly do: 'recall'; readonly memory: number; readonly query: GeneratedQuery }
  | { readonly do: 'rest' }
  | { readonly do: 'add'; readonly turns: number }
  | { readonly do: 'close' };

export interface ProbeAnswer {
  readonly ms: number;
  /** For `add`: including the time until the vectors exist. */
  readonly withVectorsMs: number;
  /** CPU time of the process. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

const MAX_COPYING_MS = 30_000;

const opened: Memory[] = [];

async function run(task: ProbeTask): Promise<ProbeAnswer> {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  let doneAt = 0;
  switch (task.do) {
    case 'open':
      for (const memory of task.memories) opened.push(await openBenchMemory(task.place, memory));
      break;
    case 'recall':
      await opened[task.memory]?.recall(task.query.text, { context: task.query.context });
      break;
    case 'rest':
      for (const memory of opened) await untilCopied(memory);
      break;
    case 'add':
      doneAt = await add(task.turns);
      break;
    case 'close':
      for (const memory of opened) await memory.close();
  }
  const endedAt = performance.now();
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    ms: (doneAt || endedAt) - startedAt,
    withVectorsMs: endedAt - startedAt,
    cpuMs: (user + system) / 1_000,
    rssBytes: process.memoryUsage.rss(),
  };
}

/** Waits for the copy that PostgreSQL's store makes in the background, if it makes one. */
async function untilCopied(memory: Memory): Promise<void> {
  const { store } = internals(memory);
  for (let waited = 0; store.copiedBytes === 0 && waited < MAX_COPYING_MS; waited += 100) await pause(100);
}

/** To the first memory, in new conversations. Returns when the turns are stored. */
async function add(turns: number): Promise<number> {
  const memory = opened[0];
  if (!memory) throw new Error('No memory is open.');
  const run = randomUUID();
  const said = [...generateTurns(turns)];
  await memory.add(said.map((turn) => ({ ...turn, conversationId: `${run} ${turn.conversationId}` })));
  const addedAt = performance.now();
  await internals(memory).settle();
  return addedAt;
}

process.on('message', (task: ProbeTask) => {
  void run(task).then((answer) => process.send?.(answer));
});
