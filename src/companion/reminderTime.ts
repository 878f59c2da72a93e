/** When a person is reminded of something. */
import { DAY_MS, instantToWallClock, wallClockToInstant, type Instant } from '../model/model.ts';

export interface ReminderSettings {
  /** Whether open loops with a due time become events. */
  readonly enabled: boolean;
  /** How long before something with a time of day is due, in minutes. */
  readonly leadMinutes: number;
  /** From when nobody is reminded, `HH:MM`, the memory's clock. Equal to `quietTo`: never. */
  readonly quietFrom: string;
  /** Until when; what is due on a day without a time is told then. */
  readonly quietTo: string;
}

export const DEFAULT_REMINDERS: ReminderSettings = {
  enabled: true,
  leadMinutes: 0,
  quietFrom: '22:00',
  quietTo: '08:00',
};

const MINUTE_MS = 60_000;
/** Of what was due longer ago nobody is reminded any more. */
export const MAX_LATE_MS = DAY_MS;

/**
 * The instant at which to remind of what is due: at its time or `leadMinutes` before; of what is due on a day, when the
 * quiet hours of that day end. Never in quiet hours: the minute before they begin, or when they end if it is too late
 * for that. Not before `now`.
 */
export function remindAt(
  dueAt: Instant,
  settings: ReminderSettings,
  clock: { readonly now: Instant; readonly timeZone: string },
): Instant {
  const { now, timeZone } = clock;
  const wanted = isEndOfDay(dueAt, timeZone)
    ? atTime(dueAt, settings.quietTo, timeZone)
    : dueAt - settings.leadMinutes * MINUTE_MS;
  const at = Math.max(now, wanted);
  const quiet = quietAround(at, settings, timeZone);
  if (!quiet) return at;
  const before = quiet.from - MINUTE_MS;
  return before >= now ? before : quiet.to;
}

/** Whether something is due on a day rather than at a time of it. */
export function isEndOfDay(dueAt: Instant, timeZone: string): boolean {
  return (instantToWallClock(dueAt, timeZone) + 1) % DAY_MS === 0;
}

/** The quiet hours that an instant lies in, or null. */
function quietAround(
  at: Instant,
  { quietFrom, quietTo }: ReminderSettings,
  timeZone: string,
): { readonly from: Instant; readonly to: Instant } | null {
  if (quietFrom === quietTo) return null;
  for (const day of [at - DAY_MS, at]) {
    const from = atTime(day, quietFrom, timeZone);
    const sameDay = atTime(day, quietTo, timeZone);
    const to = sameDay > from ? sameDay : atTime(day + DAY_MS, quietTo, timeZone);
    if (from <= at && at < to) return { from, to };
  }
  return null;
}

/** A time (`HH:MM`) of the day of an instant. */
function atTime(day: Instant, time: string, timeZone: string): Instant {
  const date = new Date(instantToWallClock(day, timeZone)).toISOString().slice(0, 10);
  return wallClockToInstant(`${date}T${time}`, timeZone);
}
