import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite.ts';
import { createNotesAccess, type NotesAccess } from '../access.ts';
import { openNotes } from '../notes.ts';
import { importNotes } from './transfer.ts';

async function open(): Promise<NotesAccess> {
  const folder = temporaryFolder();
  const path = join(folder, 'memory.db');
  const store = openSqliteStore(path, { memoryId: 'm', timeZone: 'Asia/Tokyo', now: Date.now });
  const roots = { global: join(folder, 'home'), project: join(folder, 'project') };
  const notes = await openNotes({ store, roots, now: Date.now, unitJobKinds: [] });
  onTestFinished(async () => {
    await notes.close();
    await store.close();
  });
  return createNotesAccess({
    files: notes,
    store,
    now: Date.now,
    embed: null,
    destinationOf: () => null,
    search: async () => [],
  });
}

const textOf = async (notes: NotesAccess, uri: string) => (await notes.read(uri)).text;

describe('diaries and reading lists', () => {
  const JOURNALS = join(import.meta.dirname, '../../../test/fixtures/import-journals');

  test('Day One’s entries become the journal of their days, in the time zone where they were written', async () => {
    const notes = await open();
    const { files } = await importNotes(notes, join(JOURNALS, 'dayone.json'));
    expect(files.map(({ uri }) => uri)).toEqual([
      'journal/dayone/2024-01-06.md',
      'journal/dayone/2024-01-07.md',
    ]);
    const text = await textOf(notes, 'journal/dayone/2024-01-06.md');
    expect(text).toContain('## 07:03\n\n# Snow\n\nFirst snow today.');
    expect(text).toContain('Tags: winter');
    expect(text).toContain('## 17:00\n\n[image]\n\nThe snowman melted.');
    const again = await importNotes(notes, join(JOURNALS, 'dayone.json'));
    expect(again.files.map(({ outcome }) => outcome)).toEqual(['known', 'known']);
  });

  test('a Kindle’s clippings become a list for each book', async () => {
    const notes = await open();
    const { files } = await importNotes(notes, join(JOURNALS, 'My Clippings.txt'));
    expect(files.map(({ items }) => items)).toEqual([2, 1]);
    const [first] = files;
    const text = await textOf(notes, first?.uri ?? '');
    expect(text).toContain('# The Little Prince');
    expect(text).toContain('- One sees clearly only with the heart.');
    expect(text).toContain('Location 170-171');
  });
});
