import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { terms } from './terms.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 80 })
    .map((units) => String.fromCharCode(...units)),
);

describe('English', () => {
  test('is stemmed, without possessives, contractions and stop words', () => {
    expect(terms("What did Melanie's daughters say about the paintings?")).toEqual([
      'melani',
      'daughter',
      'sai',
      'paint',
    ]);
    expect(terms("We don't know; they’ve won't, can't, it's")).toEqual(['know']);
    expect(terms("O'Brien's rock'n'roll 'quoted'")).toEqual(['obrien', 'rocknrol', 'quot']);
  });

  test('maps irregular forms to the form used in questions', () => {
    expect(terms('She went and bought what they had eaten')).toEqual(terms('go buy eat'));
    expect(terms('children, women')).toEqual(terms('child woman'));
  });

  test('keeps May (the month), and names that are also auxiliaries', () => {
    expect(terms('in May with Will')).toEqual(['mai', 'will']);
  });

  test('keeps numbers whole', () => {
    expect(terms('It cost $1,200,000 on 14:30')).toEqual(['cost', '1200000', '14', '30']);
  });
});

describe('Japanese and Chinese', () => {
  test('are split into characters and pairs, without grammatical words', () => {
    expect(terms('動物園に')).toEqual(['動', '動物', '物', '物園', '園', '園に']);
    expect(terms('ありがとうございます')).toEqual([]);
    expect(terms('北京的红叶')).toEqual(['北', '北京', '京', '京的', '的红', '红', '红叶', '叶']);
    expect(terms('我的，可以，不是吗')).toEqual([]);
  });

  test('keep loan words whole in addition to their pairs', () => {
    expect(terms('赤いドラマ')).toEqual(['赤', '赤い', 'いド', 'ドラ', 'ラマ', 'ドラマ']);
    expect(terms('ヌーの')).toEqual(['ヌー', 'ーの']);
  });

  test('keep iteration marks, long vowels and rare ideographs together', () => {
    expect(terms('人々')).toEqual(['人', '人々', '々']);
    expect(terms('コーヒー')).toContain('コーヒー');
    expect(terms('𠮷野家')).toContain('𠮷野');
  });

  test('are split from other scripts and digits', () => {
    expect(terms('iPhone15を3台')).toEqual(['iphone15', '3', '台']);
  });

  test('are the same in every width and normalization form', () => {
    expect(terms('ﾄﾞﾗﾏ')).toEqual(terms('ドラマ'));
    expect(terms('ト\u3099ラマ')).toEqual(terms('ドラマ'));
    expect(terms('ＡＢＣ１２３')).toEqual(['abc123']);
  });
});

describe('other scripts', () => {
  test('are words in scripts with spaces, without Latin diacritics', () => {
    expect(terms('МОСКВА café Ångström')).toEqual(['москва', 'cafe', 'angstrom']);
  });

  test('are pairs in scripts without spaces', () => {
    expect(terms('한국어 책')).toEqual(['한국', '국어', '책']);
    expect(terms('สวัส')).toEqual(['สวั', 'วัส']);
  });
});

describe('any text', () => {
  test('has terms of letters, digits and marks only, at most 64 characters long', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const term of terms(text)) {
          expect(term).toMatch(/^[\p{L}\p{N}\p{M}]+$/u);
          expect(Array.from(term).length).toBeLessThanOrEqual(64);
        }
      }),
    );
  });

  test('has the same terms in any width and, apart from ASCII case, in any case', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(terms(text.normalize('NFKC'))).toEqual(terms(text));
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(terms(text.toUpperCase())).toEqual(terms(text.toLowerCase()));
      }),
    );
  });

  test('may contain emoji, lone surrogates and very long words', () => {
    expect(terms('x\ud800y 😀👍🏽 ok sea')).toEqual(['x', 'y', 'sea']);
    expect(terms('a'.repeat(5000))).toEqual(['a'.repeat(64)]);
    expect(terms('')).toEqual([]);
  });
});
