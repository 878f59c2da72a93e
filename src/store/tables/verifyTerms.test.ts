import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openMemory, type Memory } from '../../engine/engine.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

/** A memory whose statistics of terms another program changed. */
async function memoryWith(change: string): Promise<{ memory: Memory; terms: number }> {
  const dataDir = temporaryFolder();
  const open = () => openMemory({ dataDir, embedder: null, worker: false, learn: false });
  const before = await open();
  await before.add(
    ['I saw three herons.', 'The lake was still.', 'Two herons sat in the reeds.'].map((text) => ({
      conversationId: 'walk',
      speaker: 'user',
      text,
    })),
  );
  expect((await before.admin.verify()).problems).toEqual([]);
  await before.close();
  const db = new DatabaseSync(join(dataDir, 'memory_default.db'));
  const terms = Number(db.prepare('SELECT count(*) AS n FROM term').get()?.['n']);
  db.exec(change);
  db.close();
  const memory = await open();
  onTestFinished(() => memory.close());
  return { memory, terms };
}

const messages = async ({ memory }: { memory: Memory }) =>
  (await memory.admin.verify()).problems.map(({ message }) => message);

test('verify names the terms whose units are counted wrongly', async () => {
  const changed = await memoryWith(
    'UPDATE term SET documents = documents + 5 WHERE term IN (SELECT term FROM term ORDER BY term LIMIT 2)',
  );
  expect(await messages(changed)).toEqual([
    expect.stringMatching(
      /^The statistics count [678] units with the term of hash [0-9a-f]{16}, but there are [123]\.$/,
    ),
    expect.stringMatching(
      /^The statistics count [678] units with the term of hash [0-9a-f]{16}, but there are [123]\.$/,
    ),
  ]);
});

test('verify finds a renamed term, and a missing one', async () => {
  const renamed = await memoryWith("UPDATE term SET term = 'none' WHERE term = (SELECT min(term) FROM term)");
  expect(await messages(renamed)).toEqual([
    expect.stringMatching(/^The statistics count [123] units with the term of hash none, but there are 0\.$/),
  ]);
  const missing = await memoryWith('DELETE FROM term WHERE term = (SELECT min(term) FROM term)');
  expect(await messages(missing)).toEqual(['The statistics lack 1 terms.']);
});

test('verify counts the terms of statistics that were emptied', async () => {
  const emptied = await memoryWith('DELETE FROM term');
  expect(await messages(emptied)).toEqual([`The statistics lack ${emptied.terms} terms.`]);
});
