/**
 * To which topic a turn belongs, by rules.
 *
 *     greeting ─ trip ─ trip ─ “yeah!” ─ trip ─ │ dinner ─ dinner
 *     └ goes with what follows   └ stays        └ nothing like the trip, twice: a new topic
 *
 * Talk goes on where it is until it turns away from it. Whether a new topic is one that the memory knows can hardly be
 * told from its first turn: it is looked at again as more is said, and taken up whole into the one that it is like.
 */
import { dot } from '../../vectors/vectors.ts';
import type { Topic } from '../../model/model.ts';
import { changesSubject, isTelling, type Moment } from './talk.ts';
import { directionOf } from './similarTopics.ts';
import type { Common } from './vectors.ts';

/** A turn before, and the topic it is in; null: in none. */
export interface Placed {
  readonly moment: Moment;
  readonly topicId: number | null;
}

export interface Talk {
  readonly moment: Moment;
  /** The turns before it since the last long pause, oldest first. */
  readonly before: readonly Placed[];
  /** The topic of the last turn of them. */
  readonly current: Topic | null;
  /** That, or else what was talked about before the pause, if it was not too long. */
  readonly previous: Topic | null;
  /** Null while the memory is too young to tell. */
  readonly common: Common | null;
}

export type Step =
  | { readonly type: 'stay'; readonly topicId: number }
  | { readonly type: 'open' }
  /**
   * It goes to the topic that is most like it and what was said just before, if the likeness is at least so much; else
   * it goes on, or opens one where there is none to go on with.
   */
  | { readonly type: 'seek'; readonly said: readonly Placed[]; readonly least: number };

/** Turns that tell something by which a new topic is compared with the known ones, each time with more to go by. */
const COMPARED_AT: ReadonlySet<number> = new Set([3, 5, 8, 13, 21]);
/**
 * The least likeness by which a new topic of several turns is a known one. On realmem-en, of first four turns that
 * belong to a known project half are .31 to .42 like it or more; of those that do not nine in ten are less than .44 to
 * .50 like anything. A topic too many is merged when topics are tidied; one that holds what does not belong is worse.
 */
const MIN_LIKENESS = 0.45;
/** The same by a single turn: one in ten is .4 or more like something that it does not belong to. */
const MIN_LIKENESS_OF_ONE = 0.55;
/** Turns that those who may turn away from them are compared with. */
const COMPARED_WITH = 6;
const MIN_COMPARED_WITH = 3;
/** Two turns in a row that are less like those before than any two taken at random have left the subject. */
const TURNED_AWAY = 0;
/** Where the speaker says that it is something else, so much likeness does not speak against it. */
const TURNED_AWAY_AS_SAID = 0.15;
/** At least so alike, a turn goes on with what is talked about: two of three turns inside a talk are, or more. */
const GOES_ON = 0.15;

export function nextStep(talk: Talk): Step {
  const { moment, before, current, previous, common } = talk;
  if (!isTelling(moment)) return previous ? { type: 'stay', topicId: previous.id } : { type: 'open' };
  if (!current) return common ? { type: 'seek', said: [], least: MIN_LIKENESS_OF_ONE } : { type: 'open' };
  const stay = { type: 'stay', topicId: current.id } as const;
  if (!common) return stay;
  const said = before.filter(({ topicId }) => topicId === current.id);
  const told = said.filter((one) => isTelling(one.moment));
  // So far there were only greetings, which go with what is talked about first.
  if (told.length === 0) return { type: 'seek', said, least: MIN_LIKENESS_OF_ONE };
  if (turnsAway(moment, told, common)) return { type: 'open' };
  if (COMPARED_AT.has(told.length + 1) && isYoung(talk)) return { type: 'seek', said, least: MIN_LIKENESS };
  return stay;
}

/** Whether talk plainly goes on, and it is not time to look whether it is on a known topic. */
export function isSure(talk: Talk): boolean {
  return talk.common !== null && nextStep(talk).type === 'stay' && goesOn(talk);
}

/** Whether a turn is on what the talk was about just before. */
export function goesOn({ moment, before, current, common }: Talk): boolean {
  const told = before.filter((one) => one.topicId === current?.id && isTelling(one.moment));
  return likenessTo(moment, told, common ?? []) >= GOES_ON;
}

function turnsAway(moment: Moment, said: readonly Placed[], common: Common): boolean {
  if (changesSubject(moment) && said.length > 0)
    return likenessTo(moment, said, common) < TURNED_AWAY_AS_SAID;
  const last = said.at(-1);
  const before = said.slice(0, -1);
  if (!last || before.length < MIN_COMPARED_WITH) return false;
  return [last.moment, moment].every((one) => likenessTo(one, before, common) < TURNED_AWAY);
}

/** Cosine with the mean of the last turns. */
function likenessTo(moment: Moment, said: readonly Placed[], common: Common): number {
  const own = directionOf([moment], common);
  const theirs = directionOf(
    said.slice(-COMPARED_WITH).map((one) => one.moment),
    common,
  );
  return own && theirs ? dot(own, theirs) : 0;
}

/** Whether a topic is only what was just said: made by rules, of nothing but turns of this talk, and part of no tree. */
export function isYoung({ before, current }: Talk): boolean {
  if (!current || current.source !== RULES_SOURCE) return false;
  const isAlone = current.parentIds.length === 0 && current.childIds.length === 0;
  return isAlone && before.filter(({ topicId }) => topicId === current.id).length === current.members;
}

export const RULES_SOURCE = 'assign_topic:rules';
