import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createNotesAccess, type NotesAccess } from '../src/notes/access.ts';
import { openNotes } from '../src/notes/notes.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite.ts';
import { temporaryFolder } from './temporary.ts';

/** Notes in new folders, indexed in memory. */
export async function openNotesAccess(): Promise<NotesAccess> {
  const folder = temporaryFolder();
  const store = openSqliteStore(':memory:', { memoryId: 'm', timeZone: 'Asia/Tokyo', now: Date.now });
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
