/** Reorganises automatically at night. */
import {
  DAY_MS,
  instantToWallClock,
  isMemoryError,
  localDate,
  wallClockToInstant,
  type Instant,
  type Job,
  type NewJob,
} from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { applyPlan } from './apply.ts';
import type { OrganizeParts } from './parts.ts';
import { planReorganization, type PlanOptions } from './plan.ts';

export const REORGANIZE_SCHEDULES = ['nightly', 'weekly'] as const;
/** Every night at 03:30 of the memory's wall clock, or only in the night from Sunday to Monday. */
export type ReorganizeSchedule = (typeof REORGANIZE_SCHEDULES)[number];

/** A kind of background job, as a worker runs it. */
export interface ReorganizeDerivation {
  readonly kind: 'reorganize';
  readonly batchSize: 1;
  readonly asksModel: boolean;
  run(jobs: readonly Job[], signal: AbortSignal): Promise<void>;
}

const KIND = 'reorganize';
/** Few people talk at this time, and late conversations of the evening before have ended. */
const WALL_CLOCK = '03:30';
const MONDAY = 1;
/** How often a plan is made again because the memory changed in the meantime. */
const MAX_PLANS = 3;
/** How many journal entries are searched for one of the same occasion. */
const ENTRIES_SEEN = 50;

/**
 * The job that reorganises on a schedule. A memory has one such job, so it never runs twice at once. The occasion
 * (`nightly/2026-03-01`) is the key of what it applies, so a process killed between applying and finishing does not
 * apply it twice. It schedules the next job before it starts, so a failure affects only one night. The model reads all
 * topics, so it is asked only in the nights to Monday.
 */
export function createReorganizeDerivation(
  parts: OrganizeParts,
  schedule: ReorganizeSchedule,
  options: Omit<PlanOptions, 'signal'> = {},
): ReorganizeDerivation {
  const { store } = parts;
  return {
    kind: KIND,
    batchSize: 1,
    get asksModel() {
      return parts.model() !== null;
    },
    async run(jobs, signal) {
      await scheduleReorganization(store, schedule, parts.now());
      for (const job of jobs) {
        const key = `${schedule}/${localDate(job.runAfter, store.timeZone)}`;
        if (await isDone(store, key)) continue;
        const model = isOnMonday(job.runAfter, store.timeZone) ? parts.model : () => null;
        await reorganize({ ...parts, model }, key, { ...options, signal });
      }
    },
  };
}

/** Schedules the next reorganisation, unless it is already scheduled. */
export async function scheduleReorganization(
  store: Store,
  schedule: ReorganizeSchedule,
  now: Instant,
): Promise<void> {
  const runAfter = nextRunTime(schedule, now, store.timeZone);
  const job: NewJob = { kind: KIND, key: KIND, conversationId: null, input: {}, runAfter };
  await store.jobs.enqueue([job], now);
}

/** The first occasion after an instant. */
export function nextRunTime(schedule: ReorganizeSchedule, after: Instant, timeZone: string): Instant {
  const today = Math.floor(instantToWallClock(after, timeZone) / DAY_MS) * DAY_MS;
  for (let day = today; ; day += DAY_MS) {
    if (schedule === 'weekly' && weekday(day) !== MONDAY) continue;
    const at = wallClockToInstant(`${new Date(day).toISOString().slice(0, 10)}T${WALL_CLOCK}`, timeZone);
    if (at > after) return at;
  }
}

function isOnMonday(at: Instant, timeZone: string): boolean {
  return weekday(instantToWallClock(at, timeZone)) === MONDAY;
}

function weekday(wallClock: number): number {
  return new Date(wallClock).getUTCDay();
}

async function isDone(store: Store, key: string): Promise<boolean> {
  const entries = await store.journal.list({ limit: ENTRIES_SEEN });
  return entries.some((entry) => entry.key === key);
}

async function reorganize(parts: OrganizeParts, key: string, options: PlanOptions): Promise<void> {
  for (let plans = 1; ; plans++) {
    const plan = await planReorganization(parts, options);
    if (plan.operations.length === 0 && plan.refresh.length === 0) return;
    options.signal?.throwIfAborted();
    try {
      await applyPlan(parts, plan, { key });
      return;
    } catch (error) {
      const isStale = isMemoryError(error, 'VERSION_CONFLICT') || isMemoryError(error, 'INVALID_INPUT');
      if (!isStale || plans >= MAX_PLANS) throw error;
    }
  }
}
