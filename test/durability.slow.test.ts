import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openMemory, type Memory } from '../src/engine/engine.ts';
import { turnAt, turnsOf, type IngestRequest } from './processes/ingest.ts';
import { seededRandom } from './seededRandom.ts';
import { temporaryFolder } from './temporary.ts';

const SCRIPT = fileURLToPath(new URL('processes/ingest.ts', import.meta.url));
const TURNS = 2_000;
const KILLS = Number(process.env['OMOIDE_KILLS'] ?? 5);

interface Run {
  readonly child: ChildProcess;
  /** Lines printed so far. */
  readonly lines: string[];
  readonly ended: Promise<void>;
}

/** @param limitBlocks the largest file the process may write, in blocks of 1,024 bytes */
function startIngest(request: IngestRequest, limitBlocks?: number): Run {
  const command = [process.execPath, SCRIPT, JSON.stringify(request)] as const;
  const limited = ['bash', '-c', `ulimit -f ${limitBlocks} && exec "$@"`, 'bash', ...command] as const;
  const [file, ...args] = limitBlocks === undefined ? command : limited;
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return { child, lines, ended };
}

/** The number of turns that a process reported as stored. */
function acknowledged(lines: readonly string[]): number {
  return Math.max(0, ...lines.map((line) => Number(/^kept (\d+)$/.exec(line)?.[1] ?? 0)));
}

async function open(dataDir: string): Promise<Memory> {
  const memory = await openMemory({
    dataDir,
    timeZone: 'UTC',
    embedder: { provider: 'hashed' },
    worker: false,
  });
  onTestFinished(() => memory.close());
  return memory;
}

/** The invariants after any failure: the stored turns are the first ones of the request, complete and in order. */
async function expectValid(memory: Memory, request: IngestRequest, atLeast: number): Promise<number> {
  const verification = await memory.admin.verify();
  expect(verification.problems).toEqual([]);
  expect(verification.turns).toBeGreaterThanOrEqual(atLeast);
  expect(verification.units).toBe(verification.turns);
  let turnIndex = 0;
  for await (const turn of memory.conversations.turns()) {
    const { text, speaker } = turnAt(request.conversationId, turnIndex);
    expect([turn.turnIndex, turn.text, turn.speaker]).toEqual([turnIndex, text, speaker]);
    turnIndex += 1;
  }
  const { turns, units, jobs, vectorModel } = await memory.admin.info();
  expect(turns).toBe(turnIndex);
  expect(units.episode).toBe(turnIndex);
  // Each episode has a vector, or a job that will make one.
  expect(jobs.queued + jobs.running + jobs.failed + (vectorModel?.count ?? 0)).toBeGreaterThanOrEqual(
    turnIndex,
  );
  return turnIndex;
}

async function expectCompletes(memory: Memory, request: IngestRequest, kept: number): Promise<void> {
  const report = await memory.add(turnsOf(request));
  expect(report).toMatchObject({ added: request.turns - kept, known: kept, problems: [] });
  expect(await expectValid(memory, request, request.turns)).toBe(request.turns);
}

async function until(condition: () => boolean, run: Run): Promise<void> {
  while (!condition() && run.child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe('killed while adding a conversation', () => {
  test.each(Array.from({ length: KILLS }, (_, i) => i + 1))('(%i) loses no acknowledged turn', async () => {
    const request = { dataDir: temporaryFolder(), conversationId: 'c', turns: TURNS };
    const run = startIngest(request);
    // The kill happens at any time between the creation of the memory and almost the end; within a batch by chance.
    const random = seededRandom();
    const batches = Math.floor(random() * 11) - 1;
    const delayMs = random() * 60;
    await until(
      () => (batches < 0 ? run.lines.includes('opening') : acknowledged(run.lines) >= batches * 256),
      run,
    );
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    run.child.kill('SIGKILL');
    await run.ended;
    const seen = `killed after ${batches} batches and ${delayMs} ms: ${run.lines.join(', ')}`;
    const memory = await open(request.dataDir);
    try {
      const kept = await expectValid(memory, request, acknowledged(run.lines));
      expect(kept % 256 === 0 || kept === TURNS).toBe(true);
      await expectCompletes(memory, request, kept);
    } catch (error) {
      throw new Error(seen, { cause: error });
    }
  });
});

/** A file system of this many bytes; null when this process may not mount one. */
function smallDisk(bytes: number): string | null {
  const folder = join(temporaryFolder(), 'disk');
  mkdirSync(folder);
  const mounted =
    spawnSync('sh', ['-c', 'mount -t tmpfs -o size="$1" tmpfs "$0"', folder, `${bytes}`]).status === 0;
  if (!mounted) return null;
  onTestFinished(() => void spawnSync('sh', ['-c', 'umount -l "$0"', folder]));
  return folder;
}

describe('a full disk', () => {
  test('is reported, loses no acknowledged turn, and once there is space the same memory works again', async (context) => {
    const disk = smallDisk(4_000_000);
    if (disk === null)
      return context.skip('only root may mount a small disk; the file size limit below stands in for it');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(2_500_000));
    const request = { dataDir: disk, conversationId: 'c', turns: TURNS };
    const memory = await open(disk);
    let acknowledged = 0;
    const call = memory.add(turnsOf(request), {
      onProgress: ({ read }) => (acknowledged = read),
    });
    await expect(call).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(acknowledged).toBeGreaterThan(0);
    const { turns } = await memory.admin.verify();
    expect(turns).toBe(acknowledged);
    rmSync(ballast);
    expect(await expectValid(memory, request, acknowledged)).toBe(acknowledged);
    const more = await memory.add([turnAt('c', acknowledged)]);
    expect(more).toMatchObject({ added: 1, problems: [] });
  });

  test('a file that may not grow gives an error with a code, and no acknowledged turn is lost', async () => {
    const request = { dataDir: temporaryFolder(), conversationId: 'c', turns: TURNS };
    const run = startIngest(request, 2_000);
    await run.ended;
    expect(run.lines.at(-1)).toMatch(/^error (?:DISK_FULL|STORE_FAILED)$/);
    expect(acknowledged(run.lines)).toBeGreaterThan(0);
    const memory = await open(request.dataDir);
    const kept = await expectValid(memory, request, acknowledged(run.lines));
    await expectCompletes(memory, request, kept);
  });
});

describe('two processes that write at the same time', () => {
  test('both finish, and turns that both add are stored once', async () => {
    const dataDir = temporaryFolder();
    const shared = { dataDir, conversationId: 'shared', turns: 1_000 };
    const requests = [shared, shared, { ...shared, conversationId: 'own' }];
    const runs = requests.map((request) => startIngest(request));
    await Promise.all(runs.map((run) => run.ended));
    const added = runs.map((run) => Number(/^done (\d+)$/.exec(run.lines.at(-1) ?? '')?.[1]));
    expect((added[0] ?? 0) + (added[1] ?? 0)).toBe(1_000);
    expect(added[2]).toBe(1_000);
    const memory = await open(dataDir);
    expect(await memory.admin.verify()).toMatchObject({ turns: 2_000, units: 2_000, problems: [] });
  });
});
