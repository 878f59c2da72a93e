/** Entities that an episode mentions, and their relations. */
import type { Episode } from '../../model/model.ts';
import type { DerivationMark, Store } from '../../store/store.ts';
import { SUREST_BY_RULES } from '../../text/text.ts';
import type { DerivationParts } from '../derivation.ts';
import { question, type EpisodeDerivation } from '../episodeDerivation.ts';
import { createMutex } from '../exclusive.ts';
import { promptFor } from '../prompts.ts';
import { notAskedBefore } from '../passage.ts';
import { markOfScene, plainScene } from '../scene.ts';
import { summaryJobs } from '../summaries/summaries.ts';
import { entitySchema, entityValues, keepSupported, shownEntities } from './entityModel.ts';
import { findByRules, RULES_VERSION, type Found } from './entityRules.ts';
import { mostMentioned } from './mostMentioned.ts';

const KIND = 'extract_entities';

/**
 * Finds the people, places, organizations, animals, things and events that an episode mentions, and matches them
 * with known entities, independently of script and title. By rules the confidences are at most 0.6.
 */
export function createEntitiesDerivation(parts: DerivationParts): EpisodeDerivation {
  const { store } = parts;
  const inTurn = createMutex(store, KIND);

  const keep = async (mark: DerivationMark, { mentions, relations, learnt }: Found) => {
    await store.units.applyDerivation({ mark, changes: [], mentions, relations });
    for (const { id, type } of learnt) await store.entities.update(id, { type });
  };
  const askForSummaries = async (unitIds: readonly number[]) => {
    if (unitIds.length === 0) return;
    const now = parts.now();
    const jobs = await summaryJobs(store, await mostMentioned(store, unitIds), {
      now,
      byModel: parts.model() !== null,
    });
    if (jobs.length > 0) await store.jobs.enqueue(jobs, now);
  };

  return {
    kind: KIND,
    async ask(passage, model) {
      const prompt = promptFor(KIND, passage.language);
      const naming = (await notAskedBefore(store, passage, { kind: KIND, prompt, model })).filter(
        ({ scene }) => !isSecret(scene.episode),
      );
      if (naming.length === 0) return null;
      const scenes = naming.map(({ scene }) => scene);
      const shown = await shownEntities(store, scenes);
      return question({
        prompt,
        values: entityValues(scenes, shown),
        schema: entitySchema,
        async keep(reply) {
          for (const { scene, mark } of naming) {
            // Otherwise two episodes with the same new name would create two entities.
            await inTurn(async () => keep(mark, await keepSupported(store, scene, shown, reply)));
          }
          await askForSummaries(scenes.map((scene) => scene.episode.id));
        },
      });
    },
    async byRules(episodes, signal) {
      const read: number[] = [];
      for (const scene of episodes.filter((one) => !isSecret(one)).map(plainScene)) {
        signal.throwIfAborted();
        const mark = markOfScene(KIND, scene, { version: RULES_VERSION, modelId: null });
        if ((await store.units.isDerived(mark)) || (await wasByModel(store, scene.episode))) continue;
        await inTurn(async () => keep(mark, await findByRules(store, scene)));
        read.push(scene.episode.id);
      }
      await askForSummaries(read);
    },
  };
}

/** Entities are visible to everyone, so secrets create none. */
function isSecret(episode: Episode): boolean {
  return episode.sensitivity === 'secret';
}

/** Whether a model read it, which has a higher confidence than rules. */
async function wasByModel(store: Store, { id }: Episode): Promise<boolean> {
  return (await store.entities.ofUnits([id])).some((mention) => mention.confidence > SUREST_BY_RULES);
}
