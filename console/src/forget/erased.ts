import type { Input } from 'omoide/client';
import type { Answer } from '../api/api.ts';

export type ForgetRequest = Omit<Input<'forget'>['body'], 'dryRun'>;
/** What was deleted, or would be. */
export type Erased = Answer<'forget'>;

export function hasAny({ counts }: Erased): boolean {
  return Object.values(counts).some((count) => count > 0);
}
