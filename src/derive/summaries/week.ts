/** ISO 8601 weeks of a zone's calendar: `2024-W05` begins on Monday 29 January 2024. */
import { DAY_MS, instantToWallClock, wallClockToInstant, type Instant } from '../../model/model.ts';

const WEEK_MS = 7 * DAY_MS;

/** The week that contains an instant. */
export function weekOf(at: Instant, timeZone: string): string {
  const wall = instantToWallClock(at, timeZone);
  // A week belongs to the year that contains its Thursday.
  const thursday = new Date(mondayOf(wall) + 3 * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / WEEK_MS);
  return `${String(year).padStart(4, '0')}-W${String(week).padStart(2, '0')}`;
}

/** The period of a week, `to` exclusive; null when the text is not a week. */
export function rangeOfWeek(week: string, timeZone: string): { from: Instant; to: Instant } | null {
  const [, year, number] = /^(\d{4})-W(\d{2})$/.exec(week) ?? [];
  if (year === undefined || Number(number) < 1 || Number(number) > 53) return null;
  // 4 January is in the first week.
  const monday = mondayOf(Date.UTC(Number(year), 0, 4)) + (Number(number) - 1) * WEEK_MS;
  return { from: midnight(monday, timeZone), to: midnight(monday + WEEK_MS, timeZone) };
}

function mondayOf(wallClock: number): number {
  const day = Math.floor(wallClock / DAY_MS) * DAY_MS;
  return day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS;
}

function midnight(wallClock: number, timeZone: string): Instant {
  return wallClockToInstant(new Date(wallClock).toISOString().slice(0, 19), timeZone);
}
