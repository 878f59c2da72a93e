import { expect, test } from 'vitest';
import { answerIn } from './answers.ts';

test.each([
  ['Done!', 'done'],
  ['ok, did it', 'done'],
  ['Not done yet, later please', 'later'],
  ['remind me tomorrow at 9', 'later'],
  ['never mind', 'dropped'],
  ['Are you done?', null],
  ['What a day, I was at the lake with Mia and we talked about the old times for hours.', null],
  ['終わったよ', 'done'],
  ['もう行ってきました！', 'done'],
  ['あとで', 'later'],
  ['まだ', 'later'],
  ['やめたよ', 'dropped'],
  ['終わった？', null],
  ['今日はいい天気だね', null],
  ['做完了', 'done'],
  ['已经搞定了', 'done'],
  ['晚点再说', 'later'],
  ['算了', 'dropped'],
  ['今天天气真好', null],
])('%s', (text, action) => {
  expect(answerIn(text)).toBe(action);
});
