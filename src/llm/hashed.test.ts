import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createHashedEmbedder } from './hashed.ts';

const embedder = createHashedEmbedder();

async function embed(...texts: string[]): Promise<Float32Array[]> {
  return embedder.embed(texts, 'document');
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, d) => sum + value * (b[d] ?? 0), 0);
}

describe('similarity', () => {
  test.each([
    ['昨日は京都のお寺に行きました', '京都のお寺へまた行きたい', '会議の資料を今夜まとめます'],
    ['我上周在北京见到了小王', '上周你在北京见了谁', '今天的晚饭很好吃'],
    ['I adopted a little black cat', 'her cats were adopted', 'The invoice is due on Monday'],
    ['ＡＢＣ　ﾃｽﾄ', 'abc テスト', 'まったく別の文'],
  ])('%s is nearer to “%s” than to “%s”', async (...texts) => {
    const [text, like, unlike] = await embed(...texts);
    expect(dot(text!, like!)).toBeGreaterThan(dot(text!, unlike!) + 0.1);
  });
});

test('any text has a vector of length one or zero, the same each time and in any batch', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('a', 'あ', '漢', '。', ' ', '!', '😀') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(text), async (texts) => {
      const vectors = await embed(...texts);
      for (const [i, vector] of vectors.entries()) {
        expect(vector).toHaveLength(256);
        const length = Math.sqrt(dot(vector, vector));
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true);
        expect((await embed(texts[i]!))[0]).toEqual(vector);
      }
    }),
  );
});

test('white space and punctuation have the zero vector', async () => {
  expect(await embed('', ' \n\t', '。、…「」')).toEqual(
    Array.from({ length: 3 }, () => new Float32Array(256)),
  );
});

test('vectors equal those of version 1, which memories store', async () => {
  const vectors = await embed(
    '昨日、京都へ行った！',
    '我们明天去看电影吧',
    'Caroline’s cats don’t like cats 😀',
  );
  const rounded = vectors.map((vector) => Array.from(vector, (value) => Math.round(value * 1000)));
  const digest = createHash('sha256').update(JSON.stringify(rounded)).digest('hex').slice(0, 16);
  expect([embedder.id, digest]).toEqual(['omoide-hashed-v1', '7abee26decc15ec2']);
});
