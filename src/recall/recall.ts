/** The recall pipeline that serves every way of remembering. One file per stage. */
import { autoRecall, type AutoRecallOptions, type Bundle } from './autoRecall/autoRecall.ts';
import { AccessCounter } from './count.ts';
import { DocumentReader } from './documents.ts';
import { explore, type Exploration, type ExploreOptions, type ExploreQuery } from './explore/explore.ts';
import {
  recallUnits,
  type RecallDependencies,
  type RecallOutcome,
  type RecallParts,
  type RecallResult,
} from './pipeline.ts';
import type { RecallOptions } from './types.ts';

export { unitsAsOf } from './asOf.ts';
export { fitBudget, NO_BUDGET } from './budget.ts';
export {
  autoRecallOptionsSchema,
  type AutoRecallOptions,
  type Bundle,
  type BundleTopic,
  type Highlight,
} from './autoRecall/autoRecall.ts';
export {
  EXPLORE_VIEWS,
  exploreOptionsSchema,
  exploreQuerySchema,
  type Exploration,
  type ExploredItem,
  type ExploredTopic,
  type ExploreOptions,
  type ExploreQuery,
  type ExploreView,
  type TimelineGroup,
} from './explore/explore.ts';
export { embedLineEnds } from './lineEnd.ts';
export { DocumentReader } from './documents.ts';
export { topicTitles } from './topics.ts';
export { findNoteDestination, type NoteDestination } from './direct/direct.ts';
export type { Intent } from './intent.ts';
export { parseProfile, parseProfiles, type ProfileFile } from './profileFile.ts';
export { checkRecallDefaults, type Profile } from './profiles.ts';
export type { RecallDependencies, RecallMetadata, RecallOutcome, RecallResult } from './pipeline.ts';
export type { Trace } from './trace.ts';
export type { DeepReport, DetectedReference, PhaseOutcome } from './deep/deep.ts';
export {
  PROFILE_NAMES,
  STRATEGIES,
  recallDefaultsSchema,
  recallOptionsSchema,
  type ContextLine,
  type Contribution,
  type Hit,
  type InjectionStrategy,
  type Mode,
  type ProfileName,
  type Quote,
  type RecallDefaults,
  type RecallOptions,
  type Relevance,
  type Strategy,
  type Why,
} from './types.ts';

export interface Recall {
  recall(utterance: string, options?: RecallOptions): Promise<RecallResult>;
  /** The turns related to the utterance, as quotes with their topics. */
  autoRecall(utterance: string, options?: AutoRecallOptions): Promise<Bundle>;
  /** A deliberate search: by words, time, emotion, topic, entity, or several at once. */
  explore(query: ExploreQuery, options?: ExploreOptions): Promise<Exploration>;
  /** Resolves when every recall so far is counted. */
  settled(): Promise<void>;
}

export function createRecall(dependencies: RecallDependencies): Recall {
  const counter = new AccessCounter(dependencies.store);
  const { reader = new DocumentReader(dependencies.store) } = dependencies;
  const parts: RecallParts = { ...dependencies, counter, reader };
  return {
    async recall(utterance, options = {}) {
      const { result } = await recallUnits(parts, utterance, options);
      dependencies.onRecall?.(
        result.metadata,
        outcomeOf(result.inject, result.hits[0]?.probability, options),
      );
      return result;
    },
    async autoRecall(utterance, options = {}) {
      const bundle = await autoRecall(parts, utterance, options);
      dependencies.onRecall?.(bundle.metadata, outcomeOf(bundle.inject, null, options));
      return bundle;
    },
    explore: (query, options) => explore(parts, query, options),
    settled: () => counter.settled(),
  };
}

function outcomeOf(
  inject: boolean,
  top: number | null | undefined,
  { count = true }: { readonly count?: boolean | undefined },
): RecallOutcome {
  return { inject, topProbability: top ?? null, isLive: count };
}
