import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderApiDocs } from '../scripts/apiDocs.ts';

const PAGE = new URL('../docs/api.md', import.meta.url);

test('docs/api.md matches the types; `node scripts/apiDocs.ts` writes it', () => {
  expect(readFileSync(PAGE, 'utf8')).toBe(renderApiDocs());
});

test('the table of contents names every member in fewer than 20 lines', () => {
  const contents = readFileSync(PAGE, 'utf8').split('\n## ')[0] ?? '';
  const lines = contents.split('\n').filter((line) => line.startsWith('- '));
  expect(lines.length).toBeLessThan(20);
  for (const member of ['add', 'units', 'backup', 'rollback', 'remember', 'importFile']) {
    expect(contents).toContain(member);
  }
  expect(contents).not.toMatch(/settle|warmUp|serveJobs|setEmbedder/);
});
