/** The checks of `doctor`. They change nothing except what they remove again. */
import { makeTemporaryFolder, messageOf } from '../model/model.ts';
import { constants } from 'node:fs';
import { access, rm, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  internals,
  isMemoryError,
  openEmbedder,
  openLanguageModel,
  openMemory,
  type Embedder,
  type Job,
  type Memory,
  type MemoryError,
} from '../engine/engine.ts';
import { formatDerived } from './derived.ts';
import { embedderOf, modelOf, placeOf, requireMemory, using } from './opening.ts';
import type { Settings } from './settings.ts';
import { countOf } from './terminal.ts';

export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** The first version in which the server decides which connections become WebSockets. */
const OLDEST_NODE = [24, 9] as const;
const MIB = 1_048_576;
const LITTLE_SPACE_MIB = 1_024;
const NO_SPACE_MIB = 50;

export function checkNode(): Check {
  const { node } = process.versions;
  const message = `${node} on ${process.platform} ${process.arch}`;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isNewEnough = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  if (isNewEnough) return { name: 'node', status: 'ok', message };
  return {
    name: 'node',
    status: 'fail',
    message,
    advice: `Install Node.js ${OLDEST_NODE.join('.')} or newer.`,
  };
}

/** A temporary memory tests SQLite, FTS5 and sqlite-vec: it stores a turn, indexes it and finds it. */
export async function checkSqlite(): Promise<Check> {
  const name = 'sqlite';
  const dataDir = makeTemporaryFolder('doctor');
  try {
    const trial = await openMemory({ dataDir, embedder: { provider: 'hashed' }, worker: false });
    const vectors = await using(trial, async (memory) => {
      await memory.add({
        conversationId: 'trial',
        speaker: 'user',
        text: 'The bridge swayed in the wind.',
      });
      await internals(memory).settle();
      const { hits, metadata } = await memory.recall('bridge');
      return hits.length === 1 ? metadata.vectors : 'nothing found';
    });
    const isWell = vectors === 'used';
    const message = `SQLite ${process.versions['sqlite']} with FTS5 and sqlite-vec stores and finds a turn`;
    return isWell
      ? { name, status: 'ok', message }
      : failing(name, `a test memory does not find its turn (${vectors})`);
  } catch (error) {
    return failing(
      name,
      reasonOf(error),
      'Reinstall Omoide: a part of it is missing or does not match this machine.',
    );
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

export async function checkDataDir(dataDir: string): Promise<Check> {
  const name = 'data';
  const there = await nearestFolder(dataDir);
  try {
    await access(there, constants.W_OK | constants.X_OK);
    if (!(await stat(there)).isDirectory()) throw new Error(`${there} is not a folder`);
    return {
      name,
      status: 'ok',
      message: there === resolve(dataDir) ? dataDir : `${dataDir}, created when first needed`,
    };
  } catch (error) {
    const advice = 'Make it writable, or give another folder with --data or OMOIDE_DATA.';
    return failing(name, `${dataDir} cannot be written to: ${reasonOf(error)}`, advice);
  }
}

export async function checkDisk(dataDir: string): Promise<Check> {
  const name = 'disk';
  const { bavail, bsize } = await statfs(await nearestFolder(dataDir));
  const freeMib = (bavail * bsize) / MIB;
  const message = `${(freeMib / 1_024).toFixed(1)} GiB free`;
  if (freeMib >= LITTLE_SPACE_MIB) return { name, status: 'ok', message };
  const advice = 'Free some space: ten thousand turns take about 40 MiB.';
  return { name, status: freeMib < NO_SPACE_MIB ? 'fail' : 'warn', message, advice };
}

/** The folder, or its nearest existing parent. */
async function nearestFolder(folder: string): Promise<string> {
  for (let path = resolve(folder); ; path = dirname(path)) {
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    if (isThere || path === dirname(path)) return path;
  }
}

export async function checkEmbedder(
  settings: Settings,
): Promise<{ embedder: Embedder | null; check: Check }> {
  const name = 'embedder';
  const embedder = embedderOf(settings);
  if (embedder === null) {
    return {
      embedder: null,
      check: { name, status: 'ok', message: 'none, as configured: recall uses keywords only' },
    };
  }
  try {
    const opened = await openEmbedder(embedder);
    const [vector] = await opened.embed(['思い出'], 'query');
    return {
      embedder: opened,
      check: { name, status: 'ok', message: `${opened.id}, ${vector?.length} dimensions` },
    };
  } catch (error) {
    const advice =
      'Until it answers, recall uses keywords only. Choose another one with --embedder or OMOIDE_EMBEDDER.';
    return { embedder: null, check: failing(name, reasonOf(error), advice) };
  }
}

/** Time limit for one word of a language model, in milliseconds, including the time to load it. */
const MODEL_WAIT_MS = 30_000;

/** Requests one word from the language model. */
export async function checkModel(settings: Settings): Promise<Check> {
  const name = 'model';
  const chosen = modelOf(settings);
  if (chosen === null) {
    return {
      name,
      status: 'ok',
      message: 'none: learning uses rules, and chat gives no answers',
    };
  }
  try {
    const model = openLanguageModel(chosen);
    const messages = [{ role: 'user', content: 'Answer with the word “ready”.' }] as const;
    await model.generateText({ purpose: 'doctor', messages }, AbortSignal.timeout(MODEL_WAIT_MS));
    return { name, status: 'ok', message: `${model.id} answers` };
  } catch (error) {
    const advice =
      'Until it answers, nothing is learnt and chat gives no answers. Choose another one with --model or OMOIDE_LIGHT_MODEL.';
    return failing(name, reasonOf(error), advice);
  }
}

/** Opens the memory, if it exists, and checks everything in it. */
export async function checkMemory(settings: Settings, embedder: Embedder | null): Promise<Check[]> {
  const name = 'memory';
  let memory: Memory;
  try {
    await requireMemory(settings);
    memory = await openMemory({ ...placeOf(settings), memoryId: settings.memoryId, embedder, worker: false });
  } catch (error) {
    if (!isMemoryError(error)) return [failing(name, reasonOf(error))];
    return [failing(name, `${error.code}: ${error.message}`, OPENING_ADVICE[error.code])];
  }
  return using(memory, async () => {
    const info = await memory.admin.info();
    const size = `${[countOf(info.turns, 'turn'), ...formatDerived(info.units)].join(', ')}, ${(info.sizeBytes / MIB).toFixed(1)} MiB, schema ${info.schemaVersion}`;
    return [
      { name, status: 'ok', message: `${info.location}: ${size}, time zone ${info.timeZone}` },
      await checkIntegrity(memory),
      checkVectors(info, embedder),
      await checkJobs(memory),
    ];
  });
}

const OPENING_ADVICE: Partial<Record<MemoryError['code'], string>> = {
  MEMORY_TOO_NEW: 'Update Omoide.',
  NOT_A_MEMORY:
    'Move the file away and restore a copy: “omoide restore” reads a backup, “omoide import” an export.',
  READ_ONLY: 'Make the file and its folder writable.',
  DISK_FULL: 'Make room.',
  BUSY: 'Wait until the other process has finished, or end it.',
};

type Info = Awaited<ReturnType<Memory['admin']['info']>>;

async function checkIntegrity(memory: Memory): Promise<Check> {
  const name = 'integrity';
  const { problems, turns } = await memory.admin.verify();
  const [first] = problems;
  if (!first)
    return {
      name,
      status: 'ok',
      message: `the chain of ${countOf(turns, 'turn')} is valid, the indexes are consistent`,
    };
  const advice = problems.some(({ code }) => code === 'CHAIN_BROKEN')
    ? 'Turns were changed or removed: restore a backup of the memory. “omoide verify” lists the problems.'
    : '“omoide rebuild --from turns” rebuilds derived data.';
  return failing(name, `${countOf(problems.length, 'problem')}, the first: ${first.message}`, advice);
}

function checkVectors({ vectorModel, turns }: Info, embedder: Embedder | null): Check {
  const name = 'vectors';
  if (!vectorModel) {
    const message = 'there are none: recall uses keywords only';
    return turns === 0 ? { name, status: 'ok', message } : { name, status: 'warn', message, advice: REBUILD };
  }
  const message = `${countOf(vectorModel.count, 'vector')} of ${vectorModel.id}, ${vectorModel.dimensions} dimensions`;
  if (!embedder || embedder.id === vectorModel.id) return { name, status: 'ok', message };
  const advice = `Give their model with --embedder, or recompute them with ${embedder.id}: “omoide rebuild”.`;
  return failing(name, `${message}, which is not the embedder's`, advice);
}

const REBUILD = '“omoide rebuild” creates them.';

/** Jobs scheduled for a later day are not a problem. */
async function checkJobs(memory: Memory): Promise<Check> {
  const name = 'jobs';
  const { queued, running, failed } = await memory.jobs.count();
  const [first] = await memory.jobs.list({ status: 'failed', limit: 1 });
  const reason = first?.lastError ? `, one because: ${first.lastError}` : '';
  const message = `${queued} waiting, ${running} running, ${failed} failed${reason}`;
  const advice = '“omoide rebuild” retries them, “omoide jobs” shows them.';
  if (failed > 0) return { name, status: 'warn', message, advice };
  const isDue =
    queued > 0 && (await memory.jobs.list({ status: 'queued', limit: JOBS_LOOKED_AT })).some(isLeft);
  if (!isDue) return { name, status: 'ok', message };
  return {
    name,
    status: 'warn',
    message,
    advice: '“omoide rebuild” or a running server runs them.',
  };
}

const JOBS_LOOKED_AT = 1_000;

function isLeft({ runAfter }: Job): boolean {
  return runAfter <= Date.now();
}

function failing(name: string, message: string, advice?: string): Check {
  return { name, status: 'fail', message, ...(advice !== undefined && { advice }) };
}

function reasonOf(error: unknown): string {
  return messageOf(error);
}
