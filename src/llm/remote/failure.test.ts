import { expect, test } from 'vitest';
import { retryAfterMs } from './failure.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');

test.each([
  [{}, null],
  [{ 'retry-after': '' }, null],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '3' }, 3000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Sun, 01 Mar 2026 00:00:10 GMT' }, 10_000],
  [{ 'retry-after': 'Sat, 28 Feb 2026 00:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '20', 'retry-after': '3' }, 20],
  [{ 'retry-after-ms': 'x', 'retry-after': '3' }, 3000],
])('%j gives a delay of %s ms', (headers, wait) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), NOW)).toBe(wait);
});
