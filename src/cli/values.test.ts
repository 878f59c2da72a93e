import { describe, expect, test } from 'vitest';
import { parseContext, parseCount, parseEmotion, parseKinds } from './values.ts';

describe('parseContext', () => {
  test('reads names in any script, with half-width or full-width colons', () => {
    expect(parseContext('ソラ：いい休み方だね。\r\n\nRuth: It is 20:15 now.\n')).toEqual([
      { speaker: 'ソラ', text: 'いい休み方だね。' },
      { speaker: 'Ruth', text: 'It is 20:15 now.' },
    ]);
  });

  test('reads JSON lines, whose text may have several lines', () => {
    expect(parseContext('{"speaker":"许然","text":"一\\n二"}')).toEqual([
      { speaker: '许然', text: '一\n二' },
    ]);
  });

  test.each(['no speaker here', '{"speaker":"a"}', '{"speaker":'])(
    'names a line of neither form: %s',
    (line) => {
      expect(() => parseContext(`a: b\n${line}`)).toThrow(/Line 2 /);
    },
  );
});

test('parseCount accepts whole numbers only', () => {
  expect(parseCount('1500')).toBe(1_500);
  for (const value of ['-1', '1.5', '', 'ten', '1e3'])
    expect(() => parseCount(value)).toThrow('whole number');
});

test('parseEmotion accepts known emotions only, at full strength by default', () => {
  expect(parseEmotion('sadness, joy:-0.5,hope:.3')).toEqual({
    values: { sadness: 1, joy: -0.5, hope: 0.3 },
    confidence: 1,
  });
  expect(() => parseEmotion('hunger')).toThrow('sadness');
  for (const value of ['joy:2', 'joy:', 'joy:much', 'joy:-1.5'])
    expect(() => parseEmotion(value)).toThrow('-1 to 1');
});

test('parseKinds accepts known kinds only', () => {
  expect(parseKinds('loop, fact,fact')).toEqual(['fact', 'loop']);
  expect(() => parseKinds('fact,dream')).toThrow('episode');
});
