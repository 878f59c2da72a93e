/** Parses an array of numbers from 0 in the text format of PostgreSQL, without a string for each. */
export function numbersOf(array: string | null | undefined): Float64Array {
  if (!array || array === '{}') return new Float64Array(0);
  let count = 1;
  for (let at = array.indexOf(','); at >= 0; at = array.indexOf(',', at + 1)) count += 1;
  const numbers = new Float64Array(count);
  let index = 0;
  for (let at = 1; at < array.length - 1; at += 1) {
    const code = array.charCodeAt(at);
    if (code === COMMA) index += 1;
    else numbers[index] = 10 * numbers[index]! + code - ZERO;
  }
  return numbers;
}

/** Integers from 0 of four bytes each, as `int4send` gives them. */
export function unsignedOf(bytes: Uint8Array | null): Uint32Array {
  const numbers = new Uint32Array((bytes?.length ?? 0) / 4);
  if (bytes === null) return numbers;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < numbers.length; i += 1) numbers[i] = view.getUint32(4 * i);
  return numbers;
}

const COMMA = 0x2c;
const ZERO = 0x30;
const HEAD_BYTES = 4;

/**
 * Vectors of whole numbers from −127 to 127, one after another.
 * @param halves each as `halfvec_send` gives it: dimensions and zero in 16 bits each, then the numbers
 */
export function integersOfHalves(halves: Uint8Array, dimensions: number): Int8Array {
  const count = halves.length / (HEAD_BYTES + 2 * dimensions);
  const integers = new Int8Array(count * dimensions);
  const view = new DataView(halves.buffer, halves.byteOffset, halves.byteLength);
  let at = 0;
  for (let row = 0; row < count; row += 1) {
    at += HEAD_BYTES;
    for (let i = 0; i < dimensions; i += 1, at += 2)
      integers[row * dimensions + i] = INTEGER_OF_HALF[view.getUint16(at)]!;
  }
  return integers;
}

/** By their 16 bits as floating point numbers. */
const INTEGER_OF_HALF = new Int8Array(65_536);
for (let value = 1; value <= 127; value += 1) {
  const exponent = Math.floor(Math.log2(value));
  const bits = ((exponent + 15) << 10) | ((value / 2 ** exponent - 1) * 1_024);
  INTEGER_OF_HALF[bits] = value;
  INTEGER_OF_HALF[bits | 0x8000] = -value;
}
