/** Changes of an open loop by a person: done, dropped, later, or open again. */
import { dueIn, type Memory } from '../engine/engine.ts';
import { DAY_MS, MemoryError, parseInstant, type Instant, type UnitOf, unitOfKind } from '../model/model.ts';

export type Loop = UnitOf<'loop'>;

export const LOOP_ACTIONS = ['done', 'dropped', 'later', 'open'] as const;
export interface LoopChange {
  readonly action: (typeof LOOP_ACTIONS)[number];
  /** For `later`: an instant, or words for one (`tomorrow at 9`); default: in an hour. */
  readonly until?: Instant | string | undefined;
}

const HOUR_MS = 3_600_000;
/** How long an open loop is kept after its due time. */
const KEPT_AFTER_DUE_MS = 14 * DAY_MS;

/**
 * Changes the status of an open loop. The previous state is stored as a version.
 * @throws MemoryError NOT_FOUND for a unit that is no loop, INVALID_TIME for an `until` that is not in the future
 */
export async function changeLoop(
  memory: Memory,
  unitId: number,
  { action, until }: LoopChange,
  now: Instant,
): Promise<Loop> {
  const [loop] = await memory.units.get([unitId]);
  if (loop?.kind !== 'loop') throw new MemoryError('NOT_FOUND', `There is no open loop ${unitId}.`);
  const { payload } = loop;
  if (action !== 'later') {
    const content = { kind: 'loop', payload: { ...payload, status: action } } as const;
    return unitOfKind('loop', await memory.units.update({ unitId, set: { content }, reason: action }));
  }
  const dueAt = laterThan(now, until, memory.timeZone);
  const content = { kind: 'loop', payload: { ...payload, status: 'open', dueAt } } as const;
  const set = { content, expiresAt: dueAt + KEPT_AFTER_DUE_MS };
  return unitOfKind('loop', await memory.units.update({ unitId, set, reason: 'later' }));
}

function laterThan(now: Instant, until: LoopChange['until'], timeZone: string): Instant {
  if (until === undefined) return now + HOUR_MS;
  const at =
    typeof until === 'number' ? until : (dueIn(until, now, timeZone) ?? readInstant(until, timeZone));
  if (at === null || at <= now)
    throw new MemoryError('INVALID_TIME', `“${until}” is not a time in the future.`);
  return at;
}

function readInstant(text: string, timeZone: string): Instant | null {
  try {
    return parseInstant(text, timeZone);
  } catch {
    return null;
  }
}
