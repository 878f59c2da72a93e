import { describe, expect, it } from 'vitest';
import { evaluateTimes, formatTemporalScore, readDisputed } from './temporal.ts';
import type { TemporalCase, TemporalValue } from './temporal.ts';

const REFERENCE = '2026-05-20T15:30:00';

function one(id: string, text: string, type: string, ...values: TemporalValue[]): TemporalCase {
  return { id, lang: 'en', text, ref: REFERENCE, results: [{ text, type, values }] };
}

const exact = (...cases: TemporalCase[]) => evaluateTimes(cases).exact;

describe('evaluateTimes', () => {
  it('accepts any of the values: a day, an instant or a range', () => {
    const day = one('en1', 'yesterday', 'date', { value: '2020-01-01' }, { value: '2026-05-19' });
    const instant = one('en2', 'tomorrow at 9 am', 'datetime', { value: '2026-05-21 09:00:00' });
    const stretch = one('en3', 'last week', 'daterange', { start: '2026-05-11', end: '2026-05-18' });
    const open = one('en4', 'since January 2025', 'daterange', { start: '2025-01-01' });
    expect(exact(day, instant, stretch, open)).toBe(4);
  });

  it('counts a wrong value, and reports what was found instead', () => {
    const score = evaluateTimes([one('en1', 'yesterday', 'date', { value: '2026-05-18' })]);
    expect(score).toMatchObject({ total: 1, exact: 0, byType: { date: { total: 1, exact: 0 } } });
    expect(score.failures[0]).toMatchObject({
      id: 'en1',
      found: ['yesterday 2026-05-19 2026-05-19T00:00:00~2026-05-20T00:00:00'],
    });
  });

  it('does not accept a day for its month, or a whole period for a part of it', () => {
    expect(exact(one('en1', '5 May 2025', 'daterange', { start: '2025-05-01', end: '2025-06-01' }))).toBe(0);
    expect(
      exact(
        one('en2', 'May 2025', 'daterange', {
          timex: '2025-05',
          Mod: 'start',
          start: '2025-05-01',
          end: '2025-05-16',
        }),
      ),
    ).toBe(0);
  });

  it('excludes the last unit of a range, as the cases do', () => {
    expect(
      exact(
        one('en1', 'from March 2025 to May 2025', 'daterange', { start: '2025-03-01', end: '2025-05-01' }),
      ),
    ).toBe(1);
  });

  it('compares a part of the day by its name, not by its hours', () => {
    const evening = { timex: '2026-05-21TEV', start: '2026-05-21 16:00:00', end: '2026-05-21 20:00:00' };
    expect(exact(one('en1', 'tomorrow evening', 'datetimerange', evening))).toBe(1);
    expect(exact(one('en2', 'tomorrow morning', 'datetimerange', evening))).toBe(0);
  });

  it('leaves out disputed cases, and those without a value or of another type', () => {
    const wrong = one('en7', 'yesterday', 'date', { value: '2026-05-18' });
    const unresolved = one('en8', 'yesterday', 'date', { timex: 'XXXX', value: 'not resolved' });
    const duration = one('en9', '3 days', 'duration', { value: '259200' });
    expect(evaluateTimes([wrong, unresolved, duration], new Set(['en7'])).total).toBe(0);
  });

  it('uses each mention for one expression only, and counts unlabelled mentions', () => {
    const value = { value: '2026-05-19' };
    const twice: TemporalCase = {
      ...one('en1', 'yesterday', 'date', value),
      results: [
        { text: 'yesterday', type: 'date', values: [value] },
        { text: 'yesterday', type: 'date', values: [value] },
      ],
    };
    expect(evaluateTimes([twice])).toMatchObject({ total: 2, exact: 1 });
    expect(evaluateTimes([{ ...twice, results: [] }]).unlabelled).toBe(1);
  });
});

describe('readDisputed', () => {
  it('reads the case ids in backquotes', () => {
    expect(readDisputed('`en12` and `ja3`, not en4 or `enough`')).toEqual(new Set(['en12', 'ja3']));
  });
});

describe('formatTemporalScore', () => {
  it('shows the share overall and by type', () => {
    const score = evaluateTimes([one('en1', 'yesterday', 'date', { value: '2026-05-19' })]);
    expect(formatTemporalScore('en', score)).toBe('en: 1/1 1.000 (date 1/1 1.000); unlabelled 0');
  });
});
