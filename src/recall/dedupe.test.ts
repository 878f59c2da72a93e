import { describe, expect, it } from 'vitest';
import { unitText, type Episode } from '../model/model.ts';
import { sketchOf } from '../text/text.ts';
import { dedupe, type Fingerprints } from './dedupe.ts';
import type { Candidate } from './types.ts';

const NONE = printsWith(new Map());

describe('dedupe', () => {
  it('leaves out a unit with nearly the same characters as a better-ranked one', () => {
    const { kept, duplicates } = dedupe(
      [
        candidate(1, 'We walked over the swaying bridge in Nasu.'),
        candidate(2, 'Dinner was at the little place by the river.'),
        candidate(3, 'We walked over the swaying bridge in Nasu!'),
      ],
      NONE,
      10,
    );
    expect(kept.map(({ unit }) => unit.id)).toEqual([1, 2]);
    expect(duplicates).toEqual([{ unitId: 3, of: 1, by: 'wording' }]);
  });

  it.each([
    ['ja', '来月の京都旅行の宿はもう予約しておいたよ。', '来月の京都旅行の宿はもう予約しておいたよ'],
    ['zh', '下个月去京都旅行的酒店我已经订好了。', '下个月去京都旅行的酒店我已经订好了！'],
  ])('works in %s', (_language, first, second) => {
    const { kept } = dedupe([candidate(1, first), candidate(2, second)], NONE, 10);
    expect(kept.map(({ unit }) => unit.id)).toEqual([1]);
  });

  it('keeps different statements on the same subject', () => {
    const { kept } = dedupe(
      [
        candidate(1, 'My dentist appointment is on Monday at nine.'),
        candidate(2, 'My dentist appointment was moved to Thursday at noon.'),
      ],
      NONE,
      10,
    );
    expect(kept).toHaveLength(2);
  });

  it('leaves out a unit with nearly the same vector in other words', () => {
    const vectors = new Map([
      [1, Float32Array.of(1, 0)],
      [2, Float32Array.of(0.96, Math.sqrt(1 - 0.96 ** 2))],
      [3, Float32Array.of(0.94, Math.sqrt(1 - 0.94 ** 2))],
    ]);
    const { kept, duplicates } = dedupe(
      [
        candidate(1, 'The train leaves at seven.'),
        candidate(2, 'Departure of the railway: 7 o’clock.'),
        candidate(3, 'Our bus goes a little later.'),
      ],
      printsWith(vectors),
      10,
    );
    expect(kept.map(({ unit }) => unit.id)).toEqual([1, 3]);
    expect(duplicates).toEqual([{ unitId: 2, of: 1, by: 'cosine' }]);
  });

  it('keeps a unit with another number, since the later one may be current', () => {
    const vectors = new Map([1, 2].map((id) => [id, Float32Array.of(1, 0)]));
    const { kept } = dedupe(
      [
        candidate(1, 'My weight this morning was 72 kilos.'),
        candidate(2, 'My weight this morning was 70 kilos.'),
      ],
      printsWith(vectors),
      10,
    );
    expect(kept).toHaveLength(2);
  });

  it('keeps short texts, however similar', () => {
    const { kept } = dedupe([candidate(1, 'はい'), candidate(2, 'はい'), candidate(3, 'ok')], NONE, 10);
    expect(kept).toHaveLength(3);
  });

  it('keeps the order, stops at the limit, and does not count duplicates towards it', () => {
    const long = 'The same long sentence about the same long walk.';
    const { kept, duplicates } = dedupe(
      [candidate(9, long), candidate(4, long), candidate(7, 'Something else entirely, said later.')],
      NONE,
      2,
    );
    expect(kept.map(({ unit }) => unit.id)).toEqual([9, 7]);
    expect(duplicates).toHaveLength(1);
    const cut = dedupe([candidate(9, long), candidate(4, long)], NONE, 1);
    expect(cut).toMatchObject({ kept: [{ unit: { id: 9 } }], duplicates: [] });
  });
});

function candidate(id: number, text: string): Candidate {
  const unit = { id, kind: 'episode', payload: { text, imageSummary: null } } as Episode;
  return { unitId: id, unit, features: {}, score: 1 };
}

function printsWith(vectors: Fingerprints['vectors']): Fingerprints {
  return { vectors, sketch: (unit) => sketchOf(unitText(unit)) };
}
