import { expect, test } from 'vitest';
import { toMessages } from './window.ts';

/** Lines written as `user: hello`. */
const lines = (...words: string[]) =>
  words.map((word) => {
    const [speaker = '', text = ''] = word.split(': ');
    return { speaker, text };
  });

test.each([
  [
    'alternate between user and assistant',
    ['user: a', 'ai: b', 'user: c'],
    ['user: a', 'assistant: b', 'user: c'],
  ],
  ['may begin with the assistant', ['ai: a', 'ai: b', 'user: c'], ['user: c']],
  [
    'of one side in a row are joined',
    ['user: a', 'user: b', 'ai: c', 'ai: d', 'user: e'],
    ['user: a\n\nb', 'assistant: c\n\nd', 'user: e'],
  ],
  [
    'have names when there are several speakers',
    ['Mei: a', 'ai: b', 'Jon: c', 'Mei: d'],
    ['user: Mei: a', 'assistant: b', 'user: Jon: c\n\nMei: d'],
  ],
])('messages %s', (_what, said, messages) => {
  expect(toMessages(lines(...said)).map(({ role, content }) => `${role}: ${content}`)).toEqual(messages);
});
