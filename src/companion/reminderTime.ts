/** Computes when a person is reminded. */
import { DAY_MS, instantToWallClock, wallClockToInstant, type Instant } from '../model/model.ts';

export interface ReminderSettings {
  /** Whether open loops with a due time become events. */
  readonly enabled: boolean;
  /** Minutes before the due time, for loops due at a time of day. */
  readonly leadMinutes: number;
  /** Start of the quiet hours, `HH:MM` in the memory's time zone. Equal to `quietTo`: no quiet hours. */
  readonly quietFrom: string;
  /** End of the quiet hours; loops due on a day without a time are announced then. */
  readonly quietTo: string;
}

export const DEFAULT_REMINDERS: ReminderSettings = {
  enabled: true,
  leadMinutes: 0,
  quietFrom: '22:00',
  quietTo: '08:00',
};

const MINUTE_MS = 60_000;
/** There is no reminder for loops that are overdue for longer than this. */
export const MAX_LATE_MS = DAY_MS;

/**
 * The instant of the reminder: for a time of day `leadMinutes` before it; for a day, the end of that day's quiet hours.
 * Never in quiet hours: then one minute before they begin or, if that has passed, when they end. Never before `now`.
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

/** Whether a loop is due on a day and not at a time of day. */
export function isEndOfDay(dueAt: Instant, timeZone: string): boolean {
  return (instantToWallClock(dueAt, timeZone) + 1) % DAY_MS === 0;
}

/** The quiet hours that contain an instant, or null. */
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

/** The instant of a time (`HH:MM`) on the day of an instant. */
function atTime(day: Instant, time: string, timeZone: string): Instant {
  const date = new Date(instantToWallClock(day, timeZone)).toISOString().slice(0, 10);
  return wallClockToInstant(`${date}T${time}`, timeZone);
}
