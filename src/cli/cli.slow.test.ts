import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMemory, type RecallResult } from '../engine/engine.ts';
import { displayWidth } from '../text/text.ts';

const CLI = fileURLToPath(new URL('cli.ts', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../examples/conversations/', import.meta.url));

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'omoide-cli-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const environment = () => ({
  PATH: process.env['PATH'],
  OMOIDE_DATA: join(folder, 'data'),
  OMOIDE_EMBEDDER: 'hashed',
});

/** Runs one command in its own process, with pipes. */
function omoide(...args: string[]): Promise<Ended> {
  return omoideWith({}, ...args);
}

function omoideWith(variables: Record<string, string>, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...environment(), ...variables };
    const child = execFile(process.execPath, [CLI, ...args], { env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}

function write(name: string, lines: readonly unknown[]): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );
  return path;
}

const BRIDGE = 'The swinging bridge at Nasu swayed so much that Hana screamed.';
const MESSAGES = [
  { role: 'user', content: BRIDGE, timestamp: '2026-03-28T10:00:00Z' },
  {
    role: 'assistant',
    content: 'And then you both laughed until you cried.',
    timestamp: '2026-03-28T10:01:00Z',
  },
  { role: 'user', content: '吊り橋、また渡りに行きたいな。', timestamp: '2026-03-28T10:02:00Z' },
  { role: 'user', content: '我把吉他送到上海去了。', timestamp: '2026-04-02T10:02:00Z' },
];

describe('ingest, then recall from a second process', () => {
  let ingested: Ended;

  beforeAll(async () => {
    const file = write('talk.jsonl', MESSAGES);
    ingested = await omoide('ingest', file, '--time-zone', 'Asia/Tokyo', '--json');
  });

  test('ingest reports what it stored', () => {
    expect(ingested).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ingested.stdout)).toMatchObject({
      read: 4,
      added: 4,
      known: 0,
      vectors: { waiting: 0, error: null },
      learning: { waiting: 0, failed: 0, error: null },
      interrupted: false,
    });
  });

  test('finds the turn and returns its trace', async () => {
    const { code, stdout } = await omoide(
      'recall',
      'the swinging bridge',
      '--explain',
      '--json',
      '--limit',
      '2',
    );
    expect(code).toBe(0);
    const { hits, metadata, trace } = JSON.parse(stdout) as RecallResult;
    expect(hits.length).toBeLessThanOrEqual(2);
    expect(hits[0]).toMatchObject({ text: BRIDGE, speaker: 'user', conversationId: 'talk', unitId: 1 });
    expect(hits[0]?.why.sentence).toContain('28 March');
    expect(metadata).toMatchObject({
      vectors: 'used',
      intent: { language: 'en' },
      candidatesAfter: hits.length,
    });
    expect(metadata.totalLatencyMs).toBeGreaterThan(0);
    expect(trace?.candidates[0]?.unitId).toBe(1);
  });

  test('applies filters, and reads the recent conversation', async () => {
    const context = write('context.txt', [
      'user: 週末、どこか行きたいね。',
      '',
      '{"speaker":"ai","text":"山とか？"}',
    ]);
    const range = ['--from', '2026-03-28', '--to', '2026-03-29'];
    const { stdout } = await omoide('recall', '橋', '--context', context, ...range, '--json');
    const { hits } = JSON.parse(stdout) as RecallResult;
    expect(hits.map(({ text }) => text)).toContain(MESSAGES[2]?.content);
    expect(hits.map(({ text }) => text)).not.toContain(MESSAGES[3]?.content);
  });

  test('prints text without colours into a pipe', async () => {
    const { stdout } = await omoide('recall', '吊り橋', '--explain');
    expect(stdout).toBe(stripVTControlCharacters(stdout));
    expect(stdout).toMatch(/1 {2}[●◐○] (high|medium|low) +2026-03-28 {2}user/);
    expect(stdout).toContain('吊り橋、また渡りに行きたいな。');
    expect(stdout).toMatch(/█+ +\+\d/);
  });

  test('pack prints only the text of the pack', async () => {
    const persona = write('persona.md', ['You are Sora.']);
    const { code, stdout, stderr } = await omoide('pack', 'the swinging bridge', '--persona', persona);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\[PERSONA_ANCHOR\]\nYou are Sora\.\n/);
  });

  test('doctor finds no problem', async () => {
    const { code, stdout } = await omoide('doctor', '--json');
    const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: { name: string; status: string }[] };
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
    expect({ ok, code }).toEqual({ ok: true, code: 0 });
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'node',
        'sqlite',
        'data',
        'disk',
        'embedder',
        'memory',
        'integrity',
        'vectors',
        'jobs',
      ]),
    );
  });
});

describe('errors', () => {
  test('incorrect usage exits with code 2 and names the option', async () => {
    const { code, stdout, stderr } = await omoide('recall', 'x', '--limit', 'many');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--limit');
  });

  test('an unknown memory is an error and is not created', async () => {
    const dataDir = join(folder, 'nowhere');
    const { code, stdout, stderr } = await omoide('recall', 'x', '--data', dataDir, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(stderr).toMatch(/^error NOT_FOUND: /);
    expect(existsSync(dataDir)).toBe(false);
  });

  test('doctor does not create a memory either', async () => {
    const dataDir = join(folder, 'nowhere');
    const { code, stdout } = await omoide('doctor', '--data', dataDir);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail +memory +NOT_FOUND: /m);
    expect(existsSync(dataDir)).toBe(false);
  });

  test.each(['doctor', 'verify', 'migrate'])(
    'a database that cannot be reached is reported by %s, with its address and the reason',
    async (command) => {
      const store = 'postgres://hana:sesame@127.0.0.1:1/memories?connect_timeout=1';
      const words =
        command === 'migrate' ? ['--from', store, '--to', join(folder, 'copy')] : ['--store', store];
      const { code, stdout, stderr } = await omoide(command, ...words);
      expect(code).toBe(1);
      const said = (stdout + stderr).replaceAll(/\s+/g, ' ');
      expect(said).toContain('BUSY: PostgreSQL cannot be reached (127.0.0.1:1: no server listens there)');
      expect(said).not.toMatch(/sesame|other process/);
    },
  );

  test('the readable lines of damaged files are stored', async () => {
    const damaged = write('damaged.jsonl', [
      MESSAGES[0],
      '{"role":"user","content":',
      { role: 'user', content: ' ' },
      MESSAGES[1],
    ]);
    const paths = [damaged, join(folder, 'missing.jsonl')];
    const { code, stdout, stderr } = await omoide('ingest', ...paths, '--memory', 'damaged', '--json');
    expect(code).toBe(3);
    const { added, files } = JSON.parse(stdout) as {
      added: number;
      files: { problems: { line: number; code: string }[] }[];
    };
    expect(added).toBe(2);
    expect(files[0]?.problems).toMatchObject([
      { line: 2, code: 'INVALID_INPUT' },
      { line: 3, code: 'EMPTY_TEXT' },
    ]);
    expect(files[1]?.problems).toMatchObject([{ code: 'FILE_UNREADABLE' }]);
    expect(stderr).toContain('line 3: EMPTY_TEXT');
  });

  test('a file of an unknown format creates no memory', async () => {
    const { code, stderr } = await omoide(
      'ingest',
      write('novel.txt', ['It was a dark night.']),
      '--memory',
      'novel',
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error UNKNOWN_FORMAT: /);
    expect(existsSync(join(folder, 'data', 'memory_novel.db'))).toBe(false);
  });
});

describe('export and import', () => {
  const exportFile = () => join(folder, 'whole.jsonl');
  let exported: Ended;

  beforeAll(async () => {
    const memory = await openMemory({
      dataDir: join(folder, 'data'),
      memoryId: 'whole',
      timeZone: 'Asia/Shanghai',
      embedder: null,
      worker: false,
    });
    await memory.add([
      {
        conversationId: 'a',
        turnIndex: 7,
        speaker: 'Hana',
        text: 'a line\nand\u2028another 👩‍👩‍👧 \u001b[31mred',
        occurredAt: 1,
      },
      {
        conversationId: 'b',
        speaker: 'ai',
        text: '秘密',
        occurredAt: '2026-01-01T00:00:00.123Z',
        sensitivity: 'secret',
      },
      {
        conversationId: 'b',
        speaker: 'ai',
        text: '看图',
        source: 'notification',
        scope: 'project',
        imageSummary: '一座桥',
      },
      {
        conversationId: 'b',
        speaker: 'user',
        text: 'ok',
        meta: { z: 1, a: { deep: [null, true] } },
        source: 'import',
      },
    ]);
    await memory.close();
    exported = await omoide('export', exportFile(), '--memory', 'whole', '--json');
  });

  test('export reports what it wrote', () => {
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(exported.stdout)).toMatchObject({ file: exportFile(), turns: 4 });
  });

  test('import restores exactly the same turns', async () => {
    expect((await omoide('import', exportFile(), '--memory', 'copy', '--no-embed', '--no-learn')).code).toBe(
      0,
    );
    const { stdout } = await omoide('export', '--memory', 'copy');
    const [header, ...rest] = readFileSync(exportFile(), 'utf8').split('\n');
    const [copiedHeader, ...copied] = stdout.split('\n');
    expect(copied).toEqual(rest);
    expect(JSON.parse(header ?? '')).toMatchObject({
      omoide: 2,
      memoryId: 'whole',
      timeZone: 'Asia/Shanghai',
    });
    expect(JSON.parse(copiedHeader ?? '')).toMatchObject({ memoryId: 'copy', timeZone: 'Asia/Shanghai' });
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('import reports changed and truncated files', async () => {
    const text = readFileSync(exportFile(), 'utf8');
    const changed = write('changed.jsonl', [text.replace('秘密', '密秘').trimEnd()]);
    const { code, stderr } = await omoide('import', changed, '--memory', 'changed', '--no-embed');
    expect(code).toBe(1);
    expect(stderr).toContain('CHAIN_BROKEN');
    const cut = write('cut.jsonl', [text.slice(0, -100)]);
    expect(await omoide('import', cut, '--memory', 'cut', '--no-embed')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('cut off') as string,
    });
  });

  test('ingest and import name each other for files that they do not read', async () => {
    expect((await omoide('ingest', exportFile())).stderr).toContain('omoide import');
    expect((await omoide('import', join(EXAMPLES, 'ja.jsonl'))).stderr).toContain('omoide ingest');
  });
});

test('a closed output pipe is not an error', async () => {
  const temporary = mkdtempSync(join(folder, 'tmp-'));
  const child = spawn(process.execPath, [CLI, 'demo'], { env: { ...environment(), TMPDIR: temporary } });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  // What V8 compiled stays for the next start.
  expect(readdirSync(temporary).filter((name) => name !== 'node-compile-cache')).toEqual([]);
});

const MANY = 40_000;

test.skipIf(process.platform === 'win32')(
  'Ctrl-C in the middle of a large file leaves a consistent memory',
  async () => {
    const turns = Array.from({ length: MANY }, (_, i) => ({
      role: 'user',
      content: `Message ${i} of many.`,
      id: i,
    }));
    const file = write('many.jsonl', turns);
    const args = ['ingest', file, '--memory', 'many', '--json', '--no-embed'];
    const child = spawn(process.execPath, [CLI, ...args], { env: environment() });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    const ended = new Promise((resolve) => child.on('close', resolve));
    const journal = join(folder, 'data', 'memory_many.db-wal');
    while ((statSync(journal, { throwIfNoEntry: false })?.size ?? 0) < 200_000) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    const { added, interrupted } = JSON.parse(stdout) as { added: number; interrupted: boolean };
    expect(interrupted).toBe(true);
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThan(MANY);
    const verified = await omoide('verify', '--memory', 'many', '--json');
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({ turns: added, problems: [] });
  },
);

test('rebuild computes vectors that were skipped by ingest', async () => {
  const file = join(EXAMPLES, 'zh.jsonl');
  expect((await omoide('ingest', file, '--memory', 'later', '--no-embed', '--no-learn')).code).toBe(0);
  const recalled = await omoide('recall', '吉他', '--memory', 'later');
  expect(recalled.stderr).toContain('no vectors yet');
  const { code, stdout } = await omoide(
    'rebuild',
    '--memory',
    'later',
    '--no-learn',
    '--from',
    'turns',
    '--json',
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    unitsIndexed: 152,
    vectors: { made: 152, waiting: 0, error: null },
  });
  // With another embedder than that of the vectors, turns are stored, and the exit code reports the missing vectors.
  const other = await omoideWith(
    { OMOIDE_EMBEDDER: '' },
    'ingest',
    write('talk2.jsonl', MESSAGES),
    '--memory',
    'later',
    '--no-learn',
  );
  expect(other.code).toBe(1);
  expect(other.stdout).toContain('4 new turns');
  expect(other.stderr).toContain('4 vectors not created');
});

test('eval prints the measures of a labelled data set', async () => {
  const set = mkdtempSync(join(folder, 'set-'));
  const turns = MESSAGES.map(({ role, content, timestamp }, i) => {
    const ids = { conv_id: 'c', session_id: 's', turn_id: `t${i}` };
    return JSON.stringify({ ...ids, speaker: role, text: content, timestamp, lang: 'en' });
  });
  const query = JSON.stringify({
    query_id: 'q',
    conv_id: 'c',
    text: 'the swinging bridge at Nasu',
    asked_at: '2026-05-01T00:00:00Z',
    lang: 'en',
    type: 'single',
    evidence: ['t0'],
    evidence_sessions: ['s'],
  });
  writeFileSync(join(set, 'history.jsonl'), turns.join('\n'));
  writeFileSync(join(set, 'queries.jsonl'), query);
  const { code, stdout } = await omoide('eval', set, '--json');
  expect(code).toBe(0);
  const figures = { 'R@5': 1, 'R@10': 1, 'NDCG@10': 1, MRR: 1 };
  expect(JSON.parse(stdout)).toMatchObject({
    turn: figures,
    session: figures,
    queries: 1,
    byType: { single: {} },
  });
});

test('demo tells three stories, fits on one screen, and leaves no files', async () => {
  const temporary = mkdtempSync(join(folder, 'tmp-'));
  const { code, stdout, stderr } = await omoideWith({ TMPDIR: temporary, OMOIDE_EMBEDDER: '' }, 'demo');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const said of [
    '那須塩原の吊り橋、また渡りたいな。',
    '这次去上海出差',
    'When did I get to hold Isla',
  ]) {
    expect(stdout).toContain(said);
  }
  expect(stdout).toContain('EPISODE_EVIDENCE');
  expect(stdout).toContain('Nothing is recalled: no earlier turn seems relevant here.');
  expect(stdout).toContain('463 turns');
  expect(Math.max(...stdout.split('\n').map(displayWidth))).toBeLessThanOrEqual(100);
  expect(stdout).toBe(stripVTControlCharacters(stdout));
  // What V8 compiled stays for the next start.
  expect(readdirSync(temporary).filter((name) => name !== 'node-compile-cache')).toEqual([]);
});
