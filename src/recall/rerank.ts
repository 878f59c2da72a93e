import { MemoryError, unitText } from '../model/model.ts';
import type { Reranker } from '../llm/llm.ts';
import { withinTime } from '../async/async.ts';
import type { Ranking } from './ranking.ts';
import type { StageClock } from './trace.ts';
import type { Candidate } from './types.ts';

/** What became of the reranker: `off` when none is set, `failed` when the order found before stands. */
export type RerankOutcome = 'off' | 'used' | 'failed';

/** Candidates worth a second look. */
const MAX_RERANKED = 40;
/** How long the caller waits for a reranker that names no limit of its own. */
const TIME_LIMIT_MS = 1_000;

/**
 * Puts the head of the ranking into the order of a cross-encoder; late or broken answers change nothing. What a direct
 * path led to, without any query, keeps its own order.
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
      // Of equal scores the order found before stands: sorting is stable.
      .sort((a, b) => b.score - a.score);
    const reranked = order.map((item) => item.candidate);
    return { candidates: [...reranked, ...ranking.candidates.slice(MAX_RERANKED)], outcome: 'used' };
  } catch {
    return { candidates: ranking.candidates, outcome: 'failed' };
  }
}

/** One finite score for each text, in time, even of a reranker that heeds neither its signal nor its type. */
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
