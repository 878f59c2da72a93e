import { expect, test } from 'vitest';
import { normalizeStatement } from './normalizeStatement.ts';

test.each([
  ['likes the cats', 'Like cats!'],
  ['a small flat in Osaka', 'A small flat, in Osaka.'],
  ['really likes ＪＡＺＺ', 'likes jazz'],
  ['earns 1,200 a month', 'earns 1200 a month'],
  ['カレーが好きです', 'カレーは好き'],
  ['とても大きい犬', '大きい犬'],
  ['他很喜欢喝咖啡', '他喜欢喝咖啡。'],
  ['上海的一家公司', '上海一家公司'],
])('%s says the same as %s', (one, other) => {
  expect(normalizeStatement(one)).toBe(normalizeStatement(other));
});

test.each([
  ['likes cats', 'does not like cats'],
  ["can't swim", 'can swim'],
  ['has 2 cats', 'has 3 cats'],
  ['has two cats', 'has three cats'],
  ['born on 2024-05-03', 'born on 2024-05-04'],
  ['meets at 18:30', 'meets at 18:00'],
  ['gives 1.5 cups', 'gives 15 cups'],
  ['-5 degrees', '5 degrees'],
  ['writes C++', 'writes C#'],
  ['lives in Osaka', 'lived in Osaka'],
  [
    'works at the branch on the second floor of the station in Osaka',
    'works at the branch on the third floor of the station in Osaka',
  ],
  ['Ken gave Tom a book', 'Tom gave Ken a book'],
  ['from Tokyo to Osaka', 'from Osaka to Tokyo'],
  ['before the exam', 'after the exam'],
  ['猫が好き', '猫が好きではない'],
  ['猫が犬を追う', '猫を犬が追う'],
  ['東京に住んでいる', '東京に住んでいた'],
  ['猫を3匹飼っている', '猫を2匹飼っている'],
  ['私の猫', '彼の猫'],
  ['他喜欢咖啡', '他不喜欢咖啡'],
  ['他养了三只猫', '他养了两只猫'],
  ['我的猫', '他的猫'],
  ['5月3日出生', '5月4日出生'],
])('%s does not say the same as %s', (one, other) => {
  expect(normalizeStatement(one)).not.toBe(normalizeStatement(other));
});
