/** What the standard predicates of facts mean for reconciling them. */
import { predicateNameOf, type PredicateName } from '../../text/text.ts';

interface Predicate {
  /** Whether a subject has only one such fact at a time: another closes it. */
  readonly isExclusive: boolean;
  /** Salience of such a fact, 0 to 1. */
  readonly salience: number;
}

const PREDICATES: Readonly<Record<PredicateName, Predicate>> = {
  name: { isExclusive: true, salience: 0.9 },
  nickname: { isExclusive: false, salience: 0.7 },
  age: { isExclusive: true, salience: 0.6 },
  birthday: { isExclusive: true, salience: 0.9 },
  home: { isExclusive: true, salience: 0.8 },
  origin: { isExclusive: true, salience: 0.6 },
  job: { isExclusive: true, salience: 0.7 },
  formerJob: { isExclusive: false, salience: 0.5 },
  workplace: { isExclusive: true, salience: 0.6 },
  school: { isExclusive: true, salience: 0.6 },
  studies: { isExclusive: false, salience: 0.5 },
  marriage: { isExclusive: true, salience: 0.7 },
  likes: { isExclusive: false, salience: 0.5 },
  dislikes: { isExclusive: false, salience: 0.5 },
  favourite: { isExclusive: true, salience: 0.6 },
  allergy: { isExclusive: false, salience: 0.9 },
  health: { isExclusive: false, salience: 0.8 },
  avoids: { isExclusive: false, salience: 0.7 },
  diet: { isExclusive: true, salience: 0.7 },
  pet: { isExclusive: false, salience: 0.6 },
  family: { isExclusive: false, salience: 0.6 },
  knows: { isExclusive: false, salience: 0.5 },
  hobby: { isExclusive: false, salience: 0.5 },
  plays: { isExclusive: false, salience: 0.5 },
  owns: { isExclusive: false, salience: 0.4 },
  speaks: { isExclusive: false, salience: 0.5 },
  bloodType: { isExclusive: true, salience: 0.4 },
  plansToMove: { isExclusive: true, salience: 0.6 },
};

export function isExclusive(key: string): boolean {
  return predicateOf(key)?.isExclusive ?? false;
}

/** Salience of a fact with this predicate, 0 to 1. */
export function salienceOf(key: string): number {
  return predicateOf(key)?.salience ?? 0.5;
}

/** The predicate that this one excludes for the same object: dislikes and likes, moved there and plans to. */
export function oppositeOf(key: string): string | null {
  return OPPOSITES[key] ?? null;
}

const OPPOSITES: Readonly<Record<string, string>> = {
  likes: 'dislikes',
  dislikes: 'likes',
  home: 'plansToMove',
};

function predicateOf(key: string): Predicate | undefined {
  const name = predicateNameOf(key);
  return name && PREDICATES[name];
}
