import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as tables from './nameTables.ts';
import { foldName, nameKeys, sameName, wholeNameKeys } from './names.ts';

describe('one name', () => {
  test.each([
    [
      'Japanese, in every script and with every title',
      [
        '田中',
        '田中さん',
        '田中課長',
        '田中部長さん',
        'たなか',
        'タナカくん',
        'Tanaka',
        'ＴＡＮＡＫＡ',
        'Tanaka-san',
        'Mr. Tanaka',
      ],
    ],
    ['with long vowels written or not', ['佐藤', 'さとう', 'サトー', 'Sato', 'Satou', 'Satō', '佐藤先生']],
    ['in either romanisation', ['しんじ', 'Shinji', 'Sinzi', 'シンジちゃん']],
    ['with n before p', ['しんぺい', 'Shinpei', 'Shimpei']],
    ['with an apostrophe or none', ['じゅんいち', "Jun'ichi", 'Junichi', '純一']],
    [
      'whole, in either order',
      ['田中太郎', '田中 太郎', '田中たろう', 'Tanaka Taro', 'Taro Tanaka', 'Tarō Tanaka', '田中太郎様'],
    ],
    ['in old and new characters', ['渡辺', '渡邊', '渡邉さん', 'Watanabe', 'わたなべ']],
    ['of another spelling but the same sound', ['斎藤', '斉藤', 'Saitō']],
    ['a given name', ['美咲', 'みさき', 'ミサキちゃん', 'Misaki', '美咲先輩']],
    ['Chinese, with every title', ['王', '王先生', '老王', '王老师', '王總', 'Wang', 'Mr Wang', '王哥']],
    ['simplified and traditional', ['陈', '陳', '陳老師', '陈女士', 'Chen', '小陈']],
    ['of two characters', ['欧阳', '歐陽', '歐陽先生', 'Ouyang']],
    ['in Chinese and in Japanese', ['林', 'Lin', '林先生']],
    [
      'English, with every title',
      ['Connor', 'Dr. Connor', 'Mrs Connor', 'CONNOR', 'Prof. Dr. Connor', 'Connor, PhD'],
    ],
    ['with and without marks', ['José', 'Jose', 'JOSÉ']],
    ['with and without signs', ["O'Brien", 'O’Brien', 'Obrien']],
    ['with a space, a hyphen or neither', ['Jean-Luc', 'Jean Luc', 'Jeanluc']],
    ['that is no person’s', ['東京タワー', '东京タワー', ' 東京タワー ']],
  ])('%s', (_what, names) => {
    const [first = '', ...others] = names;
    const alike = others.filter((name) => sameName(first, name) && sameName(name, first));
    expect(alike).toEqual(others);
  });

  test.each([
    ['田中', '中田'],
    ['田中', '田中太郎'],
    ['Sarah', 'Sarah Connor'],
    ['Sarah Connor', 'Sarah Smith'],
    ['胡先生', '傅先生'],
    ['小林', '林'],
    ['王先生', '王女士'],
    ['老王', '小王'],
    ['Mr. Brown', 'Mrs. Brown'],
    ['表哥', '表姐'],
    ['お母さん', 'お父さん'],
    ['Louis', 'Lois'],
    ['रवि', 'रव'],
    ['', ''],
  ])('does not match %s and %s', (a, b) => {
    expect(sameName(a, b)).toBe(false);
  });
});

describe('keys', () => {
  test('of parts come after those of the whole', () => {
    expect(nameKeys('Sarah Connor')).toEqual(['sarahconnor', 'connorsarah', 'sarah', 'connor']);
    expect(wholeNameKeys('Sarah Connor')).toEqual(['sarahconnor', 'connorsarah']);
    expect(nameKeys('Dr. J. Connor')).toEqual(['jconnor', 'connorj', 'connor']);
    expect(nameKeys('田中太郎さん')).toEqual(['田中太郎', 'tanakataro', '田中', 'tanaka', '太郎', 'taro']);
    expect(nameKeys('王小明')).toEqual(['王小明', '王', 'wang', '小明']);
    expect(nameKeys('歐陽修')).toEqual(['欧阳修', '欧阳', 'ouyang', '修']);
  });

  test('of a surname with several readings include all of them', () => {
    expect(wholeNameKeys('林')).toEqual(['林', 'hayashi', 'lin']);
    expect(wholeNameKeys('山崎')).toEqual(['山崎', 'yamazaki', 'yamasaki']);
  });

  test('keep endings that only resemble a title', () => {
    expect(wholeNameKeys('さん')).toEqual(['san']);
    expect(wholeNameKeys('先生')).toEqual(['先生']);
    expect(wholeNameKeys('小姐')).toEqual(['小姐']);
    expect(wholeNameKeys('Jackie Chan')).toContain('jackiechan');
    expect(wholeNameKeys('San Francisco')).toContain('sanfrancisco');
    expect(wholeNameKeys('大阪')).toEqual(['大阪']);
    expect(wholeNameKeys('Captain America')).toContain('captainamerica');
    expect(wholeNameKeys('Doctor')).toEqual(['doctor']);
  });

  test('of a name of symbols are the name itself; only a blank name has none', () => {
    expect(nameKeys('…!?')).toEqual([foldName('…!?')]);
    expect(nameKeys(' \u3000\u200b')).toEqual([]);
  });
});

const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(
      fc.constantFrom('田中', '王', 'さん', '先生', 'Tanaka', ' ', '-', 'Dr. ', '小', 'たろう', '・', 'é'),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
);

describe('any text', () => {
  test('has keys that do not depend on width, case, or surrounding blanks, and is found by them', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const keys = nameKeys(name);
        expect(new Set(keys).size).toBe(keys.length);
        expect(keys.every((key) => key !== '')).toBe(true);
        expect(keys.slice(0, wholeNameKeys(name).length)).toEqual(wholeNameKeys(name));
        expect(keys.length === 0).toBe(foldName(name) === '');
        expect(nameKeys(`  ${foldName(name)} `)).toEqual(keys);
        expect(sameName(name, name)).toBe(keys.length > 0);
      }),
    );
  });

  test('that is too long for a name is identified by its beginning', () => {
    for (const part of ['田中', 'a-', 'kaki', 'さん', '小', 'Dr. ']) {
      const long = part.repeat(100_000);
      expect(nameKeys(`${long}x`)).toEqual(nameKeys(long));
      expect(nameKeys(`x${long}`)).not.toEqual(nameKeys(long));
    }
  });
});

describe('the tables', () => {
  const items = (table: string) => table.split(/\s+/u).filter((item) => item !== '');

  test.each([
    ['JAPANESE_SURNAMES', tables.JAPANESE_SURNAMES, 400],
    ['JAPANESE_GIVEN_NAMES', tables.JAPANESE_GIVEN_NAMES, 200],
    ['CHINESE_SURNAMES', tables.CHINESE_SURNAMES, 100],
  ])('%s contain names and readings alternately, each name once', (_name, table, least) => {
    const all = items(table);
    const names = all.filter((_, i) => i % 2 === 0);
    expect(names.filter((name) => !/^[\p{Script=Han}々]+$/u.test(name))).toEqual([]);
    expect(all.filter((reading, i) => i % 2 === 1 && !/^[a-z]+(?:\/[a-z]+)*$/.test(reading))).toEqual([]);
    expect(names.length).toBeGreaterThanOrEqual(least);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  test('contain every character with several readings once', () => {
    const characters = Array.from(items(tables.VARIANTS).join(''));
    expect(characters.filter((character, i) => characters.indexOf(character) !== i)).toEqual([]);
  });
});
