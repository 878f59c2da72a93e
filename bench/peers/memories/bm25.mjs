import MiniSearch from 'minisearch';

/** BM25+ by MiniSearch, with words split at spaces and punctuation. */
export async function open() {
  const index = new MiniSearch({ fields: ['text'] });
  return {
    async add(turns) {
      index.addAll(turns.map(({ id, speaker, text }) => ({ id, text: `${speaker}: ${text}` })));
    },
    async search(text, limit) {
      return index
        .search(text)
        .slice(0, limit)
        .map(({ id }) => id);
    },
  };
}
