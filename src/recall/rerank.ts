import { unitText } from '../model/model.ts';
import type { Reranker } from '../llm/llm.ts';
import type { Ranking } from './rank.ts';
import type { StageClock } from './trace.ts';
import type { Candidate } from './types.ts';

/** What became of the reranker: `off` when none is set, `failed` when the order found before stands. */
export type RerankOutcome = 'off' | 'used' | 'failed';

/** Candidates worth a second look, and how long the caller waits for it. */
export const MOST_RERANKED = 40;
const TIME_LIMIT_MS = 800;

/** Puts the head of the ranking into the order of a cross-encoder; late or broken answers change nothing. */
export async function applyReranker(
  reranker: Reranker | null,
  utterance: string,
  ranking: Ranking,
  clock: StageClock,
): Promise<{ candidates: readonly Candidate[]; outcome: RerankOutcome }> {
  const head = ranking.candidates.slice(0, MOST_RERANKED);
  if (!reranker || head.length < 2) return { candidates: ranking.candidates, outcome: 'off' };
  try {
    const texts = head.map((candidate) => unitText(candidate.unit));
    const scores = await clock.time('rerank', () =>
      reranker.rerank(utterance, texts, AbortSignal.timeout(TIME_LIMIT_MS)),
    );
    const order = head
      .map((candidate, i) => ({ candidate, score: scores[i] ?? -Infinity }))
      .sort((a, b) => b.score - a.score || a.candidate.unit.id - b.candidate.unit.id);
    const reranked = order.map((item) => item.candidate);
    return { candidates: [...reranked, ...ranking.candidates.slice(MOST_RERANKED)], outcome: 'used' };
  } catch {
    return { candidates: ranking.candidates, outcome: 'failed' };
  }
}
