import { openBucket } from './bucket.ts';
import { openFolder } from './folder.ts';
import type { ArchivePlace } from './place.ts';

/**
 * @param where a folder, or `s3://BUCKET/PREFIX?endpoint=URL&region=REGION&days=N`; credentials come from the usual
 * variables (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`)
 * @throws MemoryError INVALID_INPUT
 */
export function openArchivePlace(where: string): ArchivePlace {
  return where.startsWith('s3://') ? openBucket(where) : openFolder(where);
}
