/** Which experience or theme each episode belongs to. */
import type { LanguageModel } from '../../llm/llm.ts';
import type { Episode } from '../../model/model.ts';
import type { DerivationMark } from '../../store/store.ts';
import type { Derivation, DerivationParts } from '../derivation.ts';
import { createEpisodeDerivation, createMutex } from '../episodes.ts';
import { markOf } from '../marks.ts';
import { wordsOf } from '../scene.ts';
import { findTopicOfTheme } from './theme.ts';
import { findSimilarTopics } from './similarTopics.ts';
import { askForTopic, isWorthAsking, MODEL_SOURCE } from './model.ts';
import { Places } from './places.ts';
import { goesOn, isYoung, nextStep, RULES_SOURCE, type Placed, type Step, type Talk } from './rules.ts';
import { idsBefore, isTelling, readMoments, sincePause, type Moment } from './talk.ts';
import { createCommon, openVectors, type VectorSource } from './vectors.ts';
import { describe, describeTopic, isDue, type Words } from './words/words.ts';

export { nameTopic, type Words } from './words/words.ts';

const KIND = 'assign_topic';
/** Grows with every change of what the rules decide. */
const RULES_VERSION = 1;
/** A greeting after a pause goes with what was talked about up to a day before. */
const GREETING_PAUSE_MS = 86_400_000;

/**
 * Gives every episode its topic: a known one, or a new one with title and summary in the words of the talk. An episode
 * that has one keeps it, unless its topic turns out to be another while it is talked about; what belongs elsewhere
 * after all is moved when topics are tidied.
 */
export function createTopicsDerivation(parts: DerivationParts): Derivation {
  const assigner = new Assigner(parts);
  const inTurn = createMutex();
  return createEpisodeDerivation(parts, {
    kind: KIND,
    // What was asked of the memory stands in a talk too, though its words were not kept.
    exceptSources: [],
    byRules: (episodes, signal) => inTurn(() => assigner.assign(episodes, null, signal)),
    byModel: (episode, model, signal) => assigner.assign([episode], model, signal),
  });
}

/** What becomes of a turn. */
interface Placement {
  /** The topic it goes to, or the words of a new one. */
  readonly topic: { readonly id: number } | (Words & { readonly source: string });
  /** Turns before it that go there too. */
  readonly taken: readonly Moment[];
  /** Other words for the topic it goes to. */
  readonly renamed?: Partial<Words> & { readonly source?: string };
}

class Assigner {
  readonly #parts: DerivationParts;
  readonly #common: ReturnType<typeof createCommon>;

  constructor(parts: DerivationParts) {
    this.#parts = parts;
    this.#common = createCommon(parts.store);
  }

  async assign(
    episodes: readonly Episode[],
    model: LanguageModel | null,
    signal: AbortSignal,
  ): Promise<void> {
    const { store } = this.#parts;
    const placed = await store.topics.ofUnits(episodes.map(({ id }) => id));
    const waiting = episodes.filter(({ id }) => !placed.has(id));
    if (waiting.length === 0) return;
    const before = await idsBefore(store, waiting);
    const ids = [...new Set([...[...before.values()].flat(), ...waiting.map(({ id }) => id)])];
    const source = await openVectors(this.#parts);
    const around = (await store.units.get(ids)).filter((one): one is Episode => one.kind === 'episode');
    const moments = new Map(
      (await readMoments(around, source, signal)).map((moment) => [moment.episode.id, moment]),
    );
    const places = new Places(store, await store.topics.ofUnits(ids));
    for (const { id } of waiting) {
      signal.throwIfAborted();
      const moment = moments.get(id);
      const earlier = (before.get(id) ?? []).flatMap((one) => moments.get(one) ?? []);
      if (moment) await this.#place(moment, earlier, { source, model, signal, places });
    }
    await places.write();
  }

  async #place(moment: Moment, earlier: readonly Moment[], work: Work): Promise<void> {
    const talk = await this.#readTalk(moment, earlier, work);
    const placement = (await this.#byModel(talk, work)) ?? (await this.#byRules(talk, nextStep(talk), work));
    const { topic, taken, renamed } = placement;
    const entries = [moment, ...taken].map((one, i) => ({
      mark: markOfTurn(one, i === 0 ? null : moment),
      vector: work.source.isKept ? one.vector : null,
    }));
    const present = await work.places.put(entries, topic);
    if (renamed) {
      await work.places.write();
      return work.places.rename(present.id, renamed);
    }
    if (present.source !== RULES_SOURCE || !isDue(present.members, entries.length)) return;
    await work.places.write();
    await work.places.rename(present.id, await describeTopic(this.#parts.store, present));
  }

  async #readTalk(
    moment: Moment,
    earlier: readonly Moment[],
    { places, source, signal }: Work,
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

  /** Null where no model is asked, or its answer cannot be used. */
  async #byModel(talk: Talk, { model, source, signal, places }: Work): Promise<Placement | null> {
    if (!model || !isWorthAsking(talk)) return null;
    await places.write();
    const answer = await askForTopic(this.#parts.store, { talk, model, source }, signal);
    if (!answer) return null;
    const { current } = talk;
    const said = current ? talk.before.filter(({ topicId }) => topicId === current.id) : [];
    const isOnlyGreeted = isYoung(talk) && !said.some((one) => isTelling(one.moment));
    // What was said so far goes along if this goes on with it.
    const goAlong = isOnlyGreeted || (isYoung(talk) && goesOn(talk));
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
      const said = step.said.map((one) => one.moment);
      const moments = [...said, moment];
      const query = { moments, common, source, leastScore: step.least, exceptId: current?.id ?? null };
      const [best] = await findSimilarTopics(store, query, signal);
      const known = best?.topicId ?? (await findTopicOfTheme(store, query));
      if (known !== null) return { topic: { id: known }, taken: isYoung(talk) ? said : [] };
      if (current) return { topic: { id: current.id }, taken: [] };
    }
    return { topic: { ...(await describe(store, [moment])), source: RULES_SOURCE }, taken: [] };
  }
}

/** What a batch works with. */
interface Work {
  readonly source: VectorSource;
  readonly model: LanguageModel | null;
  readonly signal: AbortSignal;
  readonly places: Places;
}

/** @param takenBy the turn by which it became clear where it belongs; null: itself */
function markOfTurn(moment: Moment, takenBy: Moment | null): DerivationMark {
  const words = takenBy ? [...wordsOf(moment), 'taken by', ...wordsOf(takenBy)] : wordsOf(moment);
  return markOf({ unitId: moment.episode.id, kind: KIND, version: RULES_VERSION, modelId: null, words });
}
