import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExploreRig, idsOf, itemsOf } from '../../../test/explore/rig.ts';
import { DAY_MS } from '../../model/model.ts';
import type { ExploreOptions, ExploreQuery, ExploreView } from './explore.ts';

const WORDS = ['tea', '海', '爬山'] as const;
const FEELINGS = ['joy', 'sadness'] as const;
const PEOPLE = ['Anna', '健太'] as const;
const TOPICS = ['weekends', '毎日のこと'] as const;
const START = Date.parse('2026-01-01T10:00Z');
const DAYS = 6;

interface Turn {
  readonly words: readonly (typeof WORDS)[number][];
  readonly feeling: (typeof FEELINGS)[number] | null;
  readonly people: readonly (typeof PEOPLE)[number][];
  readonly topic: (typeof TOPICS)[number];
  readonly day: number;
  readonly isSecret: boolean;
  readonly isProject: boolean;
}

interface Asked {
  readonly words: readonly (typeof WORDS)[number][];
  readonly feeling: (typeof FEELINGS)[number] | null;
  readonly person: (typeof PEOPLE)[number] | null;
  readonly topic: (typeof TOPICS)[number] | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly withSecrets: boolean;
  readonly inProject: boolean;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  words: fc.subarray([...WORDS]),
  feeling: fc.option(fc.constantFrom(...FEELINGS)),
  people: fc.subarray([...PEOPLE]),
  topic: fc.constantFrom(...TOPICS),
  day: fc.nat(DAYS - 1),
  isSecret: fc.boolean(),
  isProject: fc.boolean(),
});
const asked: fc.Arbitrary<Asked> = fc.record({
  words: fc.subarray([...WORDS], { maxLength: 2 }),
  feeling: fc.option(fc.constantFrom(...FEELINGS)),
  person: fc.option(fc.constantFrom(...PEOPLE), { freq: 2 }),
  topic: fc.option(fc.constantFrom(...TOPICS), { freq: 2 }),
  from: fc.option(fc.nat(DAYS - 1)),
  to: fc.option(fc.integer({ min: DAYS, max: DAYS + 1 })),
  withSecrets: fc.boolean(),
  inProject: fc.boolean(),
});

const dayAt = (day: number) => new Date(START + day * DAY_MS).toISOString();

async function remember(turns: readonly Turn[]): Promise<ExploreRig> {
  const rig = new ExploreRig();
  const unitIds = await rig.say(
    ...turns.map((each, i) => ({
      text: `${each.words.join(' ')} (${i})`,
      at: dayAt(each.day),
      sensitivity: each.isSecret ? ('secret' as const) : ('normal' as const),
      scope: each.isProject ? ('project' as const) : ('global' as const),
    })),
  );
  for (const [i, each] of turns.entries()) {
    if (each.feeling) await rig.feel(unitIds[i]!, { [each.feeling]: 1 });
    await rig.mentionAll(unitIds[i]!, each.people);
  }
  for (const topic of TOPICS) {
    const members = unitIds.filter((_, i) => turns[i]!.topic === topic);
    if (members.length > 0) await rig.topic(topic, members);
  }
  return rig;
}

function questionOf(what: Asked): { query: ExploreQuery; options: ExploreOptions } {
  const query: ExploreQuery = {
    from: dayAt(what.from ?? 0),
    ...(what.to !== null && { to: dayAt(what.to) }),
    ...(what.words.length > 0 && { keywords: [...what.words] }),
    ...(what.feeling && { emotion: what.feeling }),
    ...(what.person && { entity: what.person }),
    ...(what.topic && { topic: what.topic }),
  };
  const options: ExploreOptions = {
    limit: 100,
    ...(what.withSecrets && { maxSensitivity: 'secret' }),
    ...(what.inProject && { scope: 'project' }),
  };
  return { query, options };
}

function answers(each: Turn, what: Asked): boolean {
  return (
    what.words.every((word) => each.words.includes(word)) &&
    (what.feeling === null || each.feeling === what.feeling) &&
    (what.person === null || each.people.includes(what.person)) &&
    (what.topic === null || each.topic === what.topic) &&
    each.day >= (what.from ?? 0) &&
    (what.to === null || each.day < what.to) &&
    (what.withSecrets || !each.isSecret) &&
    (!what.inProject || each.isProject)
  );
}

describe('combined conditions', () => {
  const turns = fc.array(turn, { minLength: 1, maxLength: 16 });

  test('all apply, and everything that matches is found, in every view', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.array(asked, { minLength: 1, maxLength: 6 }), async (said, questions) => {
        const rig = await remember(said);
        for (const what of questions) {
          const expected = said.flatMap((each, i) => (answers(each, what) ? [i + 1] : []));
          const { query, options } = questionOf(what);
          const ask = (view: ExploreView) => rig.explore(query, { ...options, view });
          const timeline = await ask('timeline');
          expect(idsOf(timeline)).toEqual(
            expected.toSorted((a, b) => said[a - 1]!.day - said[b - 1]!.day || a - b),
          );
          const quote = await ask('quote');
          expect(idsOf(quote).toSorted((a, b) => a - b)).toEqual(expected);
          const scores = itemsOf(quote).map(({ score }) => score);
          expect(scores).toEqual(scores.toSorted((a, b) => b - a));
          const topic = await ask('topic');
          expect(expected).toEqual(expect.arrayContaining(idsOf(topic)));
          expect(idsOf(topic).length > 0).toBe(expected.length > 0);
        }
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});
