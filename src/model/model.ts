/** What a memory is: schemas, types and the one error. */
export * from './emotion.ts';
export * from './entity.ts';
export * from './error.ts';
export * from './job.ts';
export * from './parse.ts';
export * from './sqliteError.ts';
export * from './time.ts';
export * from './topic.ts';
export * from './turn.ts';
export * from './unit.ts';
export * from './version.ts';
