import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert as assertProperty, property, string } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUNDLED_MODEL_PATH, VERSION, loadStaticModel } from './static.ts';

const model = loadStaticModel();

function cosine(first: string, second: string): number {
  const [a, b] = [model.embed(first), model.embed(second)];
  return a.reduce((sum, value, d) => sum + value * (b[d] ?? 0), 0);
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

describe('the bundled data file', () => {
  const bytes = readFileSync(BUNDLED_MODEL_PATH);

  it('has the recorded hash', () => {
    const recorded = readFileSync(BUNDLED_MODEL_PATH.replace(/\.bin$/, '.sha256'), 'utf8').split(' ')[0];
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(recorded);
  });

  it('stays under 25 MB', () => {
    expect(bytes.length).toBeLessThan(25_000_000);
  });

  it('names its version in the id, and has 256 dimensions', () => {
    expect(model.id).toBe(`omoide-static-v${VERSION}`);
    expect(model.dimensions).toBe(256);
  });
});

describe('embed', () => {
  it('gives the same vector for the same text, whatever was embedded before', () => {
    const before = model.embed('先週、友だちと海に行った。');
    model.embed('Something else entirely, and rather longer than the first.');
    expect(model.embed('先週、友だちと海に行った。')).toEqual(before);
    expect(loadStaticModel().embed('先週、友だちと海に行った。')).toEqual(before);
  });

  it('is of length one or zero, and finite, for any text', () => {
    assertProperty(
      property(string({ unit: 'binary', maxLength: 200 }), (text) => {
        const vector = model.embed(text);
        const length = lengthOf(vector);
        expect(vector).toHaveLength(model.dimensions);
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true);
      }),
    );
  });

  it.each(['', '   ', '\n\t', '。、', '---'])('gives the zero vector for %j', (text) => {
    expect(lengthOf(model.embed(text))).toBe(0);
  });

  it.each([
    'a',
    '猫',
    'ァ',
    '!',
    '7',
    'zxqv',
    '\ud83d',
    '\udc31',
    '\ud83d\ud83d',
    '🐱',
    '한국어',
    'Ω',
    '\u0000x',
  ])('gives %j a vector of length one', (text) => {
    expect(lengthOf(model.embed(text))).toBeCloseTo(1, 5);
  });

  it('reads only the beginning of a very long text', () => {
    const beginning = '昨日は映画を見た。The film was long. '.repeat(400);
    const whole = beginning + 'それから寝た。'.repeat(1_400_000);
    expect(whole.length).toBeGreaterThan(9_000_000);
    expect(model.embed(whole)).toEqual(model.embed(beginning));
  });

  it.each([
    ['ABC', 'ａｂｃ'],
    ['ﾈｺ', 'ネコ'],
    ['我們明天去圖書館', '我们明天去图书馆'],
  ])('gives %s and %s the same vector', (first, second) => {
    expect(cosine(first, second)).toBeGreaterThan(0.999);
  });
});

describe('meaning', () => {
  it.each([
    ['猫が好きです', 'I like cats', 'The train to the airport was late'],
    ['我喜欢猫', 'I like cats', 'The train to the airport was late'],
    ['猫が好きです', '我喜欢猫', '去机场的火车晚点了'],
    [
      '明日の会議は何時からですか',
      'What time does the meeting start tomorrow?',
      'My sister bakes good bread',
    ],
    ['明天的会议几点开始？', 'What time does the meeting start tomorrow?', 'My sister bakes good bread'],
    ['My brother is afraid of dogs', '弟は犬が怖い', '来月の家賃を払わなければならない'],
    ['My brother is afraid of dogs', '我弟弟怕狗', '下个月我得付房租'],
  ])('%s: nearer to “%s” than to “%s”', (text, translation, other) => {
    expect(cosine(text, translation)).toBeGreaterThan(cosine(text, other) + 0.2);
  });

  it.each([
    ['She bought a new car', 'She purchased an automobile', 'She wrote a long letter'],
    ['母が病気で入院した', 'お母さんは病院にいます', '昨日の夜は星がきれいだった'],
    ['他昨天没来上班', '昨天他没有去公司', '这道菜太咸了'],
  ])('in one language, %s: nearer to “%s” than to “%s”', (text, paraphrase, other) => {
    expect(cosine(text, paraphrase)).toBeGreaterThan(cosine(text, other) + 0.2);
  });

  it('gives an unknown name a vector from its letters', () => {
    expect(cosine('Zyphrondel called me', 'a call from Zyphrondel')).toBeGreaterThan(
      cosine('Zyphrondel called me', 'a call from Brakumite'),
    );
  });
});

describe('an unusable data file', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'omoide-static-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function write(name: string, bytes: Buffer): string {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  }

  it('is missing', () => {
    expect(() => loadStaticModel(join(folder, 'none.bin'))).toThrow(/none\.bin cannot be read/);
  });

  it('is truncated', () => {
    const bytes = readFileSync(BUNDLED_MODEL_PATH);
    expect(() => loadStaticModel(write('short.bin', bytes.subarray(0, 1_000_000)))).toThrow(/cut short/);
    expect(() => loadStaticModel(write('header.bin', bytes.subarray(0, 10)))).toThrow(/not an Omoide/);
    expect(() => loadStaticModel(write('empty.bin', Buffer.alloc(0)))).toThrow(/not an Omoide/);
  });

  it('is of another version', () => {
    const bytes = Buffer.from(readFileSync(BUNDLED_MODEL_PATH));
    bytes.writeUInt32LE(VERSION + 1, 8);
    expect(() => loadStaticModel(write('later.bin', bytes))).toThrow(/version 2/);
  });

  it('is another kind of file', () => {
    expect(() => loadStaticModel(write('else.bin', Buffer.alloc(4096, 7)))).toThrow(/not an Omoide/);
  });
});
