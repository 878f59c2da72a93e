/** Open loops: plans, promises and duties, with their due times and completion. */
import { unitsOfKind, type Episode } from '../../model/model.ts';
import type { DerivationMark, UnitChange } from '../../store/store.ts';
import type { DerivationParts } from '../derivation.ts';
import { question, type EpisodeDerivation } from '../episodeDerivation.ts';
import { createMutex, withChanged } from '../exclusive.ts';
import { isCompanion } from '../guard.ts';
import { promptFor } from '../prompts.ts';
import { notAskedBefore } from '../passage.ts';
import { markOfScene, plainScene } from '../scene.ts';
import { loopsIn, loopSchema, loopValues, type LoopAnswer } from './loopModel.ts';
import { intentionsIn, RULES_VERSION, type FoundLoop, type Intentions } from './loopRules.ts';
import {
  addLoop,
  endLoop,
  findMatchingLoop,
  openAt,
  readOpenLoops,
  repeatLoop,
  sameLoop,
  type Loop,
} from './openLoops.ts';

export { dueIn } from './due.ts';

const KIND = 'extract_loops';
const MAX_CONFIDENCE = { rules: 0.6, model: 0.95 } as const;

/**
 * Derives open loops from what people and the companion intend to do, and closes them when a later turn says so.
 * They expire two weeks after they were due, or two months after they were mentioned.
 */
export function createLoopsDerivation(parts: DerivationParts): EpisodeDerivation {
  const { store, unitJobKinds } = parts;
  const oneAtATime = createMutex(store, KIND);

  /** Returns the changed loops. */
  const keep = async (episode: Episode, mark: DerivationMark, news: FoundLoops) => {
    const changes = changesOf(episode, news);
    const { units } = await store.units.applyDerivation({ mark, changes, unitJobKinds });
    return unitsOfKind('loop', units);
  };

  const openFor = async ({ occurredAt }: Episode) =>
    openAt(await readOpenLoops(store, occurredAt), occurredAt);

  return {
    kind: KIND,
    async ask(passage, model) {
      const prompt = promptFor(KIND, passage.language);
      const telling = (await notAskedBefore(store, passage, { kind: KIND, prompt, model })).filter(
        ({ scene }) => scene.text.trim() !== '',
      );
      const [first] = telling;
      if (!first) return null;
      const { shown, values } = loopValues(await openFor(first.scene.episode), first.scene, store.timeZone);
      return question({
        prompt,
        values,
        schema: loopSchema,
        // Loops may have been opened or closed while the model was running.
        keep: (reply) =>
          oneAtATime(async () => {
            for (const { scene, mark } of telling) {
              const answer = loopsIn(reply, scene, { shown, timeZone: store.timeZone });
              await keep(scene.episode, mark, { answer, open: await openFor(scene.episode), form: 'model' });
            }
          }),
      });
    },
    async byRules(episodes, signal) {
      const scenes = episodes
        .map(plainScene)
        .map((scene) => ({ scene, ...intentionsIn(scene, store.timeZone) }));
      const telling = scenes.filter(({ found, endings }) => found.length + endings.length > 0);
      if (telling.length === 0) return;
      await oneAtATime(async () => {
        let loops = await readOpenLoops(
          store,
          Math.min(...telling.map(({ scene }) => scene.episode.occurredAt)),
        );
        for (const { scene, ...intentions } of telling) {
          signal.throwIfAborted();
          const { episode } = scene;
          const open = openAt(loops, episode.occurredAt);
          const answer = answerOf(intentions, open, episode);
          if (answer.found.length + answer.ended.length === 0) continue;
          const mark = markOfScene(KIND, scene, { version: RULES_VERSION, modelId: null });
          loops = withChanged(loops, await keep(episode, mark, { answer, open, form: 'rules' }));
        }
      });
    },
  };
}

/** The loops that statements about completion refer to. The companion can end only what it promised itself. */
function answerOf({ found, endings }: Intentions, open: readonly Loop[], episode: Episode): LoopAnswer {
  const mayEnd = isCompanion(episode.payload.speaker)
    ? open.filter((loop) => loop.payload.text.startsWith(`${episode.payload.speaker}: `))
    : open;
  const ended = endings.flatMap(({ words, status }) => {
    const loop = findMatchingLoop(words, mayEnd, episode);
    return loop ? [{ loopId: loop.id, status }] : [];
  });
  return { found, ended };
}

/** What a turn says about tasks, and the loops that are open when it is said. */
interface FoundLoops {
  readonly answer: LoopAnswer;
  readonly open: readonly Loop[];
  readonly form: keyof typeof MAX_CONFIDENCE;
}

function changesOf(episode: Episode, { answer: { found, ended }, open, form }: FoundLoops): UnitChange[] {
  const source = form === 'rules' ? `${KIND}:rules` : KIND;
  const changed = new Map<number, UnitChange>();
  const added: { found: FoundLoop; change: UnitChange }[] = [];
  for (const { loopId, status } of ended) {
    const loop = open.find(({ id }) => id === loopId);
    if (loop) changed.set(loopId, endLoop(loop, status, episode));
  }
  for (const one of found) {
    const same = sameLoop(
      one,
      open.filter(({ id }) => !changed.has(id)),
      episode,
    );
    if (same) {
      const change = repeatLoop(same, one, episode, MAX_CONFIDENCE[form]);
      if (change) changed.set(same.id, change);
    } else if (!added.some((other) => other.found.text === one.text)) {
      added.push({ found: one, change: addLoop(one, episode, source) });
    }
  }
  return [...changed.values(), ...added.map(({ change }) => change)];
}
