import { expect, test } from 'vitest';
import type { Language } from '../../../text/text.ts';
import { phrasesIn } from './phrases.ts';

const titles = (text: string, language: Language, names: readonly string[] = []) =>
  phrasesIn(text, language, names, () => false).map((phrase) => phrase.text);

test.each([
  ['松島の遊覧船で酔った', '遊覧船', '遊覧'],
  ['西荻窪の部屋は狭い', '西荻窪', '荻窪'],
  ['貸切風呂を予約した', '貸切風呂', '風呂中'],
])('a Japanese compound is a phrase as a whole: %s', (text, whole, part) => {
  const found = titles(text, 'ja');
  expect(found).toContain(whole);
  expect(found).not.toContain(part);
});

test.each([
  ['県大会出ることになった', '県大会出'],
  ['私電車に乗った', '私電車'],
])('a verb or a person next to it is not part of it: %s', (text, wrong) => {
  expect(titles(text, 'ja').join()).not.toContain(wrong);
});

test.each<[Language, string, RegExp]>([
  ['en', 'less money tho, and i cant eat peanuts', /tho|cant/],
  ['zh', '你什么时候带她去看熊猫', /什么时候/],
])('casual words and questions are not subjects; %s: %s', (language, text, wrong) => {
  const found = titles(text, language);
  expect(found.length).toBeGreaterThan(0);
  expect(found.join()).not.toMatch(wrong);
});
