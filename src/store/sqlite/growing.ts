/** The initial length of an array indexed by id, so that it need not grow with every new id. */
export function roomFor(lastId: number): number {
  return Math.max(1_024, Math.ceil(lastId * 1.25));
}

/** A longer typed array that begins with the content of the shorter one. */
export function grown<Old extends Uint8Array | Uint16Array | Int32Array | Float64Array, New extends Old>(
  old: Old,
  roomy: New,
): New {
  roomy.set(old);
  return roomy;
}
