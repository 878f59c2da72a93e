/** The order when there is nothing to rank by. */
import type { Unit } from '../../model/model.ts';

/** Number of a topic's newest episodes from which the most salient are chosen. */
export const MAX_WEIGHED = 300;
/** Weight of log(1 + accesses) relative to salience. */
const ACCESS_WEIGHT = 0.1;

/** By salience and accesses; of equals the newest first. */
export function byWeight(a: Unit, b: Unit): number {
  return weightOf(b) - weightOf(a) || b.occurredAt - a.occurredAt || b.id - a.id;
}

function weightOf({ salience, accessCount }: Unit): number {
  return salience + ACCESS_WEIGHT * Math.log1p(accessCount);
}
