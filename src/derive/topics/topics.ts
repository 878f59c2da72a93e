/** Assigns each episode to an experience or theme. */
import { unitsOfKind, type Episode, type Topic } from '../../model/model.ts';
import type { DerivationMark } from '../../store/store.ts';
import type { DerivationParts } from '../derivation.ts';
import { question, type EpisodeDerivation } from '../episodeDerivation.ts';
import { createMutex } from '../exclusive.ts';
import { promptFor } from '../prompts.ts';
import { markOf } from '../inputMarks.ts';
import { wordsOf } from '../scene.ts';
import { findTopicOfTheme } from './theme.ts';
import { findSimilarTopics } from './similarTopics.ts';
import {
  checkAnswer,
  formatTopics,
  isWorthAsking,
  MODEL_SOURCE,
  topicSchema,
  topicsToShow,
  type Answer,
} from './model.ts';
import { Places } from './places.ts';
import {
  continuesTopic,
  isYoung,
  nextStep,
  RULES_SOURCE,
  type Placed,
  type Step,
  type Talk,
} from './rules.ts';
import { idsBefore, isTelling, readMoments, sincePause, type Moment } from './talk.ts';
import { createCommon, openVectors, type VectorSource } from './vectors.ts';
import { describe, describeTopic, isDue, type Words } from './words/words.ts';

export { nameTopic, type Words } from './words/words.ts';

const KIND = 'assign_topic';
/** Increase with every change of the rules' results. */
const RULES_VERSION = 1;
/** A greeting after a pause of up to a day belongs to the subject before. */
const GREETING_PAUSE_MS = 86_400_000;

/**
 * Assigns every episode to a topic: a known one, or a new one with title and summary in the words of the talk. An
 * episode keeps its topic, unless that turns out to be another one during the talk; a reorganisation moves the
 * others that are wrong.
 */
export function createTopicsDerivation(parts: DerivationParts): EpisodeDerivation {
  const assigner = new Assigner(parts);
  const inTurn = createMutex(parts.store, KIND);
  return {
    kind: KIND,
    // A meta request is part of a talk too, although its text is not stored.
    exceptSources: [],
    byRules: (episodes, signal) => inTurn(() => assigner.assign(episodes, null, signal)),
    async ask({ scenes, language }, _model, signal) {
      const episodes = scenes.map((scene) => scene.episode);
      const talk = await inTurn(() => assigner.unsure(episodes, signal));
      if (!talk) {
        await inTurn(() => assigner.assign(episodes, null, signal));
        return null;
      }
      const shown = await assigner.topicsFor(talk, signal);
      const prompt = promptFor(KIND, language);
      return question({
        prompt,
        values: { topics: formatTopics(shown) },
        schema: topicSchema,
        keep: (reply) =>
          inTurn(() => assigner.assign(episodes, checkAnswer(reply, { shown, prompt, language }), signal)),
      });
    },
  };
}

/** The assignment of a turn. */
interface Placement {
  /** The topic, or the texts of a new one. */
  readonly topic: { readonly id: number } | (Words & { readonly source: string });
  /** Previous turns that are moved there too. */
  readonly taken: readonly Moment[];
  /** New texts for that topic. */
  readonly renamed?: Partial<Words> & { readonly source?: string };
}

class Assigner {
  readonly #parts: DerivationParts;
  readonly #common: ReturnType<typeof createCommon>;

  constructor(parts: DerivationParts) {
    this.#parts = parts;
    this.#common = createCommon(parts.store);
  }

  /** @param answer a model's answer for the turn about which rules are uncertain; null: not requested, or unusable */
  async assign(episodes: readonly Episode[], answer: Answer | null, signal: AbortSignal): Promise<void> {
    const read = await this.#read(episodes, signal);
    if (!read) return;
    const { waiting, places, source } = read;
    const work: Work = { source, answer, signal, places };
    for (const { moment, earlier } of waiting) {
      signal.throwIfAborted();
      const placed = await this.#place(moment, earlier, work);
      // Turns that continue it need no second answer.
      if (placed === 'by model') work.answer = null;
    }
    await places.write();
  }

  /** The talk of the last turn about which rules are uncertain; null when there is none. Changes nothing. */
  async unsure(episodes: readonly Episode[], signal: AbortSignal): Promise<Talk | null> {
    const read = await this.#read(episodes, signal);
    if (!read) return null;
    for (const { moment, earlier } of read.waiting.toReversed()) {
      const talk = await this.#readTalk(moment, earlier, { ...read, signal });
      if (isWorthAsking(talk)) return talk;
    }
    return null;
  }

  async topicsFor(talk: Talk, signal: AbortSignal): Promise<Topic[]> {
    return topicsToShow(this.#parts.store, talk, await openVectors(this.#parts), signal);
  }

  /** The turns without a topic, with those before them; null when there are none. */
  async #read(episodes: readonly Episode[], signal: AbortSignal): Promise<Read | null> {
    const { store } = this.#parts;
    const placed = await store.topics.ofUnits(episodes.map(({ id }) => id));
    const waiting = episodes.filter(({ id }) => !placed.has(id));
    if (waiting.length === 0) return null;
    const before = await idsBefore(store, waiting);
    const ids = [...new Set([...[...before.values()].flat(), ...waiting.map(({ id }) => id)])];
    const source = await openVectors(this.#parts);
    const around = unitsOfKind('episode', await store.units.get(ids));
    const moments = new Map(
      (await readMoments(around, source, signal)).map((moment) => [moment.episode.id, moment]),
    );
    const places = new Places(store, await store.topics.ofUnits(ids));
    return {
      source,
      places,
      waiting: waiting.flatMap(({ id }) => {
        const moment = moments.get(id);
        return moment
          ? [{ moment, earlier: (before.get(id) ?? []).flatMap((one) => moments.get(one) ?? []) }]
          : [];
      }),
    };
  }

  async #place(moment: Moment, earlier: readonly Moment[], work: Work): Promise<'by model' | 'by rules'> {
    const talk = await this.#readTalk(moment, earlier, work);
    const answered = await this.#byAnswer(talk, work);
    const { topic, taken, renamed } = answered ?? (await this.#byRules(talk, nextStep(talk), work));
    const form = answered ? 'by model' : 'by rules';
    const entries = [moment, ...taken].map((one, i) => ({
      mark: markOfTurn(one, i === 0 ? null : moment),
      vector: work.source.isKept ? one.vector : null,
    }));
    const present = await work.places.put(entries, topic);
    if (renamed) {
      await work.places.write();
      await work.places.rename(present.id, renamed);
      return form;
    }
    if (present.source !== RULES_SOURCE || !isDue(present.members, entries.length)) return form;
    await work.places.write();
    await work.places.rename(present.id, await describeTopic(this.#parts.store, present));
    return form;
  }

  async #readTalk(
    moment: Moment,
    earlier: readonly Moment[],
    { places, source, signal }: Pick<Work, 'places' | 'source' | 'signal'>,
  ): Promise<Talk> {
    const place = (one: Moment): Placed => ({ moment: one, topicId: places.of(one) });
    const before = sincePause(earlier, moment).map(place);
    const common = await this.#common(moment.episode.payload.turnId, source, signal);
    const current = await places.topic(before.at(-1)?.topicId ?? null);
    const last = earlier.at(-1);
    const isNear = last && moment.episode.occurredAt - last.episode.occurredAt <= GREETING_PAUSE_MS;
    const previous = current ?? (isNear ? await places.topic(places.of(last)) : null);
    return { moment, before, current, previous, common };
  }

  /** Null when rules are certain, or there is no answer of a model. */
  async #byAnswer(talk: Talk, { answer, places }: Work): Promise<Placement | null> {
    if (!answer || !isWorthAsking(talk)) return null;
    await places.write();
    const { current } = talk;
    const said = current ? talk.before.filter(({ topicId }) => topicId === current.id) : [];
    const isOnlyGreeted = isYoung(talk) && !said.some((one) => isTelling(one.moment));
    // The previous turns move along if this one continues them.
    const goAlong = isOnlyGreeted || (isYoung(talk) && continuesTopic(talk));
    if (answer.type === 'match') {
      const { topic, summary } = answer;
      const isLeft = topic.id !== current?.id && goAlong;
      return {
        topic: { id: topic.id },
        taken: isLeft ? said.map((one) => one.moment) : [],
        ...(summary !== null && topic.source === MODEL_SOURCE && { renamed: { summary } }),
      };
    }
    const words = { ...answer.words, source: MODEL_SOURCE };
    return current && isOnlyGreeted
      ? { topic: { id: current.id }, taken: [], renamed: words }
      : { topic: words, taken: [] };
  }

  async #byRules(talk: Talk, step: Step, { source, signal, places }: Work): Promise<Placement> {
    const { store } = this.#parts;
    const { moment, common, current } = talk;
    if (step.type === 'stay') return { topic: { id: step.topicId }, taken: [] };
    if (step.type === 'seek' && common) {
      await places.write();
      const said = step.turns.map((one) => one.moment);
      const moments = [...said, moment];
      const query = { moments, common, source, minScore: step.minSimilarity, exceptId: current?.id ?? null };
      const [best] = await findSimilarTopics(store, query, signal);
      const known = best?.topicId ?? (await findTopicOfTheme(store, query));
      if (known !== null) return { topic: { id: known }, taken: isYoung(talk) ? said : [] };
      if (current) return { topic: { id: current.id }, taken: [] };
    }
    return { topic: { ...(await describe(store, [moment])), source: RULES_SOURCE }, taken: [] };
  }
}

/** The state of a batch. */
interface Work {
  readonly source: VectorSource;
  answer: Answer | null;
  readonly signal: AbortSignal;
  readonly places: Places;
}

/** The data that is read before turns are assigned. */
interface Read {
  readonly source: VectorSource;
  readonly places: Places;
  readonly waiting: readonly { readonly moment: Moment; readonly earlier: readonly Moment[] }[];
}

/** @param takenBy the later turn that decided the assignment; null: itself */
function markOfTurn(moment: Moment, takenBy: Moment | null): DerivationMark {
  const words = takenBy ? [...wordsOf(moment), 'taken by', ...wordsOf(takenBy)] : wordsOf(moment);
  return markOf({ unitId: moment.episode.id, kind: KIND, version: RULES_VERSION, modelId: null, words });
}
