/**
 * Measures a start: wall time and CPU time of `omoide --version` and of a cold `omoide recall`, next to those of Node
 * alone.
 *
 *     npm run build && node bench/start.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../dist/cli/cli.js', import.meta.url));
const TURNS = 10_000;
const ROUNDS = 7;
const WORDS = 'tent river coffee Anna trip Nasu bridge hotel rain music dog bread winter book garden'.split(
  ' ',
);

const folder = mkdtempSync(join(tmpdir(), 'omoide-start-'));
const environment = { ...process.env, OMOIDE_DATA: join(folder, 'data'), CPU_FILE: join(folder, 'cpu') };

/** Writes the CPU time of a process, in microseconds, to the file named in the environment. */
const NOTE_CPU = `data:text/javascript,${encodeURIComponent(
  `import { writeFileSync } from 'node:fs';
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    writeFileSync(process.env.CPU_FILE, String(user + system));
  });`,
)}`;

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

function run(args: readonly string[]): Cost {
  const startedAt = performance.now();
  const all = ['--import', NOTE_CPU, ...args];
  const { status, stderr } = spawnSync(process.execPath, all, { env: environment, encoding: 'utf8' });
  const wallMs = performance.now() - startedAt;
  if (status !== 0) throw new Error(stderr);
  return { wallMs, cpuMs: Number(readFileSync(environment.CPU_FILE, 'utf8')) / 1_000 };
}

/** The median of several runs, after one that fills caches. */
function measure(args: readonly string[]): Cost {
  run(args);
  const costs = Array.from({ length: ROUNDS }, () => run(args));
  const median = (of: (cost: Cost) => number) => costs.map(of).toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0;
  return { wallMs: median((cost) => cost.wallMs), cpuMs: median((cost) => cost.cpuMs) };
}

function format({ wallMs, cpuMs }: Cost): string {
  return `${wallMs.toFixed(0).padStart(5)} ms, CPU ${cpuMs.toFixed(0).padStart(5)} ms`;
}

try {
  const lines = Array.from({ length: TURNS }, (_, i) => {
    const content = WORDS.map((_, k) => WORDS[(i * 7 + k * k * 3 + Math.floor(i / 13)) % WORDS.length])
      .slice(0, 7)
      .join(' ');
    const conversation = `c${Math.floor(i / 50)}`;
    return JSON.stringify({
      speaker: i % 2 ? 'ai' : 'user',
      content: `${content} ${i}`,
      timestamp: 1_704_000_000 + i * 600,
      conversation,
    });
  });
  writeFileSync(join(folder, 'turns.jsonl'), lines.join('\n'));
  run([CLI, 'ingest', join(folder, 'turns.jsonl'), '--no-learn']);
  const node = measure(['-e', '0']);
  const version = measure([CLI, '--version']);
  const recall = measure([CLI, 'recall', 'the bridge in Nasu']);
  process.stdout.write(
    `node -e 0         ${format(node)}\n` +
      `omoide --version  ${format(version)}; ${(version.wallMs - node.wallMs).toFixed(0)} ms more than node\n` +
      `omoide recall     ${format(recall)}; ${TURNS} turns, compile cache warm\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
