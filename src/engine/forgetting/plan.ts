/** A plan stands for what a dry run showed, so that exactly this can be erased afterwards. It contains no words. */
import { createHash } from 'node:crypto';
import { MemoryError, type Episode, type Instant, type Unit } from '../../model/model.ts';
import type { Wanted } from './request.ts';
import type { Selection } from './selection.ts';

/** How long a plan is valid, in minutes. */
const PLAN_MINUTES = 15;
const MINUTE_MS = 60_000;
const HASH_LENGTH = 12;

export interface Planned {
  readonly wanted: Wanted;
  /** What the request itself names. */
  readonly selection: Selection;
  /** Derived units that would be erased with it. */
  readonly derived: readonly Unit[];
}

/** `LAST-MINUTE-HASH`: the last turn to erase and the time of the dry run, in base 36, and a hash of what would go. */
export function formatPlan(planned: Planned, at: Instant): string {
  const last = turnIds(planned.selection.episodes).at(-1) ?? 0;
  return formatParts(planned, last, Math.floor(at / MINUTE_MS));
}

/** The selection without turns that were added after the dry run. @throws MemoryError INVALID_INPUT */
export function withinPlan({ episodes, units }: Selection, plan: string): Selection {
  const { last } = parsePlan(plan);
  return { episodes: episodes.filter(({ payload }) => payload.turnId <= last), units };
}

/** @throws MemoryError VERSION_CONFLICT when something else would be erased, or the dry run was too long ago */
export function checkPlan(plan: string, planned: Planned, now: Instant): void {
  const { last, minute } = parsePlan(plan);
  if (Math.abs(Math.floor(now / MINUTE_MS) - minute) > PLAN_MINUTES)
    throw new MemoryError(
      'VERSION_CONFLICT',
      `The plan is valid for ${PLAN_MINUTES} minutes. Nothing was erased: repeat the dry run.`,
    );
  if (formatParts(planned, last, minute) !== plan)
    throw new MemoryError(
      'VERSION_CONFLICT',
      'Something else would be erased than the dry run showed. Nothing was erased: repeat the dry run.',
    );
}

/**
 * Summaries and capsules are not part of the hash, unless they were chosen: they are made again from time to time, and
 * each consists of turns.
 */
function formatParts({ wanted, selection, derived }: Planned, last: number, minute: number): string {
  const learnt = derived.filter(({ kind }) => kind === 'fact' || kind === 'loop');
  const units = new Map([...selection.units, ...learnt].map(({ id, version }) => [id, version]));
  const content = [
    Object.entries(wanted).sort(([a], [b]) => (a < b ? -1 : 1)),
    turnIds(selection.episodes),
    [...units].sort(([a], [b]) => a - b),
    last,
    minute,
  ];
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, HASH_LENGTH);
  return `${last.toString(36)}-${minute.toString(36)}-${hash}`;
}

/** In ascending order. */
function turnIds(episodes: readonly Episode[]): number[] {
  return episodes.map(({ payload }) => payload.turnId).sort((a, b) => a - b);
}

function parsePlan(plan: string): { readonly last: number; readonly minute: number } {
  const [, last = '', minute = ''] = /^([\da-z]{1,10})-([\da-z]{1,10})-[\da-f]{12}$/.exec(plan) ?? [];
  if (last === '')
    throw new MemoryError('INVALID_INPUT', `Not the plan of a dry run: ${JSON.stringify(plan)}`);
  return { last: Number.parseInt(last, 36), minute: Number.parseInt(minute, 36) };
}
