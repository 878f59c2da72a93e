import { SENSITIVITIES, type Unit } from '../../../model/model.ts';
import { leavesOutArchived, maxSensitivity } from '../../rows/rows.ts';
import type { UnitFilter } from '../../store.ts';

/** Fields that need more than the unit: its versions, mentions, topics, or columns that a unit does not show. */
const ELSEWHERE = ['asOf', 'entityId', 'topicId', 'conversationId'] as const satisfies (keyof UnitFilter)[];

/** The condition of a filter, as `filterSql` states it; null where the unit alone does not say whether it passes. */
export function passing(filter: UnitFilter): ((unit: Unit) => boolean) | null {
  if (ELSEWHERE.some((name) => filter[name] !== undefined)) return null;
  const { kinds, states, scope, from = -Infinity, to = Infinity, aliveAt, validAt, beforeTurnId } = filter;
  const { uri, pinned, source, topicTag } = filter;
  const highest = maxSensitivity(filter);
  const lowest = filter.minSensitivity ? SENSITIVITIES.indexOf(filter.minSensitivity) : 0;
  const hidesArchived = leavesOutArchived(filter) && states === undefined;
  const excepted = new Set(filter.exceptUnitIds);
  return (unit) => {
    const sensitivity = SENSITIVITIES.indexOf(unit.sensitivity);
    return (
      (kinds === undefined || kinds.includes(unit.kind)) &&
      sensitivity <= highest &&
      sensitivity >= lowest &&
      (scope === undefined || unit.scope === scope) &&
      unit.occurredAt >= from &&
      unit.occurredAt < to &&
      !(hidesArchived && unit.state === 'archived') &&
      (states === undefined || states.includes(unit.state)) &&
      (aliveAt === undefined || unit.expiresAt === null || unit.expiresAt > aliveAt) &&
      (validAt === undefined || isValid(unit, validAt)) &&
      (beforeTurnId === undefined || (unit.kind === 'episode' && unit.payload.turnId < beforeTurnId)) &&
      (uri === undefined || (unit.kind === 'note' && unit.payload.uri === uri)) &&
      (pinned === undefined || unit.pinned === pinned) &&
      (source === undefined || unit.source === source) &&
      (topicTag === undefined || unit.topicTags.includes(topicTag)) &&
      !excepted.has(unit.id)
    );
  };
}

function isValid(unit: Unit, at: number): boolean {
  if (unit.kind !== 'fact') return true;
  const { validFrom, validTo } = unit.payload;
  return (validFrom ?? -Infinity) <= at && (validTo ?? Infinity) > at;
}
