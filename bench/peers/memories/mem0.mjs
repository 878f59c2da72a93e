import { join } from 'node:path';
import { Memory } from 'mem0ai/oss';

/** Turns are stored as they are (`infer: false`): what a language model would extract is not compared. */
export async function open({ folder, url }) {
  const dimension = (
    await (await fetch(`${url}/embeddings`, { method: 'POST', body: '{"input":"a"}' })).json()
  ).data[0].embedding.length;
  const memory = new Memory({
    embedder: {
      provider: 'openai',
      config: { apiKey: 'none', baseURL: url, model: 'omoide', embeddingDims: dimension },
    },
    vectorStore: {
      provider: 'memory',
      config: { collectionName: 'peers', dimension, dbPath: join(folder, 'vectors.db') },
    },
    llm: { provider: 'openai', config: { apiKey: 'none', baseURL: url, model: 'none' } },
    disableHistory: true,
  });
  return {
    async add(turns) {
      for (const { id, speaker, text } of turns)
        await memory.add(`${speaker}: ${text}`, { userId: 'someone', infer: false, metadata: { id } });
    },
    async search(text, limit) {
      const { results } = await memory.search(text, {
        filters: { user_id: 'someone' },
        topK: limit,
        threshold: 0,
      });
      return results.map(({ metadata }) => metadata.id);
    },
  };
}
