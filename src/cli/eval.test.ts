import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCommand, type Ended } from '../../test/cli/runCommand.ts';

let folder: string;
let set: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'omoide-evalcli-'));
  set = writeSet('talks');
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** Two conversations; the gold is the newest turn on a subject, which `fast` does not rank by first. */
function writeSet(name: string): string {
  const subjects = ['zebra', 'violin', 'kettle', 'lantern', 'orchid', 'saddle', 'anchor', 'pepper'];
  const fillers = [
    '',
    ' at last',
    ' by the old river',
    ' near the market in the rain',
    ' once more',
    ' and then home',
  ];
  const history: object[] = [];
  const queries: object[] = [];
  for (const conv_id of ['a', 'b']) {
    for (const [s, subject] of subjects.entries()) {
      for (const [t, filler] of fillers.entries()) {
        // The conversations differ in which turn is the newest.
        const day = 1 + ((t * 5 + s + (conv_id === 'a' ? 0 : 3)) % fillers.length);
        const timestamp = `2026-04-${String(day * 4).padStart(2, '0')}T10:00:00Z`;
        const text = `${subject}${filler}, day ${day}`;
        history.push({
          conv_id,
          session_id: `${s}`,
          turn_id: `${s}-${day}`,
          speaker: 'Ann',
          text,
          timestamp,
        });
      }
      const evidence = [`${s}-${fillers.length}`];
      queries.push({ query_id: `${conv_id}${s}`, conv_id, text: subject, asked_at: '2026-04-25', evidence });
    }
  }
  const path = join(folder, name);
  mkdirSync(path);
  const lines = (of: readonly object[]) => of.map((line) => JSON.stringify(line)).join('\n');
  writeFileSync(join(path, 'history.jsonl'), lines(history));
  writeFileSync(join(path, 'queries.jsonl'), lines(queries));
  return path;
}

const omoide = (...args: string[]): Promise<Ended> => runCommand(...args, '--embedder', 'none');

test('tuning writes a profile, which eval loads and compares', async () => {
  const file = join(folder, 'newest first.json');
  const tuned = await omoide('eval', set, '--tune', 'fast', '--output', file);
  expect(tuned).toMatchObject({ code: 0, stderr: expect.stringContaining(`written to ${file}`) as string });
  expect(tuned.stdout).toMatch(/^talks · NDCG@10 +0\.\d+/m);
  expect(tuned.stdout).toMatch(/^recency +0\.1 +\d/m);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ name: 'newest first', base: 'fast' });

  const compared = await omoide('eval', set, '--json', '--compare', file, 'fast');
  const report = JSON.parse(compared.stdout) as {
    compared: string[];
    sets: { profiles: { profile: string }[]; comparison: { MRR: { mean: number; low: number } } }[];
  };
  expect(report.compared).toEqual(['fast', 'newest first']);
  expect(report.sets[0]?.comparison.MRR.low).toBeGreaterThan(0);

  const against = await omoide('eval', set, '--profile', file, '--compare', 'fast');
  expect(against.stdout).toContain('newest first less fast, paired bootstrap');
  expect(against.stdout).toMatch(/^figure +newest first +fast +difference/m);
});

test('tuning without a gain writes no profile unless forced', async () => {
  const file = join(folder, 'again.json');
  const output = ['--output', file];
  // The weights of topics and emotions have no effect in a memory without derived data.
  const flat = join(folder, 'flat.json');
  const weights = { semantic: 0, recency: 1, topicStrength: 0.2, emotion: 0.2, reactivation: 0 };
  writeFileSync(flat, JSON.stringify({ name: 'flat', base: 'associative', weights }));
  const idle = await omoide('eval', set, '--tune', flat, ...output);
  expect(idle.stdout).toMatch(/^No gain worth having/m);
  expect(idle.stderr).toContain('nothing was written');
  expect(existsSync(file)).toBe(false);
  await omoide('eval', set, '--tune', flat, '--force', ...output);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ name: 'again', base: 'associative' });
});

test('invalid arguments are reported before anything is measured', async () => {
  const taken = join(folder, 'taken.json');
  writeFileSync(taken, '{"name":"mine","base":"fast","weights":{"speling":1}}');
  const failed = async (...args: string[]) => {
    const { code, stderr, stdout } = await omoide('eval', set, ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    return stderr;
  };
  expect(await failed('--profile', taken)).toMatch(/taken\.json: .*fast has no feature "speling"/);
  expect(await failed('--profile', 'fats')).toMatch(/fats is not a shipped profile \(conversation, fast/);
  expect(await failed('--compare', 'fast', 'salience', 'weighted')).toContain('--compare takes two profiles');
  expect(await failed('--tune', '--output', taken)).toContain('exists already');
  expect(await failed('--tune', '--output', join(folder, 'fast.json'))).toContain('a shipped profile');
});
