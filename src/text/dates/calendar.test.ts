import { describe, expect, it } from 'vitest';
import {
  DAY,
  addMonths,
  addUnits,
  dateAt,
  easter,
  formatDay,
  formatInstant,
  isoWeek,
  lunarDate,
  mondayOf,
  nthWeekday,
  unitAround,
  validDate,
  wallClock,
  weekInPeriod,
  weekdayOf,
} from './calendar.ts';

const show = (instant: number | null): string => (instant === null ? 'none' : formatDay(instant));

describe('days', () => {
  it('have the correct weekday before and after 1970', () => {
    expect(weekdayOf(dateAt(2026, 5, 20))).toBe(3);
    expect(weekdayOf(dateAt(1969, 7, 20))).toBe(7);
    expect(weekdayOf(dateAt(1600, 1, 1))).toBe(6);
  });

  it('must exist', () => {
    expect(show(validDate(2024, 2, 29))).toBe('2024-02-29');
    expect(validDate(2023, 2, 29)).toBeNull();
    expect(validDate(2023, 13, 1)).toBeNull();
  });

  it('stop at the end of a shorter month', () => {
    expect(show(addMonths(dateAt(2024, 1, 31), 1))).toBe('2024-02-29');
    expect(show(addMonths(dateAt(2024, 3, 31), -13))).toBe('2023-02-28');
  });

  it('are counted in working days and in fractions', () => {
    expect(show(addUnits(dateAt(2026, 5, 22), 'businessday', 1))).toBe('2026-05-25');
    expect(show(addUnits(dateAt(2026, 5, 25), 'businessday', -2))).toBe('2026-05-21');
    expect(show(addUnits(dateAt(2026, 5, 20), 'year', -0.5))).toBe('2025-11-20');
    expect(show(addUnits(dateAt(2026, 5, 20), 'month', 1.5))).toBe('2026-07-05');
  });
});

describe('weeks', () => {
  it('are numbered according to ISO 8601', () => {
    expect(isoWeek(mondayOf(dateAt(2021, 1, 3)))).toBe('2020-W53');
    expect(isoWeek(mondayOf(dateAt(2019, 12, 31)))).toBe('2020-W01');
  });

  it('belong to the month of their Thursday', () => {
    const of = (year: number, month: number, n: number) =>
      show(weekInPeriod(dateAt(year, month), dateAt(year, month + 1), n));
    expect(of(2015, 1, 1)).toBe('2014-12-29');
    expect(of(2016, 10, 1)).toBe('2016-10-03');
    expect(of(2016, 12, -1)).toBe('2016-12-26');
    expect(of(2026, 2, 5)).toBe('none');
  });

  it('give the n-th weekday of a month from either end', () => {
    const [from, to] = [dateAt(2026, 5), dateAt(2026, 6)];
    expect(show(nthWeekday(from, to, 1, 1))).toBe('2026-05-04');
    expect(show(nthWeekday(from, to, 7, -1))).toBe('2026-05-31');
    expect(nthWeekday(from, to, 1, 5)).toBeNull();
  });
});

describe('units around an instant', () => {
  it('are calendar units', () => {
    const now = dateAt(2026, 5, 20);
    expect(show(unitAround(now, 'quarter', -1).from)).toBe('2026-01-01');
    expect(show(unitAround(now, 'month', -6).from)).toBe('2025-11-01');
    expect(show(unitAround(now, 'decade').from)).toBe('2020-01-01');
    expect(show(unitAround(now, 'weekend', -1).from)).toBe('2026-05-16');
  });
});

describe('movable holidays', () => {
  it('have their published dates', () => {
    expect([2000, 2019, 2024, 2038].map((year) => show(easter(year)))).toEqual([
      '2000-04-23',
      '2019-04-21',
      '2024-03-31',
      '2038-04-25',
    ]);
    expect([2023, 2024, 2025, 2026].map((year) => show(lunarDate(year, 1, 1)))).toEqual([
      '2023-01-22',
      '2024-02-10',
      '2025-01-29',
      '2026-02-17',
    ]);
    expect([2020, 2023, 2025].map((year) => show(lunarDate(year, 8, 15)))).toEqual([
      '2020-10-01',
      '2023-09-29',
      '2025-10-06',
    ]);
    expect(lunarDate(1200, 1, 1)).toBeNull();
  });
});

describe('wallClock', () => {
  it('returns the local time of a zone', () => {
    const show = (reference: Date | string, zone?: string) => {
      const instant = wallClock(reference, zone);
      return instant === null ? null : formatInstant(instant);
    };
    expect(show('2026-05-20T15:30:00')).toBe('2026-05-20T15:30:00');
    expect(show('2026-05-20')).toBe('2026-05-20T00:00:00');
    expect(show('2026-05-20T23:30:00Z', 'Asia/Tokyo')).toBe('2026-05-21T08:30:00');
    expect(show(new Date('2026-01-20T02:00:00Z'), 'America/New_York')).toBe('2026-01-19T21:00:00');
    expect(show(new Date('2026-07-20T02:00:00Z'), 'America/New_York')).toBe('2026-07-19T22:00:00');
    expect(show('20 May 2026')).toBeNull();
  });

  it('has days of 24 hours', () => {
    expect(dateAt(2026, 3, 30) - dateAt(2026, 3, 29)).toBe(DAY);
  });
});
