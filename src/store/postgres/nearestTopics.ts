import { dot, quantize } from '../../vectors/vectors.ts';
import { perform, type Centroids } from '../tables/tables.ts';

/** Active topics, nearest first, compared in integers as vectors are. */
export async function nearestTopics(
  centroids: Centroids,
  vector: Float32Array,
  limit: number,
): Promise<{ topicId: number; score: number }[]> {
  if (limit <= 0) return [];
  const sums = await perform(centroids.ofActive());
  if (sums.size === 0) return [];
  await perform(centroids.checkDimensions(vector));
  const query = quantize(vector);
  const queryLength = dot(query, query);
  const scored = [...sums].flatMap(([topicId, sum]) => {
    if (sum.length !== vector.length) return [];
    const centroid = quantize(sum);
    const lengths = Math.sqrt(dot(centroid, centroid) * queryLength);
    return { topicId, score: lengths === 0 ? 0 : dot(query, centroid) / lengths };
  });
  return scored.sort((a, b) => b.score - a.score || a.topicId - b.topicId).slice(0, limit);
}
