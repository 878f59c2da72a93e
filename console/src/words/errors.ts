import { isUnreachable, ProblemError } from '../api/api.ts';
import type { Words } from './en.ts';

/** An error for the user: the server's message if the catalogue has no text for its code. */
export function explainError(error: unknown, w: Words): string {
  if (isUnreachable(error)) return w.errors.unreachable;
  if (error instanceof ProblemError) {
    const known: Readonly<Record<string, string>> = w.errors.codes;
    return known[error.code] ?? error.message;
  }
  return error instanceof Error ? error.message : String(error);
}
