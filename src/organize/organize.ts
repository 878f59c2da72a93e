/** Reorganises topics and units: makes a plan, describes it, and applies it so that it can be undone. */
export { applyPlan } from './apply.ts';
export { describePlan } from './describe.ts';
export type { OrganizeParts, TopicName } from './parts.ts';
export { placeTopics, type TopicPlace } from './placeTopics.ts';
export { planReorganization, type PlanOptions } from './plan.ts';
export {
  createReorganizeDerivation,
  REORGANIZE_SCHEDULES,
  scheduleReorganization,
  type ReorganizeDerivation,
  type ReorganizeSchedule,
} from './schedule.ts';
export { validatePlan } from './validate.ts';
