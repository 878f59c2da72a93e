import { expect, test } from 'vitest';
import { oneLine, shortLine } from './oneLine.ts';

test('line breaks, controls and marks of direction become one space', () => {
  expect(oneLine(' a\r\n\u2028b\u0000\u202Ec ')).toBe('a b c');
});

test.each([
  ['text of the maximum length stays whole', 'abcde', 5, 'abcde'],
  ['longer text ends with an ellipsis', 'abc def', 5, 'abc…'],
  ['a character that is cut in half is replaced', '𠮷𠮷𠮷', 4, '𠮷\uFFFD…'],
])('%s', (_, text, maxLength, expected) => {
  expect(shortLine(text, maxLength)).toBe(expected);
});
