import { expect, test } from 'vitest';
import { toMessages } from './window.ts';

/** Lines written as `user: hello`. */
const lines = (...words: string[]) =>
  words.map((word) => {
    const [speaker = '', text = ''] = word.split(': ');
    return { speaker, text };
  });

test.each([
  ['take turns', ['user: a', 'ai: b', 'user: c'], ['user: a', 'assistant: b', 'user: c']],
  ['begin with the other side', ['ai: a', 'ai: b', 'user: c'], ['user: c']],
  [
    'become one where one side goes on',
    ['user: a', 'user: b', 'ai: c', 'ai: d', 'user: e'],
    ['user: a\n\nb', 'assistant: c\n\nd', 'user: e'],
  ],
  [
    'are named where several speak',
    ['Mei: a', 'ai: b', 'Jon: c', 'Mei: d'],
    ['user: Mei: a', 'assistant: b', 'user: Jon: c\n\nMei: d'],
  ],
])('messages %s', (_what, said, messages) => {
  expect(toMessages(lines(...said)).map(({ role, content }) => `${role}: ${content}`)).toEqual(messages);
});
