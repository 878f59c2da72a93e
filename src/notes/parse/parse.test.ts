import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countTokens } from '../../text/text.ts';
import { MAX_TOKENS } from './chunks.ts';
import { memoryTypeOf, parseNote } from './parse.ts';
import { propertyRuns } from '../../../test/propertyRuns.ts';

const outlineOf = (source: string) => parseNote(source, 'a.md').sections.map(({ path }) => path.join(' > '));
const chunksOf = (source: string) =>
  parseNote(source, 'a.md').chunks.map(({ section, text }): [string, string] => [section, text]);

/** Lines with and without a meaning in Markdown. */
const line = fc.oneof(
  fc.constantFrom(
    '',
    '  ',
    '# One',
    '## 二つ目 ##',
    '   ### 三',
    '#not a heading',
    'Title',
    '===',
    '---',
    '- item',
    '- [ ] 牛乳を買う',
    '\t- [x] nested',
    '  continued',
    '12) twelve',
    '* * *',
    '```',
    '~~~~ md',
    '    code',
    '> quoted',
    '> # heading in a quote',
    '| a | b |',
    '|---|---|',
    '<div>',
    '<!-- comment',
    '-->',
    '[ref]: http://example.com',
    '偏好：深色主题。',
    'type: rule',
    '😀 \u00a0',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const document = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '\r')), { maxLength: 30 }))
  .map(([hasBom, lines]) => (hasBom ? '\ufeff' : '') + lines.map((pair) => pair.join('')).join(''));

describe('ranges', () => {
  test('of sections, heading and body together, cover the text without gap or overlap', () => {
    fc.assert(
      fc.property(document, (source) => {
        const { sections, textStart } = parseNote(source, 'a.md');
        const joined = sections.map(({ heading, body }) => {
          expect(heading.end).toBe(body.start);
          return source.slice(heading.start, body.end);
        });
        expect(source.slice(0, textStart) + joined.join('')).toBe(source);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test('of chunks contain every word outside headings and front matter, in order', () => {
    fc.assert(
      fc.property(document, (source) => {
        const note = parseNote(source, 'a.md');
        let at = note.textStart;
        for (const chunk of note.chunks) {
          expect(chunk.range.start).toBeGreaterThanOrEqual(at);
          at = chunk.range.end;
          const section = note.sections[chunk.sectionIndex];
          const isHeading = chunk.range.start === section?.heading.start && section.depth > 0;
          const words = source.slice(chunk.range.start, chunk.range.end).replace(/\r\n?/g, '\n');
          expect(isHeading || chunk.text === words).toBe(true);
        }
        const bodies = note.sections.map(({ body }) => source.slice(body.start, body.end)).join('');
        const found = note.chunks.filter(({ range }) => {
          return note.sections.some(({ body }) => range.start >= body.start && range.end <= body.end);
        });
        expect(
          found
            .map(({ text }) => text)
            .join('')
            .replace(/\s+/g, ''),
        ).toBe(bodies.replace(/\s+/g, ''));
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  test('of items are within their lists, in order, and contain their own text', () => {
    fc.assert(
      fc.property(document, (source) => {
        for (const { items, body } of parseNote(source, 'a.md').sections) {
          let at = body.start;
          for (const item of items) {
            expect(item.range.start).toBeGreaterThanOrEqual(at);
            expect(item.range.end).toBeLessThanOrEqual(body.end);
            expect(source.slice(item.range.start).trimStart().startsWith(item.marker)).toBe(true);
            const own = source.slice(item.own.start, item.own.end);
            expect(own.replace(/\s+/g, '')).toBe(item.text.replace(/\s+/g, ''));
            expect(item.boxAt === null || ' xX'.includes(source[item.boxAt] ?? '?')).toBe(true);
            at = item.range.start + 1;
          }
        }
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});

describe('sections', () => {
  test('have the headings above them', () => {
    const source = 'before\n# A\none\n## B\ntwo\n### C\nthree\n## D\n四\n# E\n';
    expect(outlineOf(source)).toEqual(['', 'A', 'A > B', 'A > B > C', 'A > D', 'E']);
  });

  test('may have underlined headings; headings in code, quotes, comments or lists are ignored', () => {
    const source = [
      'Title',
      '=====',
      '```md',
      '# code',
      '~~~',
      '```',
      '> # quoted',
      '',
      '<!--',
      '# comment',
      '-->',
      '',
      '- item',
      '',
      '  # in an item',
      '',
      '    # indented',
      '',
      'Sub',
      '---',
      '',
    ].join('\n');
    expect(outlineOf(source)).toEqual(['Title', 'Title > Sub']);
  });

  test('keep the line endings of the file, but not in their text', () => {
    expect(chunksOf('\ufeff# 好み\r\n\r\n- コーヒー\r\n- 茶\r\n')).toEqual([['好み', '- コーヒー\n- 茶']]);
  });

  test('with a heading only have the heading as text, unless it is the title or has subsections', () => {
    expect(chunksOf('# Rules\n## Never deploy on Friday\n## Others\n### 三\n')).toEqual([
      ['Rules', 'Never deploy on Friday'],
      ['Rules > Others', '三'],
    ]);
    expect(chunksOf('# Tasks\n')).toEqual([]);
  });
});

describe('front matter', () => {
  test('sets type, scope and sensitivity, and is not part of the text', () => {
    const note = parseNote(
      '---\r\ntype: recipe\r\nscope: global\r\nsensitivity: private\r\n---\r\n# A\r\nb\r\n',
      'x.md',
    );
    expect(note).toMatchObject({
      memoryType: 'recipe',
      scope: 'global',
      sensitivity: 'private',
      warnings: [],
    });
    expect(note.chunks.map(({ text }) => text)).toEqual(['b']);
  });

  test('that is malformed is read as text with a warning, and still marks secrets', () => {
    const note = parseNote('---\ntags: [a\nsensitivity: secret\n---\nbody\n', 'x.md');
    expect(note.warnings).toEqual([expect.stringContaining('not YAML')]);
    expect(note.sensitivity).toBe('secret');
    expect(note.sections.map(({ path }) => path)).toEqual([[]]);
    expect(note.chunks.map(({ text }) => text).join('\n')).toBe(
      '---\ntags: [a\nsensitivity: secret\n---\nbody',
    );
  });

  test('with unknown values gives a warning', () => {
    const note = parseNote('---\ntype: [a]\nscope: everywhere\nsensitivity: 3\n---\nx\n', 'TASKS.md');
    expect(note).toMatchObject({ memoryType: 'task', scope: null, sensitivity: null });
    expect(note.warnings).toHaveLength(3);
  });

  test('is not text between two rules', () => {
    expect(chunksOf('---\n\njust words\n\n---\nmore\n')[0]?.[1]).toContain('just words');
    expect(parseNote('---\n- a\n- b\n---\n', 'x.md').warnings).toEqual([]);
  });

  test('with exponential aliases is not expanded, with a warning', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghij'.split('').map((key, i) => {
        const before = 'abcdefghi'[i];
        return `${key}: &${key} [*${before},*${before},*${before},*${before},*${before},*${before},*${before},*${before}]`;
      }),
    ];
    expect(parseNote(`---\n${bomb.join('\n')}\n---\ntext\n`, 'x.md').warnings).toEqual([
      expect.stringContaining('not YAML'),
    ]);
  });
});

describe('items', () => {
  test('have any depth, with checkboxes', () => {
    const source = '- [ ] 買い物\n  - [x] 牛乳\n  - パン\n    全粒粉\n1) one\n2) two\n';
    const items = parseNote(source, 'TASKS.md').sections[0]?.items;
    expect(items?.map(({ text, depth, isDone, marker }) => [text, depth, isDone, marker])).toEqual([
      ['買い物', 0, false, '-'],
      ['牛乳', 1, true, '-'],
      ['パン\n全粒粉', 1, null, '-'],
      ['one', 0, null, '1)'],
      ['two', 0, null, '2)'],
    ]);
  });

  test('are not found in code blocks of an item', () => {
    const source = '- run\n  ```sh\n  - not an item\n  ```\n- next\n';
    expect(parseNote(source, 'a.md').sections[0]?.items.map(({ text }) => text.split('\n')[0])).toEqual([
      'run',
      'next',
    ]);
  });
});

describe('a long section', () => {
  const items = Array.from(
    { length: 120 },
    (_, i) => `- On day ${i} we walked ${i * 7} steps along the river, 川沿いを散歩した。\n`,
  );
  const texts = (lines: readonly string[]) =>
    chunksOf(`# Walks\n\n${lines.join('')}`).map(([, text]) => text);

  test('is split between items into chunks that fit', () => {
    const chunks = texts(items);
    expect(chunks.length).toBeGreaterThan(5);
    for (const text of chunks) {
      expect(countTokens(text)).toBeLessThanOrEqual(MAX_TOKENS);
      expect(text.startsWith('- On day')).toBe(true);
    }
  });

  test('keeps most of its boundaries when something is added at the beginning or end', () => {
    const before = new Set(texts(items));
    for (const edited of [
      ['- new\n', ...items],
      [...items, '- new\n'],
    ]) {
      const kept = texts(edited).filter((text) => before.has(text));
      expect(kept.length).toBeGreaterThan(before.size / 2);
    }
  });

  test.each([
    ['sentences', 'This is a sentence that says something. これは文です。这是一句话。'.repeat(200)],
    ['a very long line', '長'.repeat(3_000)],
    ['a blob', 'x1'.repeat(4_000)],
    ['code', `\`\`\`\n${'let a = 1;\n'.repeat(300)}\`\`\``],
  ])('of %s is split, too', (_what, text) => {
    const chunks = chunksOf(text);
    expect(chunks.length).toBeGreaterThan(1);
    for (const [, words] of chunks) expect(countTokens(words)).toBeLessThanOrEqual(MAX_TOKENS);
    expect(
      chunks
        .map(([, words]) => words)
        .join('')
        .replace(/\s/g, ''),
    ).toBe(text.replace(/\s/g, ''));
  });
});

test.each([
  ['quotes nested beyond the stack', '>'.repeat(20_000)],
  ['lines below an item', `- log\n${'2026-03-01 line\n'.repeat(5_000)}`],
  ['lists nested deeply', Array.from({ length: 300 }, (_, i) => `${'  '.repeat(i)}- x\n`).join('')],
])('%s can be parsed', (_what, source) => {
  const { sections } = parseNote(source, 'a.md');
  expect(sections.map(({ heading, body }) => source.slice(heading.start, body.end)).join('')).toBe(source);
});

test.each([
  ['user/preferences.md', 'preference'],
  ['user/instructions.md', 'instruction'],
  ['user/entities.md', 'entity'],
  ['agent/decisions.md', 'decision'],
  ['agent/patterns.md', 'pattern'],
  ['TASKS.md', 'task'],
  ['journal/2026-03-01.md', 'journal'],
  ['ideas/preferences.md', 'note'],
])('%s has notes of type %s', (uri, type) => {
  expect(memoryTypeOf(uri)).toBe(type);
});
