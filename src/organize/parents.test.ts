import { expect, test } from 'vitest';
import { findFamilies, type Branch } from './parents.ts';

const BACKGROUND = { usual: 0, deviation: 0.1 };
const NOW = Date.parse('2026-05-01T00:00:00Z');

/** A topic whose centroid has this direction in the plane. */
function branch(topicId: number, degrees: number): Branch {
  const angle = (degrees * Math.PI) / 180;
  const sum = Float32Array.of(Math.cos(angle), Math.sin(angle), 0);
  return { topicId, mass: { sum, weight: 1, squares: 1 }, core: { from: NOW, to: NOW }, children: null };
}

const families = (branches: readonly Branch[]) =>
  findFamilies(branches, branches.length, BACKGROUND, async () => {});

test('similar topics get a parent', async () => {
  expect(await families([branch(1, 0), branch(2, 20), branch(3, 170)])).toEqual([
    { parentId: null, childIds: [1, 2] },
  ]);
});

test('a chain of similar pairs gets no parent when its ends have nothing in common', async () => {
  const found = await families([branch(1, 0), branch(2, 38), branch(3, 82), branch(4, 120)]);
  expect(found).toEqual([
    { parentId: null, childIds: [1, 2] },
    { parentId: null, childIds: [3, 4] },
  ]);
});
