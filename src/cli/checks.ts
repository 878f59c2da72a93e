/** The checks of `doctor`. They change nothing except what they remove again. */
import { makeTemporaryFolder, messageOf } from '../model/model.ts';
import { constants, existsSync } from 'node:fs';
import { access, rm, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  defined,
  internals,
  isMemoryError,
  openEmbedder,
  openLanguageModel,
  openMemory,
  type Embedder,
  type Memory,
  type MemoryError,
  type MemoryInfo,
} from '../engine/engine.ts';
import { formatDerived } from './derived.ts';
import { embedderOf, modelOf, placeOf, requireMemory, withMemory } from './opening.ts';
import type { Settings } from './settings.ts';
import { countOf } from './terminal.ts';

export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly advice?: string;
}
type Finding = Omit<Check, 'name'>;

const ok = (message: string): Finding => ({ status: 'ok', message });
const warning = (message: string, advice: string): Finding => ({ status: 'warn', message, advice });
const failure = (message: string, advice?: string): Finding => ({
  status: 'fail',
  message,
  ...defined({ advice }),
});

/** The first version in which the server decides which connections become WebSockets. */
const OLDEST_NODE = [24, 9] as const;
const MIB = 1_048_576;
const LITTLE_SPACE_MIB = 1_024;
const NO_SPACE_MIB = 50;

/** All checks, in the order in which they are shown. */
export async function runChecks(settings: Settings): Promise<Check[]> {
  const { dataDir } = settings;
  const { embedder, finding } = await checkEmbedder(settings);
  const findings = {
    node: checkNode(),
    sqlite: await checkSqlite(),
    data: await checkDataDir(dataDir),
    disk: await checkDisk(dataDir),
    embedder: finding,
    model: await checkModel(settings),
    ...(await checkMemory(settings, embedder)),
  };
  return Object.entries(findings).map(([name, each]) => ({ name, ...each }));
}

function checkNode(): Finding {
  const { node } = process.versions;
  const message = `${node} on ${process.platform} ${process.arch}`;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isNewEnough = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return isNewEnough ? ok(message) : failure(message, `Install Node.js ${OLDEST_NODE.join('.')} or newer.`);
}

/** A temporary memory tests SQLite, FTS5 and sqlite-vec: it stores a turn, indexes it and finds it. */
async function checkSqlite(): Promise<Finding> {
  const dataDir = makeTemporaryFolder('doctor');
  try {
    const trial = await openMemory({ dataDir, embedder: { provider: 'hashed' }, worker: false });
    const vectors = await withMemory(trial, async (memory) => {
      const text = 'The bridge swayed in the wind.';
      await memory.add({ conversationId: 'trial', speaker: 'user', text });
      await internals(memory).settle();
      const { hits, metadata } = await memory.recall('bridge');
      return hits.length === 1 ? metadata.vectors : 'nothing found';
    });
    return vectors === 'used'
      ? ok(`SQLite ${process.versions['sqlite']} with FTS5 and sqlite-vec stores and finds a turn`)
      : failure(`a test memory does not find its turn (${vectors})`);
  } catch (error) {
    const advice = 'Reinstall Omoide: a part of it is missing or does not match this machine.';
    return failure(messageOf(error), advice);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function checkDataDir(dataDir: string): Promise<Finding> {
  const there = await nearestFolder(dataDir);
  try {
    await access(there, constants.W_OK | constants.X_OK);
    if (!(await stat(there)).isDirectory()) throw new Error(`${there} is not a folder`);
    return ok(there === resolve(dataDir) ? dataDir : `${dataDir}, created when first needed`);
  } catch (error) {
    const advice = 'Make it writable, or give another folder with --data or OMOIDE_DATA.';
    return failure(`${dataDir} cannot be written to: ${messageOf(error)}`, advice);
  }
}

async function checkDisk(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestFolder(dataDir));
  const freeMib = (bavail * bsize) / MIB;
  const message = `${(freeMib / 1_024).toFixed(1)} GiB free`;
  if (freeMib >= LITTLE_SPACE_MIB) return ok(message);
  const advice = 'Free some space: ten thousand turns take about 40 MiB.';
  return freeMib < NO_SPACE_MIB ? failure(message, advice) : warning(message, advice);
}

/** The folder, or its nearest existing parent. */
async function nearestFolder(folder: string): Promise<string> {
  for (let path = resolve(folder); ; path = dirname(path))
    if (existsSync(path) || path === dirname(path)) return path;
}

async function checkEmbedder(settings: Settings): Promise<{ embedder: Embedder | null; finding: Finding }> {
  const chosen = embedderOf(settings);
  if (chosen === null)
    return { embedder: null, finding: ok('none, as configured: recall uses keywords only') };
  try {
    const embedder = await openEmbedder(chosen);
    const [vector] = await embedder.embed(['思い出'], 'query');
    return { embedder, finding: ok(`${embedder.id}, ${vector?.length} dimensions`) };
  } catch (error) {
    const advice =
      'Until it answers, recall uses keywords only. Choose another one with --embedder or OMOIDE_EMBEDDER.';
    return { embedder: null, finding: failure(messageOf(error), advice) };
  }
}

/** Time limit for one word of a language model, in milliseconds, including the time to load it. */
const MODEL_WAIT_MS = 30_000;

/** Requests one word from the language model. */
async function checkModel(settings: Settings): Promise<Finding> {
  const chosen = modelOf(settings);
  if (chosen === null) return ok('none: learning uses rules, and chat gives no answers');
  try {
    const model = openLanguageModel(chosen);
    const messages = [{ role: 'user', content: 'Answer with the word “ready”.' }] as const;
    await model.generateText({ purpose: 'doctor', messages }, AbortSignal.timeout(MODEL_WAIT_MS));
    return ok(`${model.id} answers`);
  } catch (error) {
    const advice =
      'Until it answers, nothing is learnt and chat gives no answers. Choose another one with --model or OMOIDE_LIGHT_MODEL.';
    return failure(messageOf(error), advice);
  }
}

/** Opens the memory, if it exists, and checks everything in it. */
async function checkMemory(
  settings: Settings,
  embedder: Embedder | null,
): Promise<Readonly<Record<string, Finding>>> {
  let memory: Memory;
  try {
    await requireMemory(settings);
    memory = await openMemory({ ...placeOf(settings), memoryId: settings.memoryId, embedder, worker: false });
  } catch (error) {
    if (!isMemoryError(error)) return { memory: failure(messageOf(error)) };
    // Messages about PostgreSQL have said what to do.
    const advice = error.message.startsWith('PostgreSQL') ? undefined : OPENING_ADVICE[error.code];
    return { memory: failure(`${error.code}: ${error.message}`, advice) };
  }
  return withMemory(memory, async () => {
    const info = await memory.admin.info();
    const size = `${[countOf(info.turns, 'turn'), ...formatDerived(info.units)].join(', ')}, ${(info.sizeBytes / MIB).toFixed(1)} MiB, schema ${info.schemaVersion}`;
    return {
      memory: ok(`${info.location}: ${size}, time zone ${info.timeZone}`),
      integrity: await checkIntegrity(memory),
      vectors: checkVectors(info, embedder),
      jobs: await checkJobs(memory),
    };
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

async function checkIntegrity(memory: Memory): Promise<Finding> {
  const { problems, turns } = await memory.admin.verify();
  const [first] = problems;
  if (!first) return ok(`the chain of ${countOf(turns, 'turn')} is valid, the indexes are consistent`);
  const advice = problems.some(({ code }) => code === 'CHAIN_BROKEN')
    ? 'Turns were changed or removed: restore a backup of the memory. “omoide verify” lists the problems.'
    : '“omoide rebuild --from turns” rebuilds derived data.';
  return failure(`${countOf(problems.length, 'problem')}, the first: ${first.message}`, advice);
}

function checkVectors({ vectorModel, turns }: MemoryInfo, embedder: Embedder | null): Finding {
  if (!vectorModel) {
    const message = 'there are none: recall uses keywords only';
    return turns === 0 ? ok(message) : warning(message, '“omoide rebuild” creates them.');
  }
  const message = `${countOf(vectorModel.count, 'vector')} of ${vectorModel.id}, ${vectorModel.dimensions} dimensions`;
  if (!embedder || embedder.id === vectorModel.id) return ok(message);
  const advice = `Give their model with --embedder, or recompute them with ${embedder.id}: “omoide rebuild”.`;
  return failure(`${message}, which is not the embedder's`, advice);
}

const MAX_JOBS = 1_000;

/** Jobs scheduled for a later day are not a problem. */
async function checkJobs({ jobs }: Memory): Promise<Finding> {
  const { queued, running, failed } = await jobs.count();
  const [first] = await jobs.list({ status: 'failed', limit: 1 });
  const reason = first?.lastError ? `, one because: ${first.lastError}` : '';
  const message = `${queued} waiting, ${running} running, ${failed} failed${reason}`;
  if (failed > 0) return warning(message, '“omoide rebuild” retries them, “omoide jobs” shows them.');
  const waiting = queued > 0 ? await jobs.list({ status: 'queued', limit: MAX_JOBS }) : [];
  const isDue = waiting.some(({ runAfter }) => runAfter <= Date.now());
  return isDue ? warning(message, '“omoide rebuild” or a running server runs them.') : ok(message);
}
