import { createMemory, initStore, Layer, loadSearchEntries, search, writeEntry } from 'hippo-memory';

/** Without @xenova/transformers, whose models are downloaded: by words, strength and recency. */
export async function open({ folder }) {
  initStore(folder);
  const idOf = new Map();
  return {
    async add(turns) {
      for (const { id, speaker, text } of turns) {
        const entry = createMemory(`${speaker}: ${text}`, { layer: Layer.Episodic });
        writeEntry(folder, entry);
        idOf.set(entry.id, id);
      }
    },
    async search(text, limit) {
      const results = search(text, loadSearchEntries(folder, text), { budget: 1e9, hippoRoot: folder });
      return results.slice(0, limit).map(({ entry }) => idOf.get(entry.id));
    },
  };
}
