import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openNotesAccess } from '../../../test/notesAccess.ts';
import type { NotesAccess } from '../access.ts';
import { importNotes } from './transfer.ts';

const textOf = async (notes: NotesAccess, uri: string) => (await notes.read(uri)).text;

describe('diaries and reading lists', () => {
  const JOURNALS = join(import.meta.dirname, '../../../test/fixtures/import-journals');

  test('Day One’s entries become the journal of their days, in the time zone where they were written', async () => {
    const notes = await openNotesAccess();
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
    const notes = await openNotesAccess();
    const { files } = await importNotes(notes, join(JOURNALS, 'My Clippings.txt'));
    expect(files.map(({ items }) => items)).toEqual([2, 1]);
    const [first] = files;
    const text = await textOf(notes, first?.uri ?? '');
    expect(text).toContain('# The Little Prince');
    expect(text).toContain('- One sees clearly only with the heart.');
    expect(text).toContain('Location 170-171');
  });
});
