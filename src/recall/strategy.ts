import type { Intent } from './intent.ts';
import type { Strategy } from './types.ts';

/** The searches that each strategy uses. (Orchestrator §2.2) */
export const SEARCHES: Readonly<Record<Strategy, { vector: boolean; keyword: boolean; time: boolean }>> = {
  semantic_only: { vector: true, keyword: false, time: false },
  keyword_boost: { vector: true, keyword: true, time: false },
  temporal: { vector: true, keyword: false, time: true },
  hybrid: { vector: true, keyword: true, time: true },
};

/** The weights of the `weighted` profile. (Orchestrator §3.2.2) */
export interface SearchWeights {
  readonly vector: number;
  readonly keyword: number;
  /** Share of the score lost with each 30 days of age, continuously: e^(−factor × age / 30 d). */
  readonly timeDecayFactor: number;
}

/** Selects the strategy for an intent. (Orchestrator §3.2.1) */
export function selectStrategy(intent: Pick<Intent, 'queryType' | 'keywords' | 'timeRange'>): Strategy {
  if (intent.timeRange !== null) return 'temporal';
  if (intent.queryType === 'factual' && intent.keywords.length > 0) return 'keyword_boost';
  if (intent.queryType === 'conceptual') return 'semantic_only';
  return 'hybrid';
}

/** The weights of vector and keyword scores. @param isToday whether the question is about today: then age does not count */
export function weightsOf(strategy: Strategy, isToday: boolean): SearchWeights {
  const share = strategy === 'keyword_boost' ? { vector: 0.5, keyword: 0.5 } : { vector: 0.7, keyword: 0.3 };
  return { ...share, timeDecayFactor: isToday ? 0 : 0.1 };
}
