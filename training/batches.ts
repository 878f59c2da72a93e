// Builds batches of similar concepts: a sentence teaches most next to others with nearly the same meaning.

import { shuffle } from './random.ts';

/** Concepts with the teacher's vector of each. */
export interface Placed {
  readonly vectors: Float32Array;
  readonly dimensions: number;
  /** For each concept, the index of its vector. */
  readonly at: Uint32Array;
}

/** Splits by the bisector of two random members until a group is small enough. */
function split(
  members: Uint32Array,
  size: number,
  placed: Placed,
  random: () => number,
  leaves: Uint32Array[],
): void {
  if (members.length <= size) {
    leaves.push(members);
    return;
  }
  const { vectors, dimensions, at } = placed;
  const offsetOf = (member: number): number => (at[member] ?? 0) * dimensions;
  const pick = (): number => offsetOf(members[Math.floor(random() * members.length)] ?? 0);
  const [a, b] = [pick(), pick()];
  const direction = new Float32Array(dimensions);
  for (let d = 0; d < dimensions; d++) direction[d] = (vectors[a + d] ?? 0) - (vectors[b + d] ?? 0);
  const along = new Float32Array(members.length);
  members.forEach((member, i) => {
    const offset = offsetOf(member);
    let sum = 0;
    for (let d = 0; d < dimensions; d++) sum += (vectors[offset + d] as number) * (direction[d] as number);
    along[i] = sum;
  });
  const order = Uint32Array.from(members.keys()).sort((x, y) => (along[x] ?? 0) - (along[y] ?? 0) || x - y);
  const sorted = order.map((i) => members[i] ?? 0);
  const half = sorted.length >> 1;
  split(sorted.subarray(0, half), size, placed, random, leaves);
  split(sorted.subarray(half), size, placed, random, leaves);
}

/** Every member once, in batches of `batchSize` made of random groups of at most `groupSize` similar members. */
export function batchesOf(
  members: Uint32Array,
  batchSize: number,
  groupSize: number,
  placed: Placed,
  random: () => number,
): Uint32Array[] {
  const leaves: Uint32Array[] = [];
  split(members, groupSize, placed, random, leaves);
  const order = shuffle(leaves, random).flatMap((leaf) => [...leaf]);
  const batches: Uint32Array[] = [];
  for (let start = 0; start + batchSize <= order.length; start += batchSize)
    batches.push(Uint32Array.from(order.slice(start, start + batchSize)));
  return batches;
}
