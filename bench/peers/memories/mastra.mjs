import { join } from 'node:path';
import { LibSQLStore, LibSQLVector } from '@mastra/libsql';
import { Memory } from '@mastra/memory';

const resourceId = 'someone';
const threadId = 'thread';

/** Semantic recall, without the messages around each hit and without the last messages. It returns messages in time order. */
export async function open({ folder, url }) {
  const recallOf = (topK) => ({
    lastMessages: false,
    semanticRecall: { topK, messageRange: 0, scope: 'resource' },
  });
  const memory = new Memory({
    storage: new LibSQLStore({ id: 'storage', url: `file:${join(folder, 'storage.db')}` }),
    vector: new LibSQLVector({ id: 'vectors', url: `file:${join(folder, 'vectors.db')}` }),
    embedder: embedderAt(url),
    options: recallOf(10),
  });
  const now = new Date();
  await memory.saveThread({
    thread: { id: threadId, resourceId, title: '', createdAt: now, updatedAt: now },
  });
  return {
    isRanked: false,
    async add(turns) {
      await memory.saveMessages({
        messages: turns.map(({ id, speaker, text, at }, i) => ({
          id,
          role: 'user',
          // Sessions have one time for all turns; messages need an order.
          createdAt: new Date(Date.parse(at) + i),
          threadId,
          resourceId,
          type: 'text',
          content: { format: 2, parts: [{ type: 'text', text: `${speaker}: ${text}` }] },
        })),
      });
    },
    async search(text, limit) {
      const { messages } = await memory.recall({
        threadId,
        resourceId,
        perPage: 0,
        vectorSearchString: text,
        threadConfig: recallOf(limit),
      });
      return messages.map(({ id }) => id);
    },
  };
}

/** As an embedding model of the AI SDK, which it requires. */
function embedderAt(url) {
  return {
    specificationVersion: 'v2',
    provider: 'peers',
    modelId: 'omoide',
    maxEmbeddingsPerCall: 64,
    supportsParallelCalls: true,
    async doEmbed({ values }) {
      const body = JSON.stringify({ model: 'omoide', input: values });
      const response = await fetch(`${url}/embeddings`, { method: 'POST', body });
      const { data } = await response.json();
      return { embeddings: data.map(({ embedding }) => embedding) };
    },
  };
}
