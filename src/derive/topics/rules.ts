/**
 * Chooses the topic of a turn by rules.
 *
 *     greeting ─ trip ─ trip ─ “yeah!” ─ trip ─ │ dinner ─ dinner
 *     └ goes with what follows   └ stays        └ nothing like the trip, twice: a new topic
 *
 * Talk stays in its topic until its subject changes. The first turn of a new topic rarely shows whether the memory
 * knows the topic: it is compared again after more turns, and merged as a whole into a similar one.
 */
import { dot } from '../../vectors/vectors.ts';
import type { Topic } from '../../model/model.ts';
import { changesSubject, isTelling, type Moment } from './talk.ts';
import { directionOf } from './similarTopics.ts';
import type { Common } from './vectors.ts';

/** A previous turn, and its topic; null: none. */
export interface Placed {
  readonly moment: Moment;
  readonly topicId: number | null;
}

export interface Talk {
  readonly moment: Moment;
  /** The turns before it since the last long pause, oldest first. */
  readonly before: readonly Placed[];
  /** The topic of the last of them. */
  readonly current: Topic | null;
  /** The current topic, or else the topic before the pause, if the pause was not too long. */
  readonly previous: Topic | null;
  /** Null while the memory has too few vectors. */
  readonly common: Common | null;
}

export type Step =
  | { readonly type: 'stay'; readonly topicId: number }
  | { readonly type: 'open' }
  /**
   * The turn goes to the topic most similar to it and the turns just before, if the likeness is at least `least`;
   * else it stays in the current topic, or opens a new one if there is none.
   */
  | { readonly type: 'seek'; readonly turns: readonly Placed[]; readonly minSimilarity: number };

/** Numbers of meaningful turns at which a new topic is compared with the known ones. */
const COMPARED_AT: ReadonlySet<number> = new Set([3, 5, 8, 13, 21]);
/**
 * The least likeness at which a new topic of several turns is merged into a known one. On realmem-en, of first four
 * turns that belong to a known project half are .31 to .42 like it or more; of those that do not nine in ten are less
 * than .44 to .50 like anything. An unnecessary topic is merged later by a reorganisation; a topic with wrong members
 * is worse.
 */
const MIN_SIMILARITY = 0.45;
/** The same for a single turn: for one in ten a wrong topic has a likeness of .4 or more. */
const MIN_SIMILARITY_OF_ONE = 0.55;
/** How many previous turns a turn is compared with. */
const COMPARED_WITH = 6;
const MIN_COMPARED_WITH = 3;
/** The subject has changed when two consecutive turns are less similar to those before than two random turns are. */
const MAX_SIMILARITY_ELSEWHERE = 0;
/** The threshold when the speaker announces another subject. */
const MAX_SIMILARITY_ANNOUNCED = 0.15;
/** A turn at least this similar continues the subject: two of three turns inside a talk are. */
const MIN_SIMILARITY_CONTINUED = 0.15;

export function nextStep(talk: Talk): Step {
  const { moment, before, current, previous, common } = talk;
  if (!isTelling(moment)) return previous ? { type: 'stay', topicId: previous.id } : { type: 'open' };
  if (!current)
    return common ? { type: 'seek', turns: [], minSimilarity: MIN_SIMILARITY_OF_ONE } : { type: 'open' };
  const stay = { type: 'stay', topicId: current.id } as const;
  if (!common) return stay;
  const turns = before.filter(({ topicId }) => topicId === current.id);
  const contentTurns = turns.filter((one) => isTelling(one.moment));
  // So far there were only greetings, which belong to the first subject.
  if (contentTurns.length === 0) return { type: 'seek', turns, minSimilarity: MIN_SIMILARITY_OF_ONE };
  if (changesTopic(moment, contentTurns, common)) return { type: 'open' };
  if (COMPARED_AT.has(contentTurns.length + 1) && isYoung(talk))
    return { type: 'seek', turns, minSimilarity: MIN_SIMILARITY };
  return stay;
}

/** Whether talk clearly continues, and no comparison with known topics is due. */
export function isSure(talk: Talk): boolean {
  return talk.common !== null && nextStep(talk).type === 'stay' && continuesTopic(talk);
}

/** Whether a turn is about the subject of the turns just before. */
export function continuesTopic({ moment, before, current, common }: Talk): boolean {
  const contentTurns = before.filter((one) => one.topicId === current?.id && isTelling(one.moment));
  return similarityTo(moment, contentTurns, common ?? []) >= MIN_SIMILARITY_CONTINUED;
}

function changesTopic(moment: Moment, turns: readonly Placed[], common: Common): boolean {
  if (changesSubject(moment) && turns.length > 0)
    return similarityTo(moment, turns, common) < MAX_SIMILARITY_ANNOUNCED;
  const last = turns.at(-1);
  const before = turns.slice(0, -1);
  if (!last || before.length < MIN_COMPARED_WITH) return false;
  return [last.moment, moment].every((one) => similarityTo(one, before, common) < MAX_SIMILARITY_ELSEWHERE);
}

/** Cosine with the mean of the last turns. */
function similarityTo(moment: Moment, turns: readonly Placed[], common: Common): number {
  const own = directionOf([moment], common);
  const theirs = directionOf(
    turns.slice(-COMPARED_WITH).map((one) => one.moment),
    common,
  );
  return own && theirs ? dot(own, theirs) : 0;
}

/** Whether a topic is new: made by rules, only from turns of this talk, and without parents or children. */
export function isYoung({ before, current }: Talk): boolean {
  if (!current || current.source !== RULES_SOURCE) return false;
  const isAlone = current.parentIds.length === 0 && current.childIds.length === 0;
  return isAlone && before.filter(({ topicId }) => topicId === current.id).length === current.members;
}

export const RULES_SOURCE = 'assign_topic:rules';
