import { direction } from '../vectors/vectors.ts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE_MS, vectorOf } from '../../test/organize/rig.ts';
import { memberOf, passagesOf, type Member } from './passages.ts';
import type { Episode } from '../model/model.ts';

function member(unitId: number, more: Partial<Member> & { theme?: number } = {}): Member {
  const { theme = 0, ...rest } = more;
  return {
    unitId,
    conversationId: 'c',
    turnIndex: unitId,
    occurredAt: unitId * MINUTE_MS,
    vector: direction(vectorOf(theme, unitId)),
    weight: 0.6,
    ...rest,
  };
}

const idsOf = (members: readonly Member[]) => passagesOf(members).map(({ unitIds }) => unitIds);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('passages', () => {
  test('end when the subject changes', () => {
    const talk = range(0, 18).map((id) => member(id, { theme: id < 7 ? 0 : 1 }));
    expect(idsOf(talk)).toEqual([range(0, 7), range(7, 18)]);
  });

  test('end at a pause, at another conversation, and when a previous turn had another subject', () => {
    const talk = [
      member(0),
      member(1),
      member(2, { occurredAt: 120 * MINUTE_MS }),
      member(3, { conversationId: 'd', turnIndex: 2, occurredAt: 120 * MINUTE_MS }),
      member(4, { conversationId: 'd', turnIndex: 12, occurredAt: 121 * MINUTE_MS }),
    ];
    expect(idsOf(talk)).toEqual([[0, 1], [2], [3], [4]]);
  });

  test('keep turns without content together with those around them', () => {
    const talk = range(0, 6).map((id) => member(id, id % 2 === 1 ? { theme: id, weight: 0 } : {}));
    expect(idsOf(talk)).toEqual([range(0, 6)]);
    const [passage] = passagesOf(talk);
    const [plain] = passagesOf(talk.filter(({ weight }) => weight > 0));
    expect(passage?.point).toEqual(plain?.point);
  });

  test('on one subject are a single one of any length', () => {
    const talk = range(0, 40).map((id) => member(id, { vector: direction(vectorOf(0, 1)) }));
    expect(idsOf(talk)).toHaveLength(1);
  });

  test('contain every member exactly once, and at least four turns when a conversation is divided', () => {
    const talks = fc.array(
      fc.record({
        theme: fc.integer({ min: 0, max: 4 }),
        gap: fc.constantFrom(1, 1, 1, 1, 90),
        turn: fc.constantFrom(1, 1, 1, 9),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(talks, (turns) => {
        let at = 0;
        let index = 0;
        const members = turns.map(({ theme, gap, turn }, i) =>
          member(i, { theme, occurredAt: (at += gap * MINUTE_MS), turnIndex: (index += turn) }),
        );
        const passages = passagesOf(members);
        expect(passages.flatMap(({ unitIds }) => unitIds).toSorted((a, b) => a - b)).toEqual(
          range(0, turns.length),
        );
        const cut = [...Map.groupBy(passages, ({ talk }) => talk).values()].filter(
          (parts) => parts.length > 1,
        );
        expect(cut.flat().filter(({ unitIds }) => unitIds.length < 4)).toEqual([]);
        expect(passagesOf(members.toReversed())).toEqual(passages);
      }),
    );
  });
});

describe('the weight of a turn', () => {
  const weightOf = (text: string) => {
    const payload = { conversationId: 'c', turnIndex: 0, text, imageSummary: null };
    return memberOf({ id: 1, kind: 'episode', occurredAt: 0, payload } as unknown as Episode, undefined, null)
      .weight;
  };

  test.each([
    ['うん、そうだね', '来週の土曜日に那須塩原の吊り橋まで写真を撮りに行く'],
    ['嗯，好的', '下周六我们打算去那须盐原的吊桥拍照片'],
    ['ok, yes', 'Next Saturday we will take photographs of the suspension bridge'],
  ])('is small for %s, large for %s', (little, much) => {
    expect(weightOf(little)).toBeLessThan(0.3);
    expect(weightOf(much)).toBeGreaterThan(0.5);
  });
});
