import type { Embedder } from '../src/llm/llm.ts';

/** The embedder with a cache: tests that use the same texts embed them once. */
export function rememberingEmbedder(embedder: Embedder): Embedder {
  const known = new Map<string, Float32Array>();
  return {
    ...embedder,
    async embed(texts, purpose, signal) {
      const missing = [...new Set(texts)].filter((text) => !known.has(purpose + text));
      const vectors = missing.length > 0 ? await embedder.embed(missing, purpose, signal) : [];
      for (const [i, text] of missing.entries()) known.set(purpose + text, vectors[i] ?? new Float32Array());
      return texts.map((text) => known.get(purpose + text)?.slice() ?? new Float32Array());
    },
  };
}
