/** Learning from turns: derivations, and the worker that runs them. */
import { createCapsuleDerivation, createMomentDerivation } from './capsule/capsule.ts';
import type { Derivation, DerivationParts } from './derivation.ts';
import { createEntitiesDerivation } from './entities/entities.ts';
import { createFactsDerivation } from './facts/facts.ts';
import { createLearnDerivation } from './learn/learn.ts';
import { createLoopsDerivation } from './loops/loops.ts';
import { createReflectDerivation } from './reflect/reflect.ts';
import { createSummariesDerivation } from './summaries/summaries.ts';
import { createTopicsDerivation } from './topics/topics.ts';

export type { Derivation, DerivationParts } from './derivation.ts';
export { createEmbedDerivation, embedUnits } from './embed.ts';
export { OFF_RECORD } from './offRecord.ts';
export { dueIn } from './loops/loops.ts';
export { factHistory, type FactEvidence, type FactPeriod } from './facts/facts.ts';
export { nameTopic } from './topics/topics.ts';
export { createWorker, type Outage, type Worker, type WorkerEvent } from './worker.ts';

/** Kinds of job to create for a new episode, except for its vector. */
export const EPISODE_DERIVATIONS = ['learn'] as const;
/** All kinds of derivation, except vectors. */
export const DERIVATION_KINDS = [...EPISODE_DERIVATIONS, 'refresh_capsule', 'summarize'] as const;

/** A derivation for each of DERIVATION_KINDS. */
export function createDerivations(parts: DerivationParts): Derivation[] {
  const fromEpisodes = [
    createReflectDerivation(parts),
    createEntitiesDerivation(parts),
    createFactsDerivation(parts),
    createLoopsDerivation(parts),
    createTopicsDerivation(parts),
    createMomentDerivation(parts),
  ];
  return [
    createLearnDerivation(parts, fromEpisodes),
    createCapsuleDerivation(parts),
    createSummariesDerivation(parts),
  ];
}
