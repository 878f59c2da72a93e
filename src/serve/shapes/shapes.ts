/** The schemas that several operations share, with their names in the OpenAPI document. */
export * from './companion.ts';
export * from './lists.ts';
export { instant, NAMED } from './named.ts';
export { problemShape } from './problem.ts';
export * from './recall.ts';
export * from './stored.ts';
export * from './topics.ts';
export * from './units.ts';
