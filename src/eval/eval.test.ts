import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatMarkdown, formatReport, runEvaluation, toJson, type EvaluationOptions } from './eval.ts';

let folder: string;
let temporary: string;
const outside = process.env['TMPDIR'];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'omoide-evaltest-'));
  temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  process.env['TMPDIR'] = temporary;
});

afterEach(() => {
  if (outside === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = outside;
  rmSync(folder, { recursive: true, force: true });
});

type Line = Record<string, unknown>;

function writeSet(name: string, history: readonly Line[], queries: readonly Line[]): string {
  const path = join(folder, name);
  mkdirSync(path);
  const lines = (of: readonly Line[]) => of.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(join(path, 'history.jsonl'), lines(history));
  writeFileSync(join(path, 'queries.jsonl'), lines(queries));
  return path;
}

const turn = (conv: string, session: string, id: string, text: string, more: Line = {}): Line => ({
  conv_id: conv,
  session_id: session,
  turn_id: id,
  speaker: 'Ann',
  text,
  timestamp: null,
  lang: 'en',
  ...more,
});

const query = (conv: string, id: string, text: string, evidence: string[], more: Line = {}): Line => ({
  query_id: id,
  conv_id: conv,
  text,
  asked_at: null,
  lang: 'en',
  type: 'plain',
  evidence,
  evidence_sessions: [],
  ...more,
});

const ANIMALS = [
  turn('a', 's1', 't1', 'A zebra grazed near the river.'),
  turn('a', 's1', 't2', 'Lunch was lentil soup.'),
  turn('a', 's2', 't3', 'The giraffe looked over our wall.'),
  turn('a', 's2', 't4', 'We painted the kitchen yellow.'),
];

const WORDS_ONLY: EvaluationOptions = { embedder: null };

describe('measures', () => {
  test('have the expected values for small sets, at both levels and by type', async () => {
    const path = writeSet('animals', ANIMALS, [
      query('a', 'q1', 'zebra', ['t1'], { evidence_sessions: ['s1'] }),
      query('a', 'q2', 'giraffe', ['t3'], { evidence_sessions: ['s2'], type: 'tall' }),
      // Found in a session where the gold is not: 0 at turn level, 1 at session level.
      query('a', 'q3', 'lentil', ['t3', 't4'], { evidence_sessions: ['s1'], type: 'wrong' }),
    ]);
    const json = toJson(
      await runEvaluation([path], { ...WORDS_ONLY, profiles: ['fast'], strategy: 'keyword_boost' }),
    );
    const one = { 'R@5': 1, 'R@10': 1, 'NDCG@10': 1, MRR: 1 };
    expect(Object.keys(json).slice(0, 5)).toEqual(['turn', 'session', 'queries', 'byType', 'latencyMs']);
    expect(json['queries']).toBe(3);
    expect(json['session']).toEqual(one);
    expect(json['byType']).toEqual({
      plain: { queries: 1, turnQueries: 1, turn: one, session: one },
      tall: { queries: 1, turnQueries: 1, turn: one, session: one },
      wrong: {
        queries: 1,
        turnQueries: 1,
        turn: { 'R@5': 0, 'R@10': 0, 'NDCG@10': 0, MRR: 0 },
        session: one,
      },
    });
    expect((json['turn'] as Line)['R@5']).toBeCloseTo(2 / 3);
    expect(json['latencyMs']).toMatchObject({ p50: expect.any(Number), p95: expect.any(Number) });
  });

  test('leave out hits after the cut-off', async () => {
    const cutOff = (id: string, cutoff_turn_id: string) =>
      query('a', id, 'zebra', ['t1'], { cutoff_turn_id });
    const path = writeSet('cut', ANIMALS, [cutOff('at', 't1'), cutOff('after', 't2')]);
    const report = await runEvaluation([path], { ...WORDS_ONLY, failures: 5 });
    const profile = report.sets[0]?.profiles[0];
    expect(profile?.turn.MRR).toBe(0.5);
    expect(profile?.failures.map((failure) => failure.queryId)).toEqual(['at']);
    expect(profile?.failures[0]?.gold).toMatchObject([{ sourceId: 't1', rank: null, features: null }]);
  });

  test('count only queries that name the turns or sessions of their answer', async () => {
    const path = writeSet('gold', ANIMALS, [
      query('a', 'q1', 'zebra', ['t1']),
      query('a', 'q2', 'zebra', ['t1'], { unanswerable: true }),
      query('a', 'q3', 'zebra', []),
      query('a', 'q4', 'zebra', [], { evidence_sessions: ['s1'] }),
    ]);
    const report = await runEvaluation([path], { ...WORDS_ONLY, profiles: ['fast'] });
    expect(report.sets[0]?.profiles[0]).toMatchObject({
      queries: 2,
      turnQueries: 1,
      turn: { 'R@5': 1 },
      // `fast` injects whatever it finds.
      injection: { answerable: 1, unanswerable: 1, foreign: null, foreignQueries: 0, auc: null, right: 1 },
    });
  });

  test('are the same in every run', async () => {
    const path = writeSet('again', ANIMALS, [query('a', 'q1', 'what about the giraffe?', ['t3'])]);
    const withoutTimes = async () => {
      const { latencyMs: _, ...json } = toJson(
        await runEvaluation([path], { embedder: { provider: 'hashed' } }),
      );
      return json;
    };
    expect(await withoutTimes()).toEqual(await withoutTimes());
  });
});

test('of injected turns report the share of gold, and of gold or its neighbours, by type and with silent queries', async () => {
  const path = writeSet('injected', ANIMALS, [
    query('a', 'q1', 'zebra', ['t1'], { type: 'direct' }),
    // The turn that is found is not gold: once it is next to the gold, once in another session.
    query('a', 'q2', 'lentil', ['t1'], { type: 'wrong' }),
    query('a', 'q3', 'kitchen', ['t1'], { type: 'wrong' }),
    query('a', 'q4', 'violin', [], { type: 'silent', unanswerable: true }),
  ]);
  const report = await runEvaluation([path], { ...WORDS_ONLY, profiles: ['fast', 'conversation'] });
  const [fast, conversation] = report.sets[0]?.profiles ?? [];
  expect(fast?.injection).toMatchObject({ right: 1 / 3, precision: 1 / 3, precisionNear: 2 / 3 });
  expect(fast?.kinds).toMatchObject({
    direct: { queries: 1, injected: 1, right: 1 },
    silent: { queries: 1, injected: 0, right: null },
    wrong: { queries: 2, injected: 1, right: 0 },
  });
  // Only the default profile has probabilities.
  expect(fast?.calibration).toBeNull();
  expect(conversation?.calibration?.hits).toBeGreaterThan(2);
  expect(formatReport(report)).toMatch(/^conversation: probabilities, ECE 0\.\d+ +hits +said +true/m);
});

test('sets can be cut to small memories; the foreign query comes from another cut', async () => {
  const history = Array.from({ length: 30 }, (_, i) => turn('a', 's1', `t${i}`, `Number ${i} is word${i}.`));
  const path = writeSet('cut', history, [
    query('a', 'q1', 'word5', ['t5']),
    query('a', 'q2', 'word25', ['t25']),
  ]);
  const report = await runEvaluation([path], { ...WORDS_ONLY, profiles: ['fast'], cut: 3, foreign: true });
  expect(report).toMatchObject({ cut: 3, sets: [{ conversations: 2, turns: 6 }] });
  expect(report.sets[0]?.profiles[0]).toMatchObject({
    queries: 2,
    turn: { 'R@5': 1 },
    injection: { answerable: 1, foreign: 0, foreignQueries: 2 },
  });
});

test('a query is asked with its conversation, context and time', async () => {
  const history = [
    turn('a', 's1', 't1', 'We saw the opera.', { timestamp: '2024-03-01T10:00:00' }),
    turn('a', 's2', 't2', 'We saw the opera again.', { timestamp: '2024-06-01T10:00:00' }),
    turn('b', 's3', 't1', 'The opera bored me.'),
  ];
  const path = writeSet('context', history, [
    query('a', 'q1', 'And then?', ['t1', 't2'], { context: 'Ann: Remember the opera\nAnn: And then?' }),
  ]);
  const report = await runEvaluation([path], { ...WORDS_ONLY, explain: true });
  const profile = report.sets[0]?.profiles[0];
  // Its words find nothing; those of its context find both turns. The other conversation has another memory.
  expect(profile?.turn).toMatchObject({ 'R@5': 1, MRR: 1 });
  expect(profile?.stages).toMatchObject({ keyword: 1, vector: 0, found: 1, scored: 1, 'top 10': 1 });
});

test('derived data is measured when requested', async () => {
  const told = ['I am so happy about the zebra!', 'The zebra makes me happy.', 'Lunch was lentil soup.'];
  const history = told.map((text, i) => turn('a', 's1', `t${i}`, text));
  const path = writeSet('learnt', history, [query('a', 'q1', 'zebra', ['t0', 't1', 't2'])]);
  const found = async (learn: boolean) => {
    const report = await runEvaluation([path], { ...WORDS_ONLY, profiles: ['associative'], learn });
    return report.sets[0]?.profiles[0]?.turn['R@10'];
  };
  // The soup has no word in common with the query; the topic connects it to the same event.
  expect(await found(false)).toBeCloseTo(2 / 3);
  expect(await found(true)).toBe(1);
});

describe('foreign queries', () => {
  const history = [
    ...ANIMALS,
    turn('b', 's1', 'u1', 'The violin needs new strings.'),
    turn('c', 's1', 'v1', '明日はバイオリンの練習です。', { lang: 'ja' }),
  ];

  test('are asked of the next conversation in the same language', async () => {
    const path = writeSet('foreign', history, [
      query('a', 'q1', 'zebra', ['t1']),
      query('a', 'q2', 'violin', ['t2']),
      query('a', 'q3', 'giraffe', ['t3'], { unanswerable: true }),
      query('b', 'q4', 'zebra strings', ['u1']),
      query('c', 'q5', 'バイオリン', ['v1'], { lang: 'ja' }),
    ]);
    const report = await runEvaluation([path], { ...WORDS_ONLY, profiles: ['fast'], foreign: true });
    // q1 and q2 are asked of b, which knows only violins; q4 of a; q5 has no other conversation in Japanese.
    expect(report.sets[0]?.profiles[0]?.injection).toMatchObject({ foreign: 2 / 3, foreignQueries: 3 });
  });

  test('come with the area under the curve when the profile has probabilities', async () => {
    const path = writeSet('auc', history, [
      query('a', 'q1', 'zebra river', ['t1']),
      query('b', 'q2', 'violin strings', ['u1']),
    ]);
    const report = await runEvaluation([path], { ...WORDS_ONLY, foreign: true });
    expect(report.sets[0]?.profiles[0]?.injection.auc).toBe(1);
  });
});

test('several sets and profiles make one report, as JSON, text and Markdown', async () => {
  const first = writeSet('one', ANIMALS, [query('a', 'q1', 'zebra', ['t1'])]);
  const second = writeSet('two', ANIMALS, [
    query('a', 'q|1', 'a `zebra` *soup*', ['t4'], { context: 'Ann: # look', cutoff_turn_id: 't3' }),
  ]);
  const seen: number[] = [];
  const report = await runEvaluation([first, second], {
    ...WORDS_ONLY,
    compare: ['fast', 'conversation'],
    failures: 3,
    onProgress: ({ done, total }) => seen.push(done / total),
  });
  expect(seen).toEqual([0, 0]);
  expect(report.sets.map((set) => [set.name, set.profiles.map(({ profile }) => profile)])).toEqual([
    ['one', ['fast', 'conversation']],
    ['two', ['fast', 'conversation']],
  ]);
  expect(report.sets[0]?.comparison?.['R@5']).toEqual({ mean: 0, low: 0, high: 0, p: 1 });
  expect(Object.keys(toJson(report))).toEqual([
    'sets',
    'comparison',
    'embedder',
    'strategy',
    'limit',
    'cut',
    'compared',
  ]);
  const text = formatReport(report);
  expect(text).toMatch(/^one · fast +1 +1\.000 +1\.000 +1\.000 +1\.000/m);
  expect(text).toContain('conversation less fast');
  expect(text).toMatch(/gold t4, not among the hits: We painted the kitchen yellow\.\n +never scored/);
  const markdown = formatMarkdown(report, 'omoide eval one two');
  expect(markdown).toContain('```sh\nomoide eval one two\n```');
  expect(markdown).toContain('| one · fast | 1 | 1.000 | 1.000 | 1.000 | 1.000 |');
  expect(markdown).toContain(String.raw`q\|1 (plain): a \`zebra\` \*soup\*`);
});

test('time expressions are measured when a directory has such cases', async () => {
  const path = join(folder, 'times');
  mkdirSync(path);
  const oneCase = (id: string, day: string) => {
    const values = [{ timex: day, type: 'date', value: day }];
    const results = [{ text: '4 January 2019', type: 'date', values }];
    return JSON.stringify({
      id,
      lang: 'en',
      text: 'We met on 4 January 2019.',
      ref: '2020-01-01T00:00:00',
      results,
    });
  };
  writeFileSync(
    join(path, 'recognizers_en.jsonl'),
    `${oneCase('x1', '2019-01-04')}\n${oneCase('x2', '2019-04-01')}\n`,
  );
  const report = await runEvaluation([path], { failures: 1 });
  expect(report.temporal[0]?.byLanguage['en']?.all).toMatchObject({
    total: 2,
    exact: 1,
    failures: [{ id: 'x2' }],
  });
  expect(formatReport(report)).toMatch(/^en · date +2 +1 +0\.500/m);
  expect(formatReport(report)).toContain('“4 January 2019” is 2019-04-01 2019-04-01; found: ');
  writeFileSync(join(path, 'recognizers_en.jsonl'), '{"id":');
  await expect(runEvaluation([path])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

describe('no files are left', () => {
  const queries = [query('a', 'q1', 'zebra', ['t1']), query('a', 'q2', 'giraffe', ['t3'])];

  test('after a complete run', async () => {
    await runEvaluation([writeSet('left', ANIMALS, queries)], { ...WORDS_ONLY, foreign: true });
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('after an interrupted run', async () => {
    const abort = new AbortController();
    const running = runEvaluation([writeSet('left', ANIMALS, queries)], {
      ...WORDS_ONLY,
      signal: abort.signal,
      onProgress: ({ done }) => done === 1 && abort.abort(),
    });
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe('invalid input', () => {
  test('is reported before anything is measured', async () => {
    const good = writeSet('good', ANIMALS, [query('a', 'q1', 'zebra', ['t1'])]);
    const seen: string[] = [];
    const running = runEvaluation([good, join(folder, 'nowhere')], {
      ...WORDS_ONLY,
      onProgress: ({ set }) => seen.push(set),
    });
    await expect(running).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(seen).toEqual([]);
  });

  test('is named: a directory without queries, a file of another format', async () => {
    const path = join(folder, 'half');
    mkdirSync(path);
    writeFileSync(join(path, 'history.jsonl'), '');
    await expect(runEvaluation([path])).rejects.toMatchObject({
      code: 'UNKNOWN_FORMAT',
      message: expect.stringMatching(/half .*no queries\.jsonl/) as string,
    });
    const file = join(folder, 'messages.jsonl');
    writeFileSync(file, '{"role":"user","content":"hello"}\n');
    await expect(runEvaluation([file])).rejects.toMatchObject({ code: 'UNKNOWN_FORMAT' });
  });
});
