/** What derivations of single episodes have in common: two forms, one that asks a model and one that goes by rules. */
import { isMisfit, type LanguageModel } from '../llm/llm.ts';
import type { Episode, Job } from '../model/model.ts';
import type { Derivation, DerivationParts } from './derivation.ts';

/** Rules are quick: what is read for one is read for many. */
const RULES_BATCH = 64;

export interface EpisodeForms {
  readonly kind: string;
  /** Sources of episodes that are left alone; default: `meta_request`, whose words were not kept. */
  readonly exceptSources?: readonly string[];
  /** One episode; asks the model unless it was asked the same before. Where its reply does not fit, rules serve. */
  byModel(episode: Episode, model: LanguageModel, signal: AbortSignal): Promise<void>;
  byRules(episodes: readonly Episode[], signal: AbortSignal): Promise<void>;
}

/** A derivation of the episodes that jobs `{ unitId }` name. Which form it takes is asked anew for every batch. */
export function createEpisodeDerivation(parts: DerivationParts, forms: EpisodeForms): Derivation {
  const except = forms.exceptSources ?? ['meta_request'];
  return {
    kind: forms.kind,
    get batchSize() {
      return parts.model() ? 1 : RULES_BATCH;
    },
    get asksModel() {
      return parts.model() !== null;
    },
    async run(jobs, signal) {
      const model = parts.model();
      const units = await parts.store.units.get(jobs.map(unitIdOf).filter(Number.isSafeInteger));
      const episodes = units.filter((unit): unit is Episode => unit.kind === 'episode');
      const wanted = episodes.filter((episode) => !except.includes(episode.source));
      if (!model) return forms.byRules(wanted, signal);
      for (const episode of wanted) {
        try {
          await forms.byModel(episode, model, signal);
        } catch (error) {
          if (!isMisfit(error)) throw error;
          await forms.byRules([episode], signal);
        }
      }
    },
  };
}

function unitIdOf(job: Job): number {
  return Number(job.input['unitId']);
}

/** Runs one after another what must not run at once: reading what is known and writing what is new. */
export function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => {});
    return next;
  };
}

/** What was read, with what was kept since in its place. */
export function withChanged<T extends { readonly id: number }>(read: readonly T[], kept: readonly T[]): T[] {
  return [...new Map([...read, ...kept].map((one) => [one.id, one])).values()];
}
