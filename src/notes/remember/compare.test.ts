import { describe, expect, test } from 'vitest';
import { Comparer, type Comparison } from './compare.ts';

const ZONE = 'Asia/Tokyo';
const TODAY = Date.parse('2026-11-20T12:00+09:00');

function compare(now: string, then: string, cosine: number | null = null): Comparison {
  return new Comparer({ text: now, at: TODAY }, ZONE).compare({ text: then, at: TODAY }, cosine);
}

describe('the same statement in other words', () => {
  test.each([
    ['I prefer dark mode', 'Prefers dark mode'],
    ['The user prefers dark mode.', 'I like dark mode'],
    ['I really like dark mode!', 'prefer dark mode'],
    ['Black coffee is what I like', 'I like black coffee'],
    ["I don't like coriander", 'I hate coriander'],
    ['Coffee, with no sugar', 'coffee without sugar'],
    ['wakes up at seven', 'Wakes up at 7'],
    ['朝にはコーヒーを飲みます', '朝はコーヒーを飲む'],
    ['私はダークモードが大好きです', 'ユーザーはダークモードを好む'],
    ['砂糖なしのコーヒーが好き', 'コーヒーは砂糖なしが好き'],
    ['パクチーは好きじゃない', 'パクチーが嫌い'],
    ['三時に起きる', '3時に起きる'],
    ['我喜欢深色模式', '用户偏好深色模式。'],
    ['我更喜欢深色模式', '用户喜欢深色模式'],
    ['讨厌香菜', '我不喜欢香菜'],
    ['每天跑五公里', '我每天跑5公里'],
  ])('%s = %s', (now, then) => {
    expect(compare(now, then)).toBe('same');
  });

  test('may have slightly less detail when it is similar as a whole', () => {
    const then = 'The staging server of the shop runs in Osaka on Debian behind nginx';
    expect(compare('The staging server of the shop runs in Osaka on Debian', then)).toBe('same');
    expect(compare('The server runs in Osaka', then, 0.99)).toBe('other');
  });
});

describe('a different statement with a similar vector', () => {
  test.each([
    ['another object', 'prefers light mode', 'prefers dark mode'],
    ['another object', 'I like tea', 'I like green tea'],
    ['another object', 'I like coffee', 'I like tea'],
    ['another object', 'Reply in Japanese', 'Reply in English'],
    ['another object', 'みかんが好き', 'りんごが好き'],
    ['another object', '朝は紅茶を飲む', '朝はコーヒーを飲む'],
    ['another object', '我喜欢咖啡', '我喜欢茶'],
    ['another verb', '東京で生まれた', '東京で生きた'],
    ['another verb', '明かりをつける', '明かりを消す'],
    ['a negation', 'I do not prefer dark mode', 'I prefer dark mode'],
    ['a negation', 'Never deploys on Friday', 'Deploys on Friday'],
    ['a negation', '朝はコーヒーを飲まない', '朝はコーヒーを飲む'],
    ['a negation', '我不吃辣', '我吃辣'],
    ['a negation', '密码不能写进代码', '密码能写进代码'],
    ['another number', 'Runs 10 km', 'Runs 5 km'],
    ['another number', '四時に起きる', '三時に起きる'],
    ['another number', '我每天跑六公里', '我每天跑五公里'],
    ['another date', 'Meeting on March 6', 'Meeting on March 5'],
    ['another date', '会議は水曜日', '会議は火曜日'],
    ['another date', '每周二开会', '每周一开会'],
    ['another name', 'Leo is my boss', 'Ken is my boss'],
    ['another name', 'Call me Kenny', 'Call me Ken'],
    ['another name', 'ミオの誕生日は3月5日', 'レオの誕生日は3月5日'],
    ['another name', '我妹妹叫小明', '我妹妹叫小红'],
    ['another person', 'He likes tea', 'She likes tea'],
    ['changed places', 'Mia owes Ken money', 'Ken owes Mia money'],
    ['changed places', '佐藤さんは田中さんより背が高い', '田中さんは佐藤さんより背が高い'],
    ['changed places', '大阪から東京へ行く', '東京から大阪へ行く'],
    ['changed places', '小李喜欢小王', '小王喜欢小李'],
    ['another tense', 'I live in Osaka', 'I lived in Osaka'],
    ['another tense', '大阪に住んでいる', '大阪に住んでいた'],
    ['another tense', '我住在北京', '我住过北京'],
  ])('%s: %s ≠ %s', (_, now, then) => {
    expect(compare(now, then, 1)).toBe('other');
    expect(compare(then, now, 1)).not.toBe('same');
  });

  test('a date relative to another day', () => {
    const now = new Comparer({ text: 'dentist tomorrow', at: TODAY }, ZONE);
    const earlier = (day: string) => ({ text: 'dentist tomorrow', at: Date.parse(`${day}T12:00+09:00`) });
    expect(now.compare(earlier('2026-11-20'), null)).toBe('same');
    expect(now.compare(earlier('2026-11-13'), null)).toBe('other');
    expect(now.compare({ text: 'dentist tomorrow', at: null }, null)).toBe('other');
    const birthday = new Comparer({ text: 'Birthday on 2026-12-05', at: TODAY }, ZONE);
    expect(birthday.compare({ text: 'birthday on 2026-12-05', at: null }, null)).toBe('same');
  });

  test('texts without common words, or without content', () => {
    expect(compare('Lives in Osaka', 'Likes tea', 1)).toBe('other');
    expect(compare('♪♪♪', '♪♪♪')).toBe('other');
    expect(compare('of the', 'of the')).toBe('other');
  });
});

describe('a statement with more detail', () => {
  test.each([
    ['I like green tea with honey in the morning', 'I like green tea with honey'],
    ['朝はいつもコーヒーを飲む', '朝はコーヒーを飲む'],
    ['我喜欢深色模式和大字体', '我喜欢深色模式'],
  ])('%s > %s', (now, then) => {
    expect(compare(now, then)).toBe('more');
  });

  test('is recognised by vectors when the wording is very different', () => {
    const [now, then] = [
      'Deploys go out on Tuesday evening from the blue pipeline, once tests pass',
      'Blue deploys',
    ];
    expect(compare(now, then)).toBe('other');
    expect(compare(now, then, 0.9)).toBe('more');
  });
});
