/** Arithmetic of vectors: cosines, means, common directions, and their stored form of eight bits. */
export { addScaled, dot, norm, unitLength, direction, meanOf, type Numbers } from './vector.ts';
export { quantize, dequantize } from './quantize.ts';
export { withoutDirections, orthogonal } from './directions.ts';
export { between, coherence, joined, massOf, within, type Mass, type Weighted } from './mass.ts';
