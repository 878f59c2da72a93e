import { isUnreachable, ProblemError } from '../api/api.ts';
import type { Words } from './en.ts';

/** What went wrong, for a person: the server’s own words where the catalogue has none for the code. */
export function explainError(error: unknown, w: Words): string {
  if (isUnreachable(error)) return w.errors.unreachable;
  if (error instanceof ProblemError) {
    const known: Readonly<Record<string, string>> = w.errors.codes;
    return known[error.code] ?? error.message;
  }
  return error instanceof Error ? error.message : String(error);
}
