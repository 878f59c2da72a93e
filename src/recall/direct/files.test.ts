import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fileAskedFor } from './files.ts';

/** Utterances that ask for each file; under `none`, similar ones that do not. */
type Queries = Readonly<Record<string, readonly string[]>>;

function read(name: string): Queries {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as Queries;
}

function measure(queries: Queries): { asked: number; near: number; precision: number; recall: number } {
  const all = Object.entries(queries).flatMap(([file, said]) =>
    said.map((query) => ({ wanted: file === 'none' ? null : file, got: fileAskedFor(query) })),
  );
  const asked = all.filter(({ wanted }) => wanted !== null);
  const led = all.filter(({ got }) => got !== null);
  const right = led.filter(({ wanted, got }) => wanted === got);
  return {
    asked: asked.length,
    near: all.length - asked.length,
    precision: right.length / led.length,
    recall: right.length / asked.length,
  };
}

describe('the requested file', () => {
  test.each([
    ['fileQueries.json', 'on which the words were settled'],
    ['fileQueriesCheck.json', 'written after, and never adapted to'],
  ])('is found in %s, queries %s', (name) => {
    const { asked, near, precision, recall } = measure(read(name));
    expect(asked).toBeGreaterThanOrEqual(40);
    expect(near).toBeGreaterThanOrEqual(0.8 * asked);
    expect(precision).toBeGreaterThanOrEqual(0.97);
    expect(recall).toBeGreaterThanOrEqual(0.9);
  });

  test('is found in any width and case, and by its name', () => {
    expect(fileAskedFor('ＳＨＯＷ ＭＹ ＴＡＳＫＳ！')).toBe('TASKS.md');
    expect(fileAskedFor('TASKS.mdを見せて')).toBe('TASKS.md');
    expect(fileAskedFor('read agent/decisions.md')).toBe('agent/decisions.md');
    expect(fileAskedFor('docs/decisions.md')).toBeNull();
    expect(fileAskedFor('')).toBeNull();
  });

  test('is not found in a long text, or in one repeated word', () => {
    expect(fileAskedFor(`${'看'.repeat(79)}任`)).toBeNull();
    expect(fileAskedFor(`${'please '.repeat(40)}show my tasks`)).toBeNull();
  });
});
