/** Facts about people from their turns, with the period in which they are true and their evidence. */
import { unitsOfKind, type Episode, type UnitOf } from '../../model/model.ts';
import type { DerivationMark } from '../../store/store.ts';
import type { DerivationParts } from '../derivation.ts';
import { question, type EpisodeDerivation } from '../episodeDerivation.ts';
import { createMutex, withChanged } from '../exclusive.ts';
import { isCompanion } from '../guard.ts';
import { promptFor } from '../prompts.ts';
import { notAskedBefore } from '../passage.ts';
import { markOfScene, plainScene } from '../scene.ts';
import { subjectsOfEpisodes, summaryJobs } from '../summaries/summaries.ts';
import { factsIn, factSchema, factValues } from './factModel.ts';
import { factsOf, RULES_VERSION } from './factRules.ts';
import type { Evidence, FoundFact } from './foundFact.ts';
import { nameObjects, readKnownFacts } from './knownFacts.ts';
import { reconcile } from './reconcile.ts';
import { userNames } from './subjects.ts';

export { factHistory, type FactEvidence, type FactPeriod } from './history.ts';

type Fact = UnitOf<'fact'>;

const KIND = 'extract_facts';
/** The highest confidence by rules, however often the same is found, and by a model. */
const MAX_CONFIDENCE = { rules: 0.6, model: 0.95 } as const;

/**
 * Derives facts from what people say about themselves and others; the companion's own turns are not used. A
 * repeated fact is reinforced, a contradicted one is closed; both keep their evidence.
 */
export function createFactsDerivation(parts: DerivationParts): EpisodeDerivation {
  const { store, unitJobKinds } = parts;
  const oneAtATime = createMutex(store, KIND);

  /** Every turn changes the summaries of its week and of the relationship. */
  const askForSummaries = async (episodes: readonly Episode[]) => {
    const subjects = subjectsOfEpisodes(episodes, store.timeZone);
    await store.jobs.enqueue(
      await summaryJobs(store, subjects, { now: parts.now(), byModel: parts.model() !== null }),
      parts.now(),
    );
  };

  /** Compares the found facts with the known ones. Returns the known facts after the changes. */
  const keep = async (episode: Episode, mark: DerivationMark, { found, known, form }: FoundFacts) => {
    const named = await nameObjects(store, found);
    const changes = reconcile(named, known, userNames(known), evidenceOf(episode, form));
    const { units } = await store.units.applyDerivation({ mark, changes, unitJobKinds });
    return withChanged(known, unitsOfKind('fact', units));
  };

  return {
    kind: KIND,
    async ask(passage, model) {
      await askForSummaries(passage.scenes.map((scene) => scene.episode));
      const prompt = promptFor(KIND, passage.language);
      const telling = (await notAskedBefore(store, passage, { kind: KIND, prompt, model })).filter(
        ({ scene }) => !isCompanion(scene.episode.payload.speaker) && scene.text.trim() !== '',
      );
      if (telling.length === 0) return null;
      const scenes = telling.map(({ scene }) => scene);
      const known = await readKnownFacts(store);
      const asked = { scenes, known, user: userNames(known), timeZone: store.timeZone };
      const { shown, values } = factValues(asked, passage.language);
      return question({
        prompt,
        values,
        schema: factSchema,
        // Facts may have been added while the model was running.
        keep: (reply) =>
          oneAtATime(async () => {
            let now = await readKnownFacts(store);
            for (const { scene, mark } of telling) {
              const found = factsIn(reply, scene, { ...asked, shown });
              now = await keep(scene.episode, mark, { found, known: now, form: 'model' });
            }
          }),
      });
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
          known = await keep(episode, mark, { found, known, form: 'rules' });
        }
      });
    },
  };
}

/** The facts found in a turn, and those known before it. */
interface FoundFacts {
  readonly found: readonly FoundFact[];
  readonly known: readonly Fact[];
  readonly form: keyof typeof MAX_CONFIDENCE;
}

function evidenceOf(episode: Episode, form: FoundFacts['form']): Evidence {
  return {
    unitId: episode.id,
    at: episode.occurredAt,
    source: form === 'rules' ? `${KIND}:rules` : KIND,
    sensitivity: episode.sensitivity,
    scope: episode.scope,
    maxConfidence: MAX_CONFIDENCE[form],
  };
}
