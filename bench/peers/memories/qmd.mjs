import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStore } from '@tobilu/qmd';

/** One Markdown file for each turn, found by BM25: its vectors and reranker need models that it downloads. */
export async function open({ folder }) {
  const notes = join(folder, 'notes');
  mkdirSync(notes);
  const collections = { notes: { path: notes, pattern: '**/*.md' } };
  const store = await createStore({ dbPath: join(folder, 'index.sqlite'), config: { collections } });
  const idOf = new Map();
  return {
    async add(turns) {
      for (const [i, { id, speaker, text }] of turns.entries()) {
        writeFileSync(join(notes, `turn${i}.md`), `${speaker}: ${text}\n`);
        idOf.set(`turn${i}.md`, id);
      }
      await store.update();
    },
    async search(text, limit) {
      const results = await store.searchLex(text, { limit });
      return results.map(({ filepath, file }) =>
        idOf.get(
          String(filepath ?? file)
            .split('/')
            .at(-1),
        ),
      );
    },
    close: () => store.close(),
  };
}
