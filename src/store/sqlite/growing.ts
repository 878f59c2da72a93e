/** Elements that an array by id is made with, so that it need not grow with every id that comes. */
export function roomFor(lastId: number): number {
  return Math.max(1_024, Math.ceil(lastId * 1.25));
}

/** A longer typed array that begins with what stands in the shorter. */
export function grown<Old extends Uint8Array | Uint16Array | Int32Array | Float64Array, New extends Old>(
  old: Old,
  roomy: New,
): New {
  roomy.set(old);
  return roomy;
}
