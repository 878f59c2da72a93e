/** Emotion, topics and salience of an episode. */
import { isDeepStrictEqual } from 'node:util';
import type { Episode, NewJob } from '../../model/model.ts';
import type { DerivationMark, Store, UnitChange } from '../../store/store.ts';
import type { DerivationParts } from '../derivation.ts';
import { question, type EpisodeDerivation } from '../episodeDerivation.ts';
import { notAskedBefore } from '../passage.ts';
import { promptFor } from '../prompts.ts';
import { markOfScene, plainScene, type Scene } from '../scene.ts';
import { readKnownTags } from './knownTags.ts';
import { checkReflection, reflectionSchema } from './reflectModel.ts';
import { reflectByRules, RULES_VERSION, type Reflection } from './reflectRules.ts';

export { tagCandidates, type TagCandidate } from './topicTags.ts';
export { intensityOf } from './salience.ts';

const KIND = 'reflect';
/** The capsule is refreshed after this delay, so that a burst of turns refreshes it once. */
const CAPSULE_DELAY_MS = 5_000;

/**
 * Sets an episode's emotion, topic tags, salience, confidence and, with a model, a sentence of reflection, and
 * makes it `validated`. By rules the confidence of the episode is at most 0.6; that of its emotion is calibrated.
 */
export function createReflectDerivation(parts: DerivationParts): EpisodeDerivation {
  const { store } = parts;
  const keep = async (scene: Scene, reflection: Reflection, mark: DerivationMark, reason: string) => {
    await store.units.applyDerivation({
      mark,
      changes: [changeOf(scene.episode, reflection, reason, await editedFields(store, scene.episode))],
      jobs: [refreshJob(parts.now() + CAPSULE_DELAY_MS)],
    });
  };

  const byRules: EpisodeDerivation['byRules'] = async (episodes, signal) => {
    const waiting: { scene: Scene; mark: DerivationMark }[] = [];
    for (const scene of episodes.map(plainScene)) {
      const mark = markOfScene(KIND, scene, { version: RULES_VERSION, modelId: null });
      if (!(await store.units.isDerived(mark)) && !(await wasByModel(store, scene.episode)))
        waiting.push({ scene, mark });
    }
    if (waiting.length === 0) return;
    const known = await readKnownTags(store);
    const reflections = await reflectByRules(
      store,
      waiting.map(({ scene }) => scene),
    );
    for (const [i, reflection] of reflections.entries()) {
      signal.throwIfAborted();
      const { scene, mark } = waiting[i]!;
      const topicTags = known.normalize(reflection.topicTags);
      await keep(scene, { ...reflection, topicTags }, mark, `${KIND}:rules`);
    }
  };

  return {
    kind: KIND,
    byRules,
    async ask(passage, model, signal) {
      const prompt = promptFor(KIND, passage.language);
      const waiting = await notAskedBefore(store, passage, { kind: KIND, prompt, model });
      if (waiting.length === 0) return null;
      const known = await readKnownTags(store);
      return question({
        prompt,
        values: { topics: known.shown },
        schema: reflectionSchema,
        async keep({ reflections }) {
          const leftOut: Episode[] = [];
          for (const { scene, mark, number } of waiting) {
            const reply = reflections.find(({ turn }) => turn === number);
            if (!reply) {
              leftOut.push(scene.episode);
              continue;
            }
            const reflection = checkReflection(reply, scene, prompt);
            const topicTags = known.normalize(reflection.topicTags);
            await keep(scene, { ...reflection, topicTags }, mark, KIND);
          }
          await byRules(leftOut, signal);
        },
      });
    },
  };
}

/** What reflecting sets and a person can correct. */
const FIELDS = ['emotion', 'topicTags', 'salience', 'confidence'] as const;
type Field = (typeof FIELDS)[number];

/** The fields that something other than reflecting has changed since the turn was told: a person's correction stays. */
async function editedFields(store: Store, { id, version }: Episode): Promise<Set<Field>> {
  if (version === 1) return new Set();
  const versions = await store.units.versions(id);
  const edited = versions.flatMap(({ reason, snapshot }, i) => {
    const before = versions[i - 1]?.snapshot;
    if (!before || reason === KIND || reason.startsWith(`${KIND}:`)) return [];
    return FIELDS.filter((field) => !isDeepStrictEqual(before[field], snapshot[field]));
  });
  return new Set(edited);
}

function changeOf(
  episode: Episode,
  reflection: Reflection,
  reason: string,
  edited: ReadonlySet<Field>,
): UnitChange {
  const { emotion, topicTags, salience, confidence, note } = reflection;
  const all = { emotion, topicTags: [...topicTags], salience, confidence };
  const found: Partial<typeof all> = all;
  for (const field of edited) delete found[field];
  return {
    type: 'update',
    unitId: episode.id,
    set: {
      ...found,
      ...(episode.state === 'raw' && { state: 'validated' as const }),
      ...(note !== null && { notes: { reflection: note } }),
    },
    reason,
    expectedVersion: episode.version,
  };
}

/** One job, however many episodes request it. */
function refreshJob(runAfter: number): NewJob {
  return { kind: 'refresh_capsule', key: 'refresh_capsule', conversationId: null, input: {}, runAfter };
}

/** Whether a model reflected on it, which is better than rules. */
async function wasByModel(store: Store, { id, state }: Episode): Promise<boolean> {
  return state !== 'raw' && (await store.units.versions(id)).some((version) => version.reason === KIND);
}
