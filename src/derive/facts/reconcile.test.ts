import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UnitOf } from '../../model/model.ts';
import type { UnitChange } from '../../store/store.ts';
import { isAlike, isCloser } from './similarity.ts';
import type { Evidence, FoundFact } from './foundFact.ts';
import { predicateKey } from '../../text/text.ts';
import { reconcile } from './reconcile.ts';
import { subjectKey, tidySubject, userNames, writeSubject } from './subjects.ts';

type Fact = UnitOf<'fact'>;

const NOBODY = userNames([]);

function found(object: string, more: Partial<FoundFact> = {}): FoundFact {
  const nothing = { validFrom: null, validTo: null, ends: false, contradicts: null };
  return { subject: 'user', predicate: 'lives in', object, confidence: 0.5, ...nothing, ...more };
}

function evidence(unitId: number, at: number): Evidence {
  return { unitId, at, source: 'test', sensitivity: 'normal', scope: 'global', maxConfidence: 0.6 };
}

/** The known facts after the changes, as a store would have them. */
function apply(known: readonly Fact[], changes: readonly UnitChange[]): Fact[] {
  const facts = new Map(known.map((fact) => [fact.id, fact]));
  for (const change of changes) {
    if (change.type === 'add') {
      const { content, ...unit } = change.unit;
      const id = 1_000 + facts.size;
      facts.set(id, { ...unit, ...content, id, version: 1, reinforcement: 0 } as unknown as Fact);
    } else if (change.type === 'update') {
      const { content, ...set } = change.set;
      const before = facts.get(change.unitId)!;
      facts.set(before.id, { ...before, ...set, ...content, version: before.version + 1 } as Fact);
    }
  }
  return [...facts.values()];
}

function learn(said: readonly { at: number; object: string }[]): Fact[] {
  let known: Fact[] = [];
  for (const { at, object } of said) {
    known = apply(known, reconcile([found(object)], known, NOBODY, evidence(at, at)));
  }
  return known;
}

describe('exclusive facts', () => {
  const places = ['Oslo', 'Lima', 'Cairo', 'Tokyo', 'Paris', 'Delhi'];
  const inAnyOrder = fc
    .uniqueArray(fc.constantFrom(...places), { minLength: 1 })
    .map((chosen) => chosen.map((object, i) => ({ at: 100 * (i + 1), object })))
    .chain((said) => fc.shuffledSubarray(said, { minLength: said.length }));

  test('the last stated one is valid, each earlier one until the next, in any order of arrival', () => {
    fc.assert(
      fc.property(inAnyOrder, (said) => {
        const known = learn(said);
        const told = said.toSorted((a, b) => a.at - b.at);
        const spans = new Map(known.map(({ payload }) => [payload.object, payload.validTo]));
        expect(told.map(({ object }) => spans.get(object))).toEqual([
          ...told.slice(1).map(({ at }) => at),
          null,
        ]);
      }),
    );
  });

  test('processing everything again changes nothing', () => {
    fc.assert(
      fc.property(inAnyOrder, (said) => {
        const known = learn(said);
        const again = said.flatMap(({ at, object }) =>
          reconcile([found(object)], known, NOBODY, evidence(at, at)),
        );
        expect(again).toEqual([]);
      }),
    );
  });
});

describe('one episode', () => {
  test('keeps both of two exclusive facts that it states', () => {
    const known = apply([], reconcile([found('Oslo'), found('Lima')], [], NOBODY, evidence(1, 100)));
    expect(known.map(({ payload }) => payload.validTo)).toEqual([null, null]);
  });

  test('keeps a fact that it states twice once', () => {
    expect(reconcile([found('Oslo'), found('Oslo')], [], NOBODY, evidence(1, 100))).toHaveLength(1);
  });

  test('about the past does not close a current fact', () => {
    const known = apply([], reconcile([found('Oslo')], [], NOBODY, evidence(1, 100)));
    const past = found('Lima', { validFrom: 10, validTo: 20 });
    const after = apply(known, reconcile([past], known, NOBODY, evidence(2, 200)));
    expect(after.map(({ payload }) => [payload.object, payload.validTo])).toEqual([
      ['Oslo', null],
      ['Lima', 20],
    ]);
  });

  test('about leaving a job closes the job and its place', () => {
    const work = [
      found('nurse', { predicate: 'works as' }),
      found('City Hospital', { predicate: 'works at' }),
    ];
    const known = apply([], reconcile(work, [], NOBODY, evidence(1, 100)));
    const left = found('', { predicate: 'works at', ends: true });
    const after = apply(known, reconcile([left], known, NOBODY, evidence(2, 200)));
    expect(after.map(({ payload }) => payload.validTo)).toEqual([200, 200]);
  });
});

describe('similar wordings', () => {
  test.each([
    ['spicy food', 'Spicy foods'],
    ['a black cat', 'black cat'],
    ['京都', '京都'],
    ['チーズケーキ', '「チーズケーキ」'],
  ])('%s and %s are alike', (one, other) => {
    expect(isAlike(one, other)).toBe(true);
  });

  test.each([
    ['3 May 1990', '3 May 1991'],
    ['34', '35'],
    ['coffee', 'tea'],
    ['猫', '犬'],
  ])('%s and %s are different', (one, other) => {
    expect(isAlike(one, other)).toBe(false);
    expect(isCloser(one, other)).toBe(false);
  });

  test.each([
    ['Osaka', 'Osaka, Japan', true],
    ['大阪', '大阪市', true],
    ['横浜', '神奈川県横浜市', true],
    ['京都', '東京都', false],
    ['York', 'New Orleans', false],
  ])('%s and %s are both the place %s', (one, other, isOne) => {
    expect(isCloser(one, other)).toBe(isOne);
  });
});

describe('subjects', () => {
  const named = userNames(
    learn([{ at: 1, object: 'Ken' }]).map((fact) => ({
      ...fact,
      payload: { ...fact.payload, predicate: 'is called' },
    })),
  );

  test('the user is called by name once it is known, and recognised by any word for users', () => {
    expect(named.shown).toBe('Ken');
    for (const word of ['user', 'Ken', 'KEN', 'ユーザー', '用户', 'the user'])
      expect(subjectKey(word, named)).toBe('user');
    expect(subjectKey('Anna', named)).toBe('anna');
    expect(writeSubject('user', null, named, 'en')).toBe('Ken');
    expect(writeSubject('Anna', '妹', named, 'ja')).toBe('Annaの妹');
  });

  test('a relative is the same in every language', () => {
    const keys = ["Ken's mother", "user's mom", 'userの母', 'Kenのお母さん', 'user的妈妈'].map((one) =>
      subjectKey(one, named),
    );
    expect(new Set(keys)).toEqual(new Set(['user/mother']));
    expect(subjectKey('userの妹', named)).toBe(subjectKey('user的妹妹', named));
    expect(subjectKey('userの妹', named)).not.toBe(subjectKey('userの姉', named));
  });

  test('“I” refers to the speaker', () => {
    expect(tidySubject('I', 'user', named)).toBe('Ken');
    expect(tidySubject('私', 'Anna', named)).toBe('Anna');
    expect(tidySubject("the user's dog", 'user', named)).toBe("Ken's dog");
    expect(tidySubject('Berlin', 'user', named)).toBe('Berlin');
  });
});

test('predicates are compared by meaning', () => {
  expect(['lives in', '住まい', '住在', 'Residence'].map(predicateKey)).toEqual(Array(4).fill('home'));
  expect(
    ['has as favourite food', 'favorite food', '一番好きなfood', '最喜欢的food'].map(predicateKey),
  ).toEqual(Array(4).fill('favourite:food'));
  expect(predicateKey('has  run')).toBe('has run');
});
