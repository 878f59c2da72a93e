/** What comes first where nothing is asked to rank by. */
import type { Unit } from '../../model/model.ts';

/** Episodes of a topic among which the weightiest are looked for, the newest. */
export const MAX_WEIGHED = 300;
/** What being recalled e − 1 times counts beside salience. */
const RECALLED = 0.1;

/** What mattered, and is recalled; of equals the newest. */
export function weightiestFirst(a: Unit, b: Unit): number {
  return weightOf(b) - weightOf(a) || b.occurredAt - a.occurredAt || b.id - a.id;
}

function weightOf({ salience, accessCount }: Unit): number {
  return salience + RECALLED * Math.log1p(accessCount);
}
