import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { parseProfile } from '../../engine/engine.ts';
import { mulberry32 } from '../compare.ts';
import { runEvaluation } from '../eval.ts';
import { formatLeaveOneOut, runLeaveOneOut } from './leaveOneOut.ts';
import { formatTuning, formatTuningMarkdown, runTuning, type TuneOptions } from './tune.ts';

let folder: string;
const outside = process.env['TMPDIR'];

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, 'tmp'));
  process.env['TMPDIR'] = join(folder, 'tmp');
});

afterEach(() => {
  if (outside === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = outside;
});

const WORDS_ONLY: TuneOptions = {
  name: 'mine',
  now: new Date('2026-05-01T00:00:00Z'),
  profile: 'fast',
  embedder: null,
};

const SUBJECTS = [
  'zebra',
  'violin',
  'kettle',
  'lantern',
  'orchid',
  'saddle',
  'anchor',
  'pepper',
  'canoe',
  'ledger',
];
const PLACES = ['river', 'attic', 'harbour', 'market', 'garden', 'station', 'cellar', 'meadow'];
const TELLINGS = 8;

/**
 * Conversations in which every subject occurs in several turns. The first criterion of `fast`, how many words a turn has besides
 * the subject, does not indicate the gold; `gold` chooses one of the turns on a subject.
 */
function writeTalks(
  name: string,
  conversations: number,
  gold: (ages: readonly number[]) => number,
  wrong: (ages: readonly number[], query: number) => object = () => ({}),
): string {
  const random = mulberry32(99);
  const history: object[] = [];
  const queries: object[] = [];
  for (let c = 0; c < conversations; c++) {
    for (const [s, subject] of SUBJECTS.entries()) {
      const ages = Array.from({ length: TELLINGS }, () => Math.floor(random() * 3_000) / 100);
      for (const [t, age] of ages.entries()) {
        const filler = PLACES.slice(0, 1 + Math.floor(random() * PLACES.length));
        history.push({
          conv_id: `c${c}`,
          session_id: `s${s}`,
          turn_id: `${s}-${t}`,
          speaker: 'Ann',
          text: `${PLACES[t]} ${subject} ${filler.toReversed().join(' and ')}`,
          timestamp: new Date(Date.UTC(2026, 3, 1) - age * 86_400_000).toISOString(),
          lang: 'en',
        });
      }
      queries.push({
        query_id: `c${c}-${s}`,
        conv_id: `c${c}`,
        text: subject,
        asked_at: '2026-04-02T00:00:00Z',
        type: 'plain',
        evidence: [`${s}-${gold(ages)}`],
        ...wrong(ages, queries.length),
      });
    }
  }
  const path = join(folder, name);
  mkdirSync(path);
  const lines = (of: readonly object[]) => of.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(join(path, 'history.jsonl'), lines(history));
  writeFileSync(join(path, 'queries.jsonl'), lines(queries));
  return path;
}

const newest = (ages: readonly number[]) => ages.indexOf(Math.min(...ages));

describe('when one feature decides', () => {
  test('its weight is found, and improves held-out conversations', async () => {
    const path = writeTalks('newest', 4, newest);
    const report = await runTuning([path], WORDS_ONLY);
    const [set] = report.sets;
    expect(set).toMatchObject({ name: 'newest', conversations: 4, queries: 40, folds: 'conversations' });
    expect(report.isWorthHaving).toBe(true);
    expect(set?.base['R@5']).toBeLessThan(0.9);
    expect(set?.tuned['R@5']).toBe(1);
    expect(set?.tuned['NDCG@10']).toBeGreaterThan(0.8);
    expect(set?.gain.mean.low).toBeGreaterThan(0.1);
    const ratio = (of: 'base' | 'tuned') => {
      const [recency, rrf] = ['recency', 'rrf'].map((name) =>
        report.weights.find(({ feature }) => feature === name),
      );
      return (recency?.[of] ?? 0) / Math.abs(rrf?.[of] ?? 0);
    };
    expect(ratio('tuned')).toBeGreaterThan(3 * ratio('base'));
    expect(formatTuning(report)).toMatch(/^Worth having: the mean of the figures changes by \+0\.\d+/m);
  });

  test('recall with the written profile has the reported ranking', async () => {
    const path = writeTalks('newest', 3, newest);
    const { file, overall } = await runTuning([path], WORDS_ONLY);
    expect(parseProfile(file)).toMatchObject({ name: 'mine', base: 'fast', high: 0.35 });
    expect(file.tuned).toMatchObject({
      when: '2026-05-01T00:00:00.000Z',
      sets: [{ name: 'newest', conversations: 3, queries: 30 }],
    });
    const report = await runEvaluation([path], {
      profiles: ['fast', 'mine'],
      ownProfiles: [file],
      embedder: null,
    });
    const [fast, mine] = report.sets[0]?.profiles ?? [];
    // The measures of the base are computed from captured values, not by recall.
    expect(overall.base['NDCG@10']).toBeCloseTo(fast?.turn['NDCG@10'] ?? 9, 10);
    expect(mine?.turn['R@5']).toBe(1);
  });

  test('the result is deterministic', async () => {
    const path = writeTalks('newest', 2, newest);
    const report = await runTuning([path], WORDS_ONLY);
    expect(await runTuning([path], WORDS_ONLY)).toEqual(report);
  });
});

describe('when no feature decides', () => {
  test('no gain is reported', async () => {
    const random = mulberry32(5);
    const path = writeTalks('noise', 4, (ages) => Math.floor(random() * ages.length));
    const report = await runTuning([path], WORDS_ONLY);
    expect(report.isWorthHaving).toBe(false);
    expect(report.overall.gain.mean.low).toBeLessThanOrEqual(0);
    expect(formatTuning(report)).toMatch(/^No gain worth having/m);
  });
});

describe('hits that a person marked as wrong', () => {
  const ranked = (ages: readonly number[]) =>
    ages.map((age, i) => [age, i] as const).toSorted(([a], [b]) => b - a);
  const named = (query: number, places: readonly number[]) =>
    places.map((t) => `${query % SUBJECTS.length}-${t}`);
  /** For every second query only wrong hits are known: the oldest turns on its subject. */
  const oldest = (ages: readonly number[], query: number) => ({
    wrong: named(
      query,
      ranked(ages)
        .slice(0, 4)
        .map(([, t]) => t),
    ),
    ...(query % 2 === 1 && { evidence: [] }),
  });

  test('are ranked lower, also for queries without a correct answer', async () => {
    const { wrong, overall, sets, isWorthHaving } = await runTuning(
      [writeTalks('wrong', 4, newest, oldest)],
      WORDS_ONLY,
    );
    expect(sets[0]?.queries).toBe(20);
    expect(wrong).toMatchObject({ queries: 40 });
    expect(wrong?.tuned).toBeLessThan(wrong?.base ?? 0);
    expect(overall.gain.mean.mean).toBeGreaterThan(0);
    expect(isWorthHaving).toBe(true);
  });

  test('are learnt from when the correct answers give no information', async () => {
    const random = mulberry32(5);
    const anyOf = (ages: readonly number[]) => Math.floor(random() * ages.length);
    const without = await runTuning([writeTalks('any', 4, anyOf)], WORDS_ONLY);
    const given = await runTuning([writeTalks('any-wrong', 4, anyOf, oldest)], WORDS_ONLY);
    const recency = ({ weights }: typeof given) =>
      weights.find(({ feature }) => feature === 'recency')?.tuned ?? 0;
    expect(without.wrong).toBeNull();
    expect(recency(given)).toBeGreaterThan(recency(without));
    expect(formatTuning(given)).toMatch(
      /^Of what was called wrong \(40 queries\), the share among the first five: /m,
    );
  });
});

test('a single conversation is held out in stretches, which the report states', async () => {
  const path = writeTalks('alone', 1, newest);
  const report = await runTuning([path], WORDS_ONLY);
  expect(report.sets[0]).toMatchObject({ conversations: 1, folds: 'stretches' });
  expect(formatTuning(report)).toContain('weaker evidence');
});

test('each set has the same weight, whatever its size', async () => {
  const large = writeTalks('large', 4, newest);
  const small = writeTalks('small', 1, newest);
  const { sets, overall, file } = await runTuning([large, small], WORDS_ONLY);
  const [first, second] = sets;
  expect(overall.base.mean).toBeCloseTo(((first?.base.mean ?? 0) + (second?.base.mean ?? 0)) / 2);
  expect(overall.tuned.mean).toBeCloseTo(((first?.tuned.mean ?? 0) + (second?.tuned.mean ?? 0)) / 2);
  expect(file.tuned?.sets.map(({ queries }) => queries)).toEqual([40, 10]);
});

test('constant features are named, and their weights stay unchanged', async () => {
  const path = writeTalks('plain', 2, newest);
  const report = await runTuning([path], { ...WORDS_ONLY, profile: 'conversation' });
  const named = report.weights.find(({ feature }) => feature === 'speaker');
  expect(named).toMatchObject({ isIdle: true });
  expect(formatTuning(report)).toContain('speaker (never differs here)');
  expect(formatTuningMarkdown(report, 'omoide eval plain --tune')).toMatch(
    /\| speaker \(never differs here\) \| \d/u,
  );
});

describe('invalid input', () => {
  test('is rejected before any query runs', async () => {
    const path = writeTalks('plain', 2, newest);
    const asked: string[] = [];
    const onProgress = ({ phase }: { phase: string }) => asked.push(phase);
    const tuning = (options: Partial<TuneOptions>, paths = [path]) =>
      runTuning(paths, { ...WORDS_ONLY, ...options, onProgress });
    await expect(tuning({ profile: 'weighted' })).rejects.toThrow(
      /"weighted" weighs depends on the strategy/,
    );
    await expect(tuning({ profile: 'nobody' })).rejects.toThrow(/no profile "nobody", only conversation/);
    await expect(tuning({}, [path, join(folder, 'nowhere')])).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
    });
    expect(asked).toEqual([]);
  });

  test('includes too few queries', async () => {
    const path = writeTalks('plain', 2, newest);
    await expect(runTuning([path], { ...WORDS_ONLY, limit: 6 })).rejects.toThrow(/tuning needs 10/);
  });
});

test('fitting can be interrupted, and leaves no files', async () => {
  const abort = new AbortController();
  const running = runTuning([writeTalks('cut', 2, newest)], {
    ...WORDS_ONLY,
    signal: abort.signal,
    onProgress: ({ phase, done }) => phase === 'fitting' && done === 3 && abort.abort(),
  });
  await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
});

test('a family with a different kind of gold gains little from weights fitted without it', async () => {
  const oldest = (ages: readonly number[]) => ages.indexOf(Math.max(...ages));
  const sets = [
    writeTalks('one-en', 2, newest),
    writeTalks('two-en', 2, newest),
    writeTalks('two-ja', 2, newest),
    writeTalks('odd-en', 2, oldest),
  ];
  const { name: _, now: __, ...options } = WORDS_ONLY;
  const report = await runLeaveOneOut(sets, options);
  expect(report.families.map(({ name, queries }) => [name, queries])).toEqual([
    ['one', 20],
    ['two', 40],
    ['odd', 20],
  ]);
  const [one, , odd] = report.families;
  expect(one?.leftOut['R@5']).toBeGreaterThan(0.9);
  expect(odd?.leftOut['R@5']).toBeLessThan(0.5);
  expect(formatLeaveOneOut(report)).toMatch(/^odd · R@5 +20 .* −0\.\d+$/m);
});
