import { expect, test } from 'vitest';
import { CopyBudget } from './copyBudget.ts';

const MINUTE_MS = 60_000;

function copyOf(bytes: number, budget: CopyBudget) {
  const copy = {
    size: { bytes } as { readonly bytes: number } | null,
    drop() {
      copy.size = null;
      budget.remove(copy);
    },
  };
  budget.noteUse(copy);
  return copy;
}

test('room is made by dropping copies that were not used for ten minutes, the oldest first, and no more than needed', () => {
  let now = 0;
  const budget = new CopyBudget(100, () => now);
  const [first, second, third] = [40, 30, 30].map((bytes) => copyOf(bytes, budget));
  now = 5 * MINUTE_MS;
  budget.noteUse(first!);
  expect(budget.makeRoom(10)).toBe(false);
  now = 12 * MINUTE_MS;
  expect(budget.makeRoom(30)).toBe(true);
  expect([first, second, third].map((copy) => copy!.size?.bytes)).toEqual([40, undefined, 30]);
  expect(budget.makeRoom(61)).toBe(false);
  expect(third!.size).toBeNull();
  expect(first!.size).not.toBeNull();
});

test('what is larger than everything gets no room', () => {
  expect(new CopyBudget(100).makeRoom(101)).toBe(false);
  expect(new CopyBudget(100).makeRoom(100)).toBe(true);
});
