/** A longer typed array that begins with what stands in the shorter. */
export function grown<Old extends Uint8Array | Uint16Array | Int32Array | Float64Array, New extends Old>(
  old: Old,
  roomy: New,
): New {
  roomy.set(old);
  return roomy;
}
