/** Groups days by month and year. A period is a shortened ISO 8601 date: `2026`, `2026-03`, `2026-03-01`. */
import type { Answer } from '../../api/api.ts';
import { valenceOf, type Emotion } from '../../ui/feeling.tsx';

export type Day = Answer<'listDays'>['items'][number];

export interface Period {
  readonly name: string;
  readonly turns: number;
  readonly mood: Emotion | null;
}

const LENGTHS = { '': 4, year: 7, month: 10 } as const;

/** Divides a period into smaller ones: all time into years, a year into months, a month into days. */
export function periodsOf(days: readonly Day[], within: string): Period[] {
  const length = within.length === 0 ? LENGTHS[''] : within.length === 4 ? LENGTHS.year : LENGTHS.month;
  const inside = days.filter(({ date }) => date.startsWith(within));
  const byName = Map.groupBy(inside, ({ date }) => date.slice(0, length));
  return Array.from(byName, ([name, ofPeriod]) => ({
    name,
    turns: ofPeriod.reduce((sum, { turns }) => sum + turns, 0),
    mood: meanMood(ofPeriod),
  }));
}

function meanMood(days: readonly Day[]): Emotion | null {
  const felt = days.flatMap(({ mood, turns }) => (mood ? [{ mood, weight: mood.confidence * turns }] : []));
  const all = felt.reduce((sum, { weight }) => sum + weight, 0);
  if (all <= 0) return null;
  const values: Partial<Record<string, number>> = {};
  for (const { mood, weight } of felt)
    for (const [key, value] of Object.entries(mood.values))
      values[key] = (values[key] ?? 0) + (value * weight) / all;
  return {
    values,
    confidence: all / days.reduce((sum, { turns }) => sum + turns, 0),
  };
}

/** The mood of each day as one number, smoothed over a week. */
export function moodCurve(days: readonly Day[]): {
  readonly at: number[];
  readonly valence: (number | null)[];
} {
  const at = days.map(({ date }) => Date.parse(`${date}T12:00:00Z`) / 1_000);
  const raw = days.map(({ mood }) => valenceOf(mood));
  const WEEK_S = 7 * 86_400;
  const valence = raw.map((value, i) => {
    if (value === null) return null;
    let [sum, weight] = [0, 0];
    for (let j = i; j >= 0 && (at[i] ?? 0) - (at[j] ?? 0) < WEEK_S; j -= 1) {
      const near = raw[j];
      if (near === null || near === undefined) continue;
      sum += near;
      weight += 1;
    }
    return weight === 0 ? null : sum / weight;
  });
  return { at, valence };
}

/** The day after a period: an exclusive end. */
export function endOf(name: string): string {
  const [year = 0, month = 1, day = 1] = name.split('-').map(Number);
  const end =
    name.length === 4
      ? Date.UTC(year + 1, 0, 1)
      : name.length === 7
        ? Date.UTC(year, month, 1)
        : Date.UTC(year, month - 1, day + 1);
  return new Date(end).toISOString().slice(0, 10);
}

/** The first day of a period. */
export function startOf(name: string): string {
  return `${name}-01-01`.slice(0, 10);
}
