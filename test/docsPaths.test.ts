import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...globSync('{docs,bench}/*.md')];
const PATH =
  /(?<![\w/.-])(?:src|test|bench|examples|scripts|console|deploy|training|types)\/[\w./-]+\.(?:tsx|ts|mjs|jsonl|json|py|sql|md|sh|yml)(?!\w)/gu;

/** Built before publishing, not part of the repository. */
const isBuilt = (path: string) => path.startsWith('console/dist/');

test('every file of the repository that a page names exists', () => {
  const named = PAGES.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(PATH)].map(([path]) => ({ page, path })),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ path }) => !isBuilt(path) && !existsSync(path))).toEqual([]);
});

test('every promise in docs/trust.md names its tests', () => {
  const rows = readFileSync('docs/trust.md', 'utf8')
    .split('\n')
    .filter((line) => /^\|.*\|$/u.test(line) && !/^\|[\s|:-]+\|$/u.test(line));
  const promises = rows.filter((line) => line.split('|').length === 4).slice(1);
  const without = promises.filter((line) => !/\.test\.ts|test\/conformance\//u.test(line.split('|')[2]!));
  expect(without).toEqual([]);
});
