/** What is known of people, from what they say: facts, since when and until when they hold, and who said so. */
import type { Episode, UnitOf } from '../../model/model.ts';
import type { DerivationMark } from '../../store/store.ts';
import type { Derivation, DerivationParts } from '../derivation.ts';
import { createEpisodeDerivation, createMutex, withChanged } from '../episodes.ts';
import { isCompanion } from '../guard.ts';
import { promptFor } from '../prompts.ts';
import { markOfScene, plainScene, readScene } from '../scene.ts';
import { subjectsOfEpisodes, summaryJobs } from '../summaries/summaries.ts';
import { factsByModel } from './factModel.ts';
import { factsOf, RULES_VERSION } from './factRules.ts';
import type { Evidence, FoundFact } from './found.ts';
import { nameObjects, readKnownFacts } from './knownFacts.ts';
import { reconcile } from './reconcile.ts';
import { userNames } from './subjects.ts';

export { factHistory, type FactEvidence, type FactPeriod } from './history.ts';

type Fact = UnitOf<'fact'>;

const KIND = 'extract_facts';
/** As sure as rules can be, however often they find the same; and as sure as a model can be. */
const MAX_CONFIDENCE = { rules: 0.6, model: 0.95 } as const;

/**
 * Facts from what people say of themselves and of others. The companion's own words teach nothing. A repeated fact is
 * reinforced, a contradicted one closed; both keep their evidence.
 */
export function createFactsDerivation(parts: DerivationParts): Derivation {
  const { store, unitJobKinds } = parts;
  const oneAtATime = createMutex();

  /** Whatever was said, its week has changed, and how people and companion stand. */
  const askForSummaries = async (episodes: readonly Episode[]) => {
    const subjects = subjectsOfEpisodes(episodes, store.timeZone);
    await store.jobs.enqueue(await summaryJobs(store, subjects, parts.now()), parts.now());
  };

  /** Holds what was found against what is known. Returns what is known then. */
  const keep = async (
    episode: Episode,
    mark: DerivationMark,
    found: readonly FoundFact[],
    known: readonly Fact[],
    form: keyof typeof MAX_CONFIDENCE,
  ): Promise<Fact[]> => {
    const named = await nameObjects(store, found);
    const changes = reconcile(named, known, userNames(known), evidenceOf(episode, form));
    const { units } = await store.units.applyDerivation({ mark, changes, unitJobKinds });
    return withChanged(known, units as Fact[]);
  };

  return createEpisodeDerivation(parts, {
    kind: KIND,
    async byModel(episode, model, signal) {
      await askForSummaries([episode]);
      if (isCompanion(episode.payload.speaker)) return;
      const scene = await readScene(store, episode);
      const prompt = promptFor(KIND, scene.language);
      const mark = markOfScene(KIND, scene, { version: prompt.version, modelId: model.id });
      if (scene.text.trim() === '' || (await store.units.isDerived(mark))) return;
      const known = await readKnownFacts(store);
      const question = { scene, prompt, known, user: userNames(known), timeZone: store.timeZone };
      const found = await factsByModel(question, model, signal);
      // While the model thought, others may have taught something.
      await oneAtATime(async () => keep(episode, mark, found, await readKnownFacts(store), 'model'));
    },
    async byRules(episodes, signal) {
      await askForSummaries(episodes);
      const telling = episodes.filter(({ payload }) => !isCompanion(payload.speaker)).map(plainScene);
      if (telling.length === 0) return;
      await oneAtATime(async () => {
        let known = await readKnownFacts(store);
        for (const scene of telling) {
          signal.throwIfAborted();
          const { episode } = scene;
          const found = factsOf(scene, known, store.timeZone);
          if (found.length === 0) continue;
          const mark = markOfScene(KIND, scene, { version: RULES_VERSION, modelId: null });
          if (await store.units.isDerived(mark)) continue;
          known = await keep(episode, mark, found, known, 'rules');
        }
      });
    },
  });
}

function evidenceOf(episode: Episode, form: keyof typeof MAX_CONFIDENCE): Evidence {
  return {
    unitId: episode.id,
    at: episode.occurredAt,
    source: form === 'rules' ? `${KIND}:rules` : KIND,
    sensitivity: episode.sensitivity,
    scope: episode.scope,
    mostConfidence: MAX_CONFIDENCE[form],
  };
}
