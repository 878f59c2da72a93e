/** Personal data and secrets: finding and masking them in what is said, and in statements of names and values. */
export { findSensitive, maskFound } from './find.ts';
export { maskStatement, placesOf } from './stated.ts';
