/** Learning from turns: runs all episode derivations by rules, or with one request to a model for a few turns. */
import { z } from 'zod';
import { isInvalidReply, type LanguageModel } from '../../llm/llm.ts';
import { unitsOfKind, type Episode, type Job } from '../../model/model.ts';
import type { Derivation, DerivationParts } from '../derivation.ts';
import type { EpisodeDerivation, Question } from '../episodeDerivation.ts';
import { isCompanion } from '../guard.ts';
import { onRecord } from '../offRecord.ts';
import { formatPassage, readPassage, type Passage } from '../passage.ts';
import { fillPrompt, promptFor } from '../prompts.ts';
import { formatBefore, markOfScene, readScene, type Scene } from '../scene.ts';

const KIND = 'learn';
/** Rules are fast, and share reads within a batch. */
const RULES_BATCH = 64;
/** The text of a meta request is not stored, and a reminder only repeats known facts. */
const DEFAULT_EXCEPT: readonly string[] = ['meta_request', 'reminder'];

/**
 * Learns from the episodes named in jobs `{ unitId }`. With a model one request covers an episode and those after
 * it in its conversation, up to six turns; their jobs then have nothing left to do. Rules are used for turns for
 * which the reply does not fit, and for proactive messages, which contain nothing new.
 */
export function createLearnDerivation(
  parts: DerivationParts,
  derivations: readonly EpisodeDerivation[],
): Derivation {
  const learner = new Learner(parts, derivations);
  return {
    kind: KIND,
    get batchSize() {
      return parts.model() ? 1 : RULES_BATCH;
    },
    get asksModel() {
      return parts.model() !== null;
    },
    async run(jobs, signal) {
      const model = parts.model();
      const units = await parts.store.units.get(jobs.map(unitIdOf).filter(Number.isSafeInteger));
      const found = unitsOfKind('episode', units);
      const episodes = await onRecord(parts.store, found);
      const unasked = model ? episodes.filter(isUnasked) : episodes;
      await learner.byRules(unasked, signal);
      if (!model) return;
      for (const episode of episodes)
        if (!unasked.includes(episode)) await learner.byModel(episode, model, signal);
    },
  };
}

function unitIdOf(job: Job): number {
  return Number(job.input['unitId']);
}

class Learner {
  readonly #parts: DerivationParts;
  readonly #derivations: readonly EpisodeDerivation[];

  constructor(parts: DerivationParts, derivations: readonly EpisodeDerivation[]) {
    this.#parts = parts;
    this.#derivations = derivations;
  }

  async byRules(episodes: readonly Episode[], signal: AbortSignal): Promise<void> {
    for (const derivation of this.#derivations) {
      const wanted = episodes.filter((episode) => isFor(derivation, episode));
      if (wanted.length > 0) await derivation.byRules(wanted, signal);
    }
  }

  async byModel(episode: Episode, model: LanguageModel, signal: AbortSignal): Promise<void> {
    await this.#parts.whenAnswered?.(episode.payload.conversationId);
    const { store } = this.#parts;
    if (await this.#isLearnt(await readScene(store, episode), model)) return;
    const isWanted = async (scene: Scene) =>
      !(await this.#isLearnt(scene, model)) && (await onRecord(store, [scene.episode])).length > 0;
    const passage = await readPassage(store, episode, isWanted);
    const questions = await this.#questions(passage, model, signal);
    try {
      if (questions.length > 0) await this.#ask(passage, { questions, model, signal });
    } catch (error) {
      if (!isInvalidReply(error)) throw error;
      await this.byRules(
        passage.scenes.map((scene) => scene.episode),
        signal,
      );
    }
    for (const scene of passage.scenes)
      await store.units.applyDerivation({ mark: markOf(scene, model), changes: [] });
  }

  #isLearnt(scene: Scene, model: LanguageModel): Promise<boolean> {
    return this.#parts.store.units.isDerived(markOf(scene, model));
  }

  async #questions(passage: Passage, model: LanguageModel, signal: AbortSignal): Promise<Question[]> {
    const [first] = passage.scenes;
    const questions: Question[] = [];
    for (const derivation of this.#derivations) {
      if (!first || !isFor(derivation, first.episode)) continue;
      const question = await derivation.ask(passage, model, signal);
      if (question) questions.push(question);
    }
    return questions;
  }

  /** One request for all questions. */
  async #ask(
    passage: Passage,
    {
      questions,
      model,
      signal,
    }: {
      readonly questions: readonly Question[];
      readonly model: LanguageModel;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const { timeZone } = this.#parts.store;
    const [first] = passage.scenes;
    const sections = questions.map(({ prompt, values }) => fillPrompt(prompt, values));
    const request = fillPrompt(promptFor(KIND, passage.language), {
      instructions: sections.map(({ system }) => system).join('\n\n'),
      material: sections.map(({ messages: [{ content }] }) => content).join('\n\n'),
      before: first ? formatBefore(first, timeZone) : '-',
      turns: formatPassage(passage, timeZone),
    });
    const schema = z.object(Object.fromEntries(questions.flatMap(({ shape }) => Object.entries(shape))));
    const { value } = await model.generateObject(
      { purpose: KIND, name: 'learnt', schema, temperature: 0, ...request },
      signal,
    );
    for (const question of questions) {
      signal.throwIfAborted();
      await question.keep(value);
    }
  }
}

/** Whether it is a proactive message: about a notification, a request or something due. */
function isUnasked({ source, payload }: Episode): boolean {
  return DEFAULT_EXCEPT.includes(source) || (source === 'notification' && isCompanion(payload.speaker));
}

function isFor({ exceptSources = DEFAULT_EXCEPT }: EpisodeDerivation, { source }: Episode): boolean {
  return !exceptSources.includes(source);
}

/** The mark that a model was asked all questions about a turn. */
function markOf(scene: Scene, model: LanguageModel) {
  const { version } = promptFor(KIND, scene.language);
  return markOfScene(KIND, scene, { version, modelId: model.id });
}
