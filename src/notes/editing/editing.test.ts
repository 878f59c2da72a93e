import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseNote } from '../parse/parse.ts';
import { appendItem, changeItem, removeChunk, removeItem, replaceChunk } from './editing.ts';
import { propertyRuns } from '../../../test/propertyRuns.ts';

const under =
  (...headings: string[]) =>
  (text: string | null, words: string) =>
    appendItem(text, { headings, text: words });

describe('appending an item', () => {
  test.each([
    ['to nothing, with its headings', null, '# Preferences\n\n## Food\n\n- new\n'],
    ['to an empty file', '\n', '# Preferences\n\n## Food\n\n- new\n\n'],
    [
      'below the last of the list',
      '# Preferences\n## Food\n- a\n- b\n',
      '# Preferences\n## Food\n- a\n- b\n- new\n',
    ],
    [
      'before what follows',
      '# Preferences\n## Food\n* a\n\n## Else\n',
      '# Preferences\n## Food\n* a\n* new\n\n## Else\n',
    ],
    ['before the heading right behind', '## food:\n- a\n## Else\n', '## food:\n- a\n- new\n## Else\n'],
    ['apart where the list is loose', '## Food\n\n- a\n\n- b\n', '## Food\n\n- a\n\n- b\n\n- new\n'],
    ['with the next number', '## Food\n1. a\n2. b\n', '## Food\n1. a\n2. b\n3. new\n'],
    ['behind words', '## Food\nWe eat.\n## Else\n', '## Food\nWe eat.\n\n- new\n\n## Else\n'],
    ['below a bare heading', '## Food\n\n## Else\n', '## Food\n\n- new\n\n## Else\n'],
    ['without a line end where there is none', '## Food\n- a', '## Food\n- a\n- new'],
    ['with the line ends of the file', '## Food\r\n- a\r\n', '## Food\r\n- a\r\n- new\r\n'],
    ['below what is nested', '## Food\n- a\n  - b\n', '## Food\n- a\n  - b\n- new\n'],
    ['under a title of another name', '# 好み\n\ntext\n', '# 好み\n\ntext\n\n## Food\n\n- new\n'],
    [
      'under what is there of the headings',
      '# Preferences\n\n# Else\n',
      '# Preferences\n\n## Food\n\n- new\n\n# Else\n',
    ],
    [
      'behind front matter',
      '---\ntype: x\n---\n',
      '---\ntype: x\n---\n\n# Preferences\n\n## Food\n\n- new\n',
    ],
    ['in front of code that does not end', '## Food\n```\ncode\n', '## Food\n\n- new\n\n```\ncode\n'],
  ])('%s', (_how, before, after) => {
    expect(under('Preferences', 'Food')(before, 'new')).toBe(after);
  });

  test('as a task, in every language, with further lines indented', () => {
    const added = appendItem('# 任务\n- [x] 旧的\n', {
      headings: ['任务'],
      text: '买牛奶\n两瓶',
      isDone: false,
    });
    expect(added).toBe('# 任务\n- [x] 旧的\n- [ ] 买牛奶\n  两瓶\n');
  });

  test('at the end of the file when no headings are given', () => {
    expect(under()('- 10:00 起床\n', '12:00 昼食')).toBe('- 10:00 起床\n- 12:00 昼食\n');
    expect(under()(null, '12:00 昼食')).toBe('- 12:00 昼食\n');
  });

  test('rejects an empty item', () => {
    expect(() => under('Food')('', '  \n')).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(() => under(' ')('', 'a')).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

test('an item directly after the front matter gets its own line', () => {
  const add = (before: string) => appendItem(before, { headings: [], text: 'new' });
  expect(add('---\na: 1\n---\n```\ncode')).toBe('---\na: 1\n---\n\n- new\n\n```\ncode');
  expect(add('---\na: 1\n---\n\n```\ncode')).toBe('---\na: 1\n---\n\n- new\n\n```\ncode');
  expect(add('---\na: 1\n---\n')).toBe('---\na: 1\n---\n\n- new\n');
});

const line = fc.constantFrom(
  '',
  '# 好み',
  '## Food',
  '### Else',
  'words',
  '- a',
  '  - b',
  '* [ ] c',
  '1. d',
  '> quote',
  '```',
  'code: 1',
  '---',
  '    indented',
  '<div>',
);
const document = fc
  .tuple(fc.array(line, { maxLength: 16 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, lineEnd, isEnded]) => lines.join(lineEnd) + (isEnded ? lineEnd : ''));

test('in any file, the item occurs once, and all existing lines stay in order', () => {
  fc.assert(
    fc.property(document, fc.constantFrom(['Food'], ['好み', 'Food'], ['新'], []), (before, headings) => {
      const after = appendItem(before, { headings, text: '追加 new' });
      const rest = after.split(/\r?\n/);
      for (const line of before.split(/\r?\n/)) {
        const at = rest.indexOf(line);
        expect(at).not.toBe(-1);
        rest.splice(0, at + 1);
      }
      expect(after.match(/追加 new/g)).toHaveLength(1);
      expect(before.includes('\r\n') && /(?<!\r)\n/.test(after)).toBe(false);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});

test('it is parsed as an item unless a code block or comment is left open', () => {
  const closed = document.filter((text) => !/```|<div>/.test(text));
  fc.assert(
    fc.property(closed, (before) => {
      const { sections } = parseNote(appendItem(before, { headings: ['Food'], text: '追加 new' }), 'a.md');
      const found = sections.filter(({ items }) => items.some(({ text }) => text === '追加 new'));
      expect(found.map(({ path }) => path.at(-1))).toEqual(['Food']);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});

describe('an existing item', () => {
  const tasks = '# Tasks\r\n- [ ] 牛乳\r\n  - [ ] 低脂肪\r\n- [x] パン\r\n';

  test('is ticked and unticked without other changes', () => {
    const ticked = changeItem(tasks, { section: 'Tasks', text: '牛乳' }, { isDone: true });
    expect(ticked).toBe(tasks.replace('[ ] 牛乳', '[x] 牛乳'));
    expect(changeItem(ticked, { section: 'Tasks', text: '牛乳' }, { isDone: false })).toBe(tasks);
    expect(
      changeItem(tasks, { section: 'Tasks', text: '低脂肪' }, { isDone: true, text: '無脂肪\n一本' }),
    ).toBe(tasks.replace('[ ] 低脂肪', '[x] 無脂肪\r\n    一本'));
  });

  test('is removed with its nested lines', () => {
    expect(removeItem(tasks, { section: 'Tasks', text: '牛乳' })).toBe('# Tasks\r\n- [x] パン\r\n');
    expect(removeItem(tasks, { section: 'Tasks', text: 'パン' })).toBe(tasks.replace('- [x] パン\r\n', ''));
    expect(removeItem('- a\n\n- b\n\n## X\n', { section: '', text: 'b' })).toBe('- a\n\n## X\n');
  });

  test('must be unchanged since it was read', () => {
    const conflict = expect.objectContaining({ code: 'VERSION_CONFLICT' });
    expect(() => changeItem(tasks, { section: 'Tasks', text: 'gone' }, { isDone: true })).toThrow(conflict);
    expect(() => removeItem(tasks, { section: 'Else', text: '牛乳' })).toThrow(conflict);
    expect(() => removeItem(null, { section: 'Tasks', text: '牛乳' })).toThrow(conflict);
    expect(() => changeItem('- a\n', { section: '', text: 'a' }, { isDone: true })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });
});

describe('an existing section', () => {
  const file = '# A\n\none\n\n## B\n\ntwo\nthree\n\n# C\n\n## Only a heading\n';

  test('gets other text', () => {
    expect(replaceChunk(file, { section: 'A > B', text: 'two\nthree' }, '四\n五')).toBe(
      file.replace('two\nthree', '四\n五'),
    );
    expect(replaceChunk(file, { section: 'C', text: 'Only a heading' }, 'Other')).toBe(
      file.replace('Only a heading', 'Other'),
    );
  });

  test('is removed, with its heading when nothing is left under it', () => {
    expect(removeChunk(file, { section: 'A > B', text: 'two\nthree' })).toBe(
      file.replace('## B\n\ntwo\nthree\n\n', ''),
    );
    expect(removeChunk(file, { section: 'A', text: 'one' })).toBe(file.replace('one\n\n', ''));
  });

  test('must be unchanged since it was read', () => {
    const conflict = expect.objectContaining({ code: 'VERSION_CONFLICT' });
    expect(() => replaceChunk(file, { section: 'A', text: 'two' }, 'x')).toThrow(conflict);
    expect(() => removeChunk(null, { section: 'A', text: 'one' })).toThrow(conflict);
  });
});
