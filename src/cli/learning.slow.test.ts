import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  schemaName,
  startScriptedModel,
  type ScriptedModel,
} from '../../test/scriptedModel/scriptedModel.ts';
import { temporaryFolder } from '../../test/temporary.ts';
import type { RecallResult } from '../engine/engine.ts';
import { openSettings, settingsPath } from '../settings/settings.ts';

const CLI = fileURLToPath(new URL('cli.ts', import.meta.url));

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

function omoide(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { PATH: process.env['PATH'], OMOIDE_DATA: join(folder, 'data'), OMOIDE_EMBEDDER: 'hashed' };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CLI, ...args], { env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}

/** The report of `ingest` and `rebuild` about vectors and derivations. */
interface Told {
  readonly vectors: { readonly made: number; readonly error: string | null };
  readonly learning: {
    readonly done: number;
    readonly waiting: number;
    readonly units: Readonly<Record<string, number>>;
    readonly error: string | null;
  } | null;
}

const TALK = [
  {
    role: 'user',
    content: 'My favourite food is ramen, and I live in Boston.',
    timestamp: '2026-03-28T10:00:00Z',
  },
  { role: 'user', content: '明日までにレポートを出さないといけない。', timestamp: '2026-03-28T10:01:00Z' },
  { role: 'user', content: '我妈妈是医生，她在北京工作。', timestamp: '2026-03-28T10:02:00Z' },
];

function talk(): string {
  const path = join(folder, 'talk.jsonl');
  writeFileSync(path, TALK.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

async function startModel(): Promise<{ model: ScriptedModel; setting: string }> {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const settings = { provider: 'endpoint', url: model.url, model: 'scripted', retries: 0 };
  return { model, setting: JSON.stringify(settings) };
}

describe('ingest derives data from what it stores', () => {
  test('by rules without a model', async () => {
    const { code, stdout } = await omoide('ingest', talk(), '--json');
    const { vectors, learning } = JSON.parse(stdout) as Told;
    expect(code).toBe(0);
    expect(learning).toMatchObject({ waiting: 0, error: null });
    expect(learning?.units['fact']).toBeGreaterThanOrEqual(2);
    expect(learning?.units['loop']).toBe(1);
    expect(vectors.made).toBeGreaterThan(TALK.length);
    const found = await omoide('recall', 'ramen', '--kinds', 'fact', '--json');
    expect(found.stdout).toContain('"kind":"fact"');
    expect((await omoide('jobs', '--json')).stdout).toContain('"running":0,"failed":0');
  });

  test('and “jobs” reports the model requests per exchange', async () => {
    await omoide('ingest', talk(), '--no-learn');
    const settings = openSettings(settingsPath(join(folder, 'data')));
    const use = { model: 'm', failed: 0, inputTokens: 10, outputTokens: 5, totalMs: 100 };
    for (const purpose of ['chat', 'chat', 'learn', 'learn', 'summarize'])
      settings.usage.addModelCall({ ...use, purpose });
    settings.usage.addModelCall({ ...use, purpose: 'learn', failed: 1 });
    settings.close();
    const { modelCalls } = JSON.parse((await omoide('jobs', '--json')).stdout) as {
      modelCalls: { purposes: unknown; callsPerExchange: number };
    };
    expect(modelCalls.callsPerExchange).toBe(3);
    expect(modelCalls.purposes).toEqual([
      { purpose: 'learn', calls: 3, failed: 1 },
      { purpose: 'chat', calls: 2, failed: 0 },
      { purpose: 'summarize', calls: 1, failed: 0 },
    ]);
    const { stdout } = await omoide('jobs');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'in 7 days: learn 3 (1 failed), chat 2, summarize 1; 3.00 per exchange.',
    );
  });

  test('not with --no-learn, and later by rebuild', async () => {
    const file = talk();
    const { stdout } = await omoide('ingest', file, '--no-learn', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ learning: null, vectors: { made: TALK.length } });
    const later = JSON.parse((await omoide('rebuild', '--from', 'turns', '--json')).stdout) as Told;
    expect(later.learning?.units['loop']).toBe(1);
  });

  test('by a model, and leaves the jobs queued while the model fails', async () => {
    const { model, setting } = await startModel();
    model.answer(() => ({ status: 500, body: { error: { message: 'Out of order.' } } }));
    const failed = await omoide('ingest', talk(), '--model', setting, '--json');
    const told = JSON.parse(failed.stdout) as Told;
    expect(failed.code).toBe(1);
    expect(told.vectors).toMatchObject({ made: TALK.length, error: null });
    expect(told.learning).toMatchObject({
      done: 0,
      units: {},
      error: expect.stringContaining('500') as string,
    });
    expect(told.learning?.waiting).toBeGreaterThanOrEqual(TALK.length);
    expect(failed.stderr).toContain('of learning not done');
    expect((await omoide('recall', 'ramen', '--json')).stdout).toContain('My favourite food');
  });
});

describe('recall --deep', () => {
  test('asks the model, and reports when it answers without one', async () => {
    await omoide('ingest', talk(), '--no-learn');
    const { model, setting } = await startModel();
    const recall = async (...args: string[]) => {
      const { code, stdout, stderr } = await omoide(
        'recall',
        'ramen',
        '--deep',
        '--limit',
        '1',
        '--json',
        ...args,
      );
      return { code, stderr, result: JSON.parse(stdout) as RecallResult };
    };
    const labels = { relevant_episodes: [{ unit_id: 1, relevance: 'high', reason: 'It is about ramen.' }] };
    model.answer((body) => {
      const isExpansion = schemaName(body) === 'expansion';
      const expansion = { expanded_queries: ['favourite food'], detected_references: [] };
      return { json: isExpansion ? expansion : { ...labels, injection_strategy: 'full' } };
    });
    const deep = await recall('--model', setting);
    expect(deep).toMatchObject({ code: 0, stderr: '' });
    expect(deep.result).toMatchObject({
      hits: [{ unitId: 1, relevance: 'high' }],
      metadata: { mode: 'deep' },
    });

    model.answer(() => ({ malformed: true }));
    const fast = await recall('--model', setting);
    expect(fast.code).toBe(0);
    expect(fast.result).toMatchObject({ hits: [{ unitId: 1 }], metadata: { mode: 'fast' } });
    expect(fast.stderr).toMatch(/^note: the language model did not answer/);
    expect((await recall()).stderr).toMatch(/^note: there is no language model/);
  });
});
