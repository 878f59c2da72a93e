/**
 * What a start costs: CPU time and wall time of `omoide --version` and of a cold `omoide recall`, next to those of Node alone.
 *
 *     npm run build && node bench/start.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
const environment = { ...process.env, OMOIDE_DATA: join(folder, 'data') };

function run(args: readonly string[]): number {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env: environment, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - startedAt;
}

function medianMs(args: readonly string[]): number {
  run(args);
  const times = Array.from({ length: ROUNDS }, () => run(args));
  return times.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0;
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
  const node = medianMs(['-e', '0']);
  const version = medianMs([CLI, '--version']);
  const recall = medianMs([CLI, 'recall', 'the bridge in Nasu']);
  process.stdout.write(
    `node -e 0         ${node.toFixed(0)} ms\n` +
      `omoide --version  ${version.toFixed(0)} ms, ${(version - node).toFixed(0)} ms more\n` +
      `omoide recall     ${recall.toFixed(0)} ms, ${TURNS} turns, compile cache warm\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
