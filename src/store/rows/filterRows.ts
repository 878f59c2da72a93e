import { KINDS, SENSITIVITIES, STATES } from '../../model/model.ts';
import type { UnitFilter } from '../unitTable.ts';

/** As numbered in the columns of units. */
export const ARCHIVED = STATES.indexOf('archived');
export const FACT = KINDS.indexOf('fact');
export const NOTE = KINDS.indexOf('note');

/** The highest sensitivity that passes, as numbered in the column of units. */
export function maxSensitivity(filter: UnitFilter): number {
  return SENSITIVITIES.indexOf(filter.maxSensitivity ?? 'private');
}

/** Whether a filter may pass only a small part of a memory. */
export function isNarrow(filter: UnitFilter): boolean {
  const { scope, conversationId, from, to, asOf, beforeTurnId, uri, kinds } = filter;
  const { states, pinned, source, entityId, topicId, topicTag, minSensitivity } = filter;
  const named = [
    scope,
    conversationId,
    from,
    to,
    asOf,
    beforeTurnId,
    uri,
    states,
    source,
    entityId,
    topicId,
    topicTag,
    minSensitivity,
  ];
  const isNamed = pinned === true || named.some((given) => given !== undefined);
  return isNamed || (kinds !== undefined && !kinds.includes('episode'));
}

/** Whether the filter excludes archived units. */
export function leavesOutArchived(filter: UnitFilter): boolean {
  if (filter.states) return !filter.states.includes('archived');
  return !filter.withArchived && filter.asOf === undefined;
}
