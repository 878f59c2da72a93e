/**
 * A second copy of the turns that cannot be changed: objects in a folder, or in a bucket with object lock.
 *
 *     <archive>/<memory>/00000001.jsonl        up to 500 turns as they lie in the memory, encrypted
 *     <archive>/<memory>/00000002.jsonl
 *     <archive>/<memory>/receipt-00000001.json what was forgotten since, signed
 *
 * The keys are not in it: who forgets a turn destroys its key, and the copy cannot be read either.
 */
export { readArchive, type ArchiveContent } from './read.ts';
export { openArchivePlace } from './openPlace.ts';
export type { ArchivePlace } from './place.ts';
export { verifyArchive, type ArchiveCheck } from './verify.ts';
export { ArchiveWriter, type ArchiveReport } from './writer.ts';
