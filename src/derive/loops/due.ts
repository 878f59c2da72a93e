/** Due times, from the times that a text names. */
import { DAY_MS, localDate, wallClockToInstant, type Instant } from '../../model/model.ts';
import { findTimes } from '../../text/text.ts';

/** An open loop expires this long after it was due. */
const KEPT_AFTER_DUE_MS = 14 * DAY_MS;
/** An open loop without a due time expires this long after it was mentioned. */
const KEPT_WITHOUT_DUE_MS = 60 * DAY_MS;
const ANY_TIME = '2024-01-01T12:00:00';
const NO_DATE = /^(?:PRESENT|PAST|FUTURE)_REF$/;

/**
 * The first future time that is named: the point itself, or the last millisecond of a day, week or month; a time of
 * day without a date is the next one. Null when there is none.
 */
export function dueIn(text: string, saidAt: Instant, timeZone: string): Instant | null {
  const times = findTimes(text, { reference: new Date(saidAt), timeZone, prefer: 'future' });
  for (const { type, timex, from, to } of times) {
    if (NO_DATE.test(timex)) continue;
    const wallClock = type === 'datetime' ? from : (to ?? from);
    if (wallClock === null) continue;
    const due = wallClockToInstant(wallClock, timeZone) - (type === 'datetime' || to === null ? 0 : 1);
    if (due > saidAt) return due;
  }
  for (const { timex } of times) {
    const due = nextTimeOfDay(timex, saidAt, timeZone);
    if (due !== null) return due;
  }
  return null;
}

/** The next instant with a time of day (`T17`, `T09:30`); null for another kind of time. */
function nextTimeOfDay(timex: string, after: Instant, timeZone: string): Instant | null {
  const [, hour, minute = '00'] = /^T(\d{2})(?::(\d{2}))?$/.exec(timex) ?? [];
  if (hour === undefined) return null;
  for (const day of [after, after + DAY_MS]) {
    const at = wallClockToInstant(`${localDate(day, timeZone)}T${hour}:${minute}`, timeZone);
    if (at > after) return at;
  }
  return null;
}

/** The text without its expressions of time: 明日 and tomorrow do not describe the task. */
export function withoutTimes(text: string): string {
  let rest = '';
  let end = 0;
  // The reference changes the meaning of a time, not its position.
  for (const time of findTimes(text, { reference: ANY_TIME })) {
    rest += `${text.slice(end, time.start)} `;
    end = time.end;
  }
  return rest + text.slice(end);
}

export function expiryOf(dueAt: Instant | null, saidAt: Instant): Instant {
  return dueAt === null ? saidAt + KEPT_WITHOUT_DUE_MS : dueAt + KEPT_AFTER_DUE_MS;
}
