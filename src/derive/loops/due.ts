/** When something is due, by the times that words name. */
import { DAY_MS, localDate, wallClockToInstant, type Instant } from '../../model/model.ts';
import { findTimes } from '../../text/text.ts';

/** So long after it was due an open loop is no longer worth recalling. */
const KEPT_AFTER_DUE_MS = 14 * DAY_MS;
/** And so long after it was spoken of, when it is never due. */
const KEPT_WITHOUT_DUE_MS = 60 * DAY_MS;
const ANY_TIME = '2024-01-01T12:00:00';
const NO_DATE = /^(?:PRESENT|PAST|FUTURE)_REF$/;

/**
 * The first time to come that is named: the point itself, or the last millisecond of a day, week or month; a time
 * without a day is the next one. Null when none is.
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

/** The next instant at which clocks show a time without a day (`T17`, `T09:30`); null for another kind of time. */
function nextTimeOfDay(timex: string, after: Instant, timeZone: string): Instant | null {
  const [, hour, minute = '00'] = /^T(\d{2})(?::(\d{2}))?$/.exec(timex) ?? [];
  if (hour === undefined) return null;
  for (const day of [after, after + DAY_MS]) {
    const at = wallClockToInstant(`${localDate(day, timeZone)}T${hour}:${minute}`, timeZone);
    if (at > after) return at;
  }
  return null;
}

/** The text without the times that it names: 明日 and tomorrow say nothing of what is to be done. */
export function withoutTimes(text: string): string {
  let rest = '';
  let end = 0;
  // When it was said matters to what a time means, not to where it stands.
  for (const time of findTimes(text, { reference: ANY_TIME })) {
    rest += `${text.slice(end, time.start)} `;
    end = time.end;
  }
  return rest + text.slice(end);
}

export function expiryOf(dueAt: Instant | null, saidAt: Instant): Instant {
  return dueAt === null ? saidAt + KEPT_WITHOUT_DUE_MS : dueAt + KEPT_AFTER_DUE_MS;
}
