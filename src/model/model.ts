/** What a memory is: schemas, types and the one error. */
export * from './checkpoint.ts';
export * from './emotion.ts';
export * from './entity.ts';
export * from './error.ts';
export * from './job.ts';
export * from './journal.ts';
export * from './json.ts';
export * from './parse.ts';
export * from './plan.ts';
export * from './privateFiles.ts';
export * from './sqliteError.ts';
export * from './systemError.ts';
export * from './time.ts';
export * from './topic.ts';
export * from './turn.ts';
export * from './unit.ts';
export { describeUnknownKey } from './unknownKey.ts';
export * from './version.ts';
