import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchAcrossFiles, matchWithinFile, type Known } from './matching.ts';

const section = (section: string, text: string): Known => ({ section, text });
const paired = (before: readonly Known[], now: readonly Known[], match = matchWithinFile) =>
  match(before, now)
    .pairs.map(([one, other]) => [before.indexOf(one), now.indexOf(other)])
    .toSorted();

const coffee = 'She drinks coffee every morning before anybody else is awake, black and without sugar.';
const river = '川沿いを毎週日曜日の朝に一時間ほど散歩して、帰りにパンを買う。';
const deploy = '周五下午不要部署，除非是安全修复，而且有人值班。';

test('an unchanged section keeps its unit, wherever it moves', () => {
  const before = [section('A', coffee), section('B', river), section('C', deploy)];
  expect(paired(before, [section('C', deploy), section('New', coffee), section('B', river)])).toEqual([
    [0, 1],
    [1, 2],
    [2, 0],
  ]);
});

test('the only section with a heading keeps its unit, however it is rewritten', () => {
  expect(paired([section('A', coffee)], [section('A', deploy)])).toEqual([[0, 0]]);
});

test('a renamed and edited section is matched by similarity', () => {
  const now = [section('Rules', `${deploy}周一再说。`), section('Walks', `${river}雨の日は休む。`)];
  expect(paired([section('川', river), section('部署', deploy)], now)).toEqual([
    [0, 1],
    [1, 0],
  ]);
});

test('parts of one section are matched by similarity, and a different part is new', () => {
  const before = [section('A', coffee), section('A', river)];
  const now = [section('A', `${river}新しい靴で。`), section('A', 'Something else entirely, about trains.')];
  const { pairs, gone, added } = matchWithinFile(before, now);
  expect(pairs).toEqual([[before[1], now[0]]]);
  expect(gone).toEqual([before[0]]);
  expect(added).toEqual([now[1]]);
});

test('sections of two files with the same heading are not matched with each other', () => {
  expect(paired([section('Tasks', coffee)], [section('Tasks', deploy)], matchAcrossFiles)).toEqual([]);
  expect(paired([section('Tasks', coffee)], [section('Else', coffee)], matchAcrossFiles)).toEqual([[0, 0]]);
});

test('every section is matched once, removed or added', () => {
  const known = fc.record({
    section: fc.constantFrom('A', 'B', 'A > B'),
    text: fc.constantFrom(coffee, `${coffee} Not today.`, river, deploy, 'x'),
  });
  fc.assert(
    fc.property(fc.array(known, { maxLength: 8 }), fc.array(known, { maxLength: 8 }), (before, now) => {
      const { pairs, gone, added } = matchWithinFile(before, now);
      expect(new Set([...pairs.map(([one]) => one), ...gone])).toEqual(new Set(before));
      expect(new Set([...pairs.map(([, one]) => one), ...added])).toEqual(new Set(now));
      expect(pairs.length + gone.length).toBe(before.length);
      expect(pairs.length + added.length).toBe(now.length);
    }),
  );
});
