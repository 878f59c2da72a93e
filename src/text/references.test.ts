import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findReferences } from './references.ts';

function say(...texts: string[]) {
  return texts.map((text, index) => ({ speaker: index % 2 === 0 ? 'user' : 'ai', text }));
}

describe('Japanese', () => {
  test('a demonstrative with a noun refers to an earlier mention of the noun', () => {
    const found = findReferences(
      'あの旅行、また行きたいな。',
      say('去年の京都旅行の写真を見てた', 'いいですね！'),
    );
    expect(found).toContainEqual({ kind: 'anaphora', surface: 'あの旅行', resolved: '去年の京都旅行' });
  });

  test('a demonstrative alone refers to what was last mentioned', () => {
    const found = findReferences('それ、面白かった？', say('昨日やっと『君の名は』を観たよ'));
    expect(found[0]).toEqual({ kind: 'anaphora', surface: 'それ', resolved: '君の名は' });
  });

  test('“she” is the last person, “there” the last place', () => {
    expect(findReferences('彼女は元気？', say('田中さんに会ったよ'))[0]?.resolved).toBe('田中さん');
    expect(findReferences('そこは寒かった？', say('先月、北海道に行ってきた'))[0]?.resolved).toBe('北海道');
  });

  test('times that the speakers share are temporal, things talked about are topics', () => {
    expect(findReferences('この前のお店、また行こう', [])[0]).toEqual({
      kind: 'temporal',
      surface: 'この前',
      resolved: null,
    });
    expect(findReferences('例の件はどうなりましたか', say('引っ越しの見積もりを待っています'))[0]?.kind).toBe(
      'topic',
    );
  });

  test('an answer or a predicate alone is elliptical', () => {
    expect(findReferences('もう食べた？', say('お弁当を作ったよ'))).toEqual([
      { kind: 'ellipsis', surface: 'もう食べた', resolved: '弁当' },
    ]);
    expect(findReferences('うん、楽しかった。', []).map(({ kind }) => kind)).toEqual(['ellipsis']);
  });

  test('conjunctions that look like demonstratives are not references', () => {
    for (const text of ['それでは駅で待っています', 'それから仕事が忙しくて', 'これから会社が休みです']) {
      expect(findReferences(text, [])).toEqual([]);
    }
  });
});

describe('Chinese', () => {
  test('finds demonstratives, pronouns and places', () => {
    expect(findReferences('那次旅行真开心', say('去年的北京旅行照片还在吗'))[0]).toMatchObject({
      kind: 'anaphora',
      surface: '那次旅行',
    });
    expect(findReferences('她最近怎么样？', say('昨天妈妈给我打电话了'))[0]?.resolved).toBe('妈妈');
    expect(findReferences('那里冷不冷？', say('我上周去哈尔滨了'))[0]).toMatchObject({
      surface: '那里',
      resolved: '哈尔滨',
    });
  });

  test('finds shared times and topics', () => {
    expect(findReferences('上次说的书买到了吗？', [])[0]).toMatchObject({
      kind: 'topic',
      surface: '上次说的',
    });
    expect(findReferences('那天晚上我很期待', [])[0]?.kind).toBe('temporal');
  });

  test('finds elliptical answers and questions', () => {
    expect(findReferences('嗯，很喜欢', say('你喜欢《三体》吗？'))).toEqual([
      { kind: 'ellipsis', surface: '嗯，很喜欢', resolved: '三体' },
    ]);
    expect(findReferences('为什么呢？', [])[0]?.kind).toBe('ellipsis');
  });

  test('a complete sentence has no references', () => {
    expect(findReferences('我明天要和张伟去上海看展览', say('好的'))).toEqual([]);
  });
});

describe('English', () => {
  test('pronouns refer to the last person, demonstratives to what was named', () => {
    expect(findReferences('Did she like it?', say('I gave Anna a scarf, and then Melanie came'))[0]).toEqual({
      kind: 'anaphora',
      surface: 'she',
      resolved: 'Melanie',
    });
    expect(
      findReferences('I loved that trip', say('We still talk about the camping trip', 'Nice!'))[0],
    ).toMatchObject({
      surface: 'that trip',
      resolved: 'camping trip',
    });
  });

  test('finds “that one”, “last time” and “what we discussed”', () => {
    const kinds = (text: string) => findReferences(text, []).map(({ kind, surface }) => [kind, surface]);
    expect(kinds('Can I have that one?')).toEqual([['anaphora', 'that one']]);
    expect(kinds('Last time it rained all day')).toContainEqual(['temporal', 'Last time']);
    expect(kinds('Is the plan we discussed ready?')).toEqual([['topic', 'the plan we discussed']]);
  });

  test('“that” before a clause is not a reference', () => {
    expect(findReferences('I think that people should read more', [])).toEqual([]);
  });

  test('finds elliptical answers and fragments', () => {
    expect(findReferences('Yes, please do', say('Shall I book the mountain cabin?')).at(-1)).toEqual({
      kind: 'ellipsis',
      surface: 'Yes, please do',
      resolved: 'mountain cabin',
    });
    expect(findReferences('What about tomorrow?', [])[0]?.kind).toBe('ellipsis');
  });
});

test('every surface occurs in the utterance, in order, and every referent in a recent line', () => {
  const piece = fc.constantFrom(
    'あの旅行',
    'それ',
    '彼女',
    'この前',
    '例の件',
    '那个',
    '她',
    '上次说的',
    'she',
    'that one',
    'last time',
    '、',
    ' ',
    '行く',
    '看书',
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(
      text,
      fc.array(fc.oneof(text, fc.string({ unit: 'binary' })), { maxLength: 3 }),
      (utterance, lines) => {
        let from = 0;
        for (const { kind, surface, resolved } of findReferences(utterance, say(...lines))) {
          const at = utterance.indexOf(surface, kind === 'ellipsis' ? 0 : from);
          expect(at).toBeGreaterThanOrEqual(0);
          if (kind !== 'ellipsis') from = at + surface.length;
          expect(resolved === null || lines.some((line) => line.includes(resolved))).toBe(true);
        }
      },
    ),
  );
});
