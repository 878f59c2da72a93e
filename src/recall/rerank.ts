import { MemoryError, unitText } from '../model/model.ts';
import type { Reranker } from '../llm/llm.ts';
import { withinTime } from '../async/async.ts';
import type { Ranking } from './ranking.ts';
import type { StageClock } from './trace.ts';
import type { Candidate } from './types.ts';

/** The outcome of the reranker: `off` when none is set, `failed` when the previous order was kept. */
export type RerankOutcome = 'off' | 'used' | 'failed';

/** Number of reranked candidates. */
const MAX_RERANKED = 40;
/** Time limit for a reranker that sets none. */
const TIME_LIMIT_MS = 1_000;

/**
 * Reorders the top of the ranking with a cross-encoder; late or invalid answers change nothing. A direct answer keeps
 * its own order.
 */
export async function applyReranker(
  reranker: Reranker | null,
  utterance: string,
  ranking: Ranking,
  clock: StageClock,
): Promise<{ candidates: readonly Candidate[]; outcome: RerankOutcome }> {
  const head = ranking.candidates.slice(0, MAX_RERANKED);
  if (!reranker || head.length < 2 || ranking.queries.length === 0)
    return { candidates: ranking.candidates, outcome: 'off' };
  try {
    const texts = head.map((candidate) => unitText(candidate.unit));
    const scores = await clock.time('rerank', () => askReranker(reranker, utterance, texts));
    const order = head
      .map((candidate, i) => ({ candidate, score: scores[i] ?? 0 }))
      // Sorting is stable: equal scores keep the previous order.
      .sort((a, b) => b.score - a.score);
    const reranked = order.map((item) => item.candidate);
    return { candidates: [...reranked, ...ranking.candidates.slice(MAX_RERANKED)], outcome: 'used' };
  } catch {
    return { candidates: ranking.candidates, outcome: 'failed' };
  }
}

/** Returns one finite score for each text in time, even if the reranker ignores its signal or returns the wrong type. */
async function askReranker(
  reranker: Reranker,
  utterance: string,
  texts: readonly string[],
): Promise<readonly number[]> {
  const limitMs = reranker.timeoutMs ?? TIME_LIMIT_MS;
  const scores = await withinTime(limitMs, (signal) => reranker.rerank(utterance, texts, signal));
  if (scores.length === texts.length && scores.every(Number.isFinite)) return scores;
  throw new MemoryError('RERANKER_FAILED', `Not one score for each of ${texts.length} texts.`);
}
