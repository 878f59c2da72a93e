/**
 * Vectors for measuring the speed of large memories; the bundled encoder would take hours to read every turn. The
 * table's part is the real one. The encoder's part is replaced by a random projection of the table's part: similar
 * texts stay similar, and the search has as much to do.
 */
import { openEmbedder, type Embedder } from '../src/llm/llm.ts';

/** An embedder that creates such vectors under the bundled one's name, so that the memory opens with the bundled one. */
export async function quickVectors(): Promise<Embedder> {
  const table = await openEmbedder({ provider: 'static' });
  const { id, dimensions } = await openEmbedder({ provider: 'bundled' });
  const written = table.dimensions ?? 0;
  const added = (dimensions ?? 0) - written;
  const projection = Array.from({ length: added }, (_, row) => [
    (row * 7_919) % written,
    (row * 104_729 + 17) % written,
    row % 2 === 0 ? 1 : -1,
  ]);
  return {
    id,
    dimensions,
    batchSize: table.batchSize,
    isLocal: true,
    async embed(texts, purpose, signal) {
      const vectors = await table.embed(texts, purpose, signal);
      return vectors.map((vector) => {
        const encoded = projection.map(
          ([a = 0, b = 0, sign = 1]) => (vector[a] ?? 0) + sign * (vector[b] ?? 0),
        );
        const length = Math.hypot(...encoded) || 1;
        return Float32Array.from([
          ...encoded.map((value) => (value / length) * Math.sqrt(0.7)),
          ...Array.from(vector, (value) => value * Math.sqrt(0.3)),
        ]);
      });
    },
  };
}
