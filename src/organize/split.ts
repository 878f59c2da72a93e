/** Topics to be split: those with too many turns, and those whose parts have nothing in common. */
import type { PlanOperation } from '../model/model.ts';
import type { Background } from './background.ts';
import { divide, type Division } from './divide.ts';
import type { OrganizeParts } from './parts.ts';
import { wholeTalks } from './passages.ts';
import type { TopicRead } from './survey.ts';
import { languageOf, WORDING } from './wording.ts';

/**
 * More turns than this are too many for a person to read, or for a model with other input: some 8,000 tokens. The
 * parts are made smaller than this, so that a new topic can grow before it is split again.
 */
const MAX_MEMBERS = 150;
export const TARGET_MEMBERS = 100;
/** Three exchanges: a smaller topic would be merged again. */
const MIN_MEMBERS = 6;

const DIVISION: Division = {
  /** Halves less similar than this are no more similar than any two passages, except by chance. */
  begin: { maxTurns: MAX_MEMBERS, apart: 0.25 },
  goOn: { maxTurns: TARGET_MEMBERS, apart: 0.5 },
  minTurns: MIN_MEMBERS,
  /** As many as a person can read at once; what is still too large is split another night. */
  maxGroups: 12,
};

/**
 * The topic's members in the groups that it should be split into, or null. Each member is in exactly one. Talks are
 * kept whole unless there are too many turns: a conversation is one experience, even when its subject changed.
 */
export function groupsToSplit(read: TopicRead, background: Background | null): number[][] | null {
  if (!background || read.unitIds.length < 2 * MIN_MEMBERS) return null;
  const isCrowded = read.unitIds.length > MAX_MEMBERS;
  const groups = divide(isCrowded ? read.passages : wholeTalks(read.passages), background, DIVISION);
  if (groups.length < 2) return null;
  return groups.map((passages) => passages.flatMap(({ unitIds }) => unitIds));
}

export async function proposeSplit(
  parts: OrganizeParts,
  { topic, unitIds }: TopicRead,
  groups: readonly (readonly number[])[],
): Promise<Extract<PlanOperation, { type: 'split' }>> {
  const into = [];
  for (const group of groups) into.push({ ...(await parts.nameTopic(group)), unitIds: [...group] });
  const { reasons } = WORDING[languageOf([topic.title])];
  const isCrowded = unitIds.length > MAX_MEMBERS;
  return {
    type: 'split',
    topicId: topic.id,
    into,
    reason: isCrowded ? reasons.crowded(unitIds.length) : reasons.incoherent,
  };
}
