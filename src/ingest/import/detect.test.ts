import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { detectFormat, IMPORT_FORMATS } from './detect.ts';

const GUIDE = readFileSync(new URL('../../../docs/importing.md', import.meta.url), 'utf8');

test('the guide describes every format, and each example is detected as its format', () => {
  const described = new Set<string>();
  for (const section of GUIDE.split('\n### ').slice(1)) {
    const formats = [...section.split('\n', 1)[0]!.matchAll(/`([\w-]+)`/g)].map((found) => found[1]!);
    const example = /```\w+\n([^]*?)```/.exec(section)?.[1] ?? '';
    const examples = formats.length > 1 ? example.trim().split('\n') : [example];
    expect(examples.map(detectFormat)).toEqual(formats);
    for (const format of formats) described.add(format);
  }
  expect([...described].sort()).toEqual([...IMPORT_FORMATS].sort());
});
