import { splitLines } from './lines.ts';

/** What an edit did to the lines of a text: how often each line that it added or took away was there before. */
export interface Effect {
  readonly added: ReadonlyMap<string, number>;
  readonly removed: ReadonlyMap<string, number>;
}

export function effectOf(before: string, after: string): Effect {
  const [old, now] = [countLines(before), countLines(after)];
  const grown = (from: LineCounts, to: LineCounts) =>
    new Map(
      [...to]
        .filter(([line, count]) => count > (from.get(line) ?? 0))
        .map(([line]) => [line, old.get(line) ?? 0]),
    );
  return { added: grown(old, now), removed: grown(now, old) };
}

export type LineCounts = ReadonlyMap<string, number>;

/** How often each line stands in a text; blank lines and line ends do not count. */
export function countLines(text: string): LineCounts {
  const counts = new Map<string, number>();
  for (const line of splitLines(text)) {
    const words = line.trim();
    if (words !== '') counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return counts;
}

/**
 * Whether nothing of an edit is left in a text: every line it added is missing and every line it took away is back. So
 * it looks when somebody saved a text that he had read before the edit.
 * @param taken lines that are missing for another reason
 */
export function isUndone(effect: Effect, lines: LineCounts, taken: ReadonlySet<string> = NONE): boolean {
  if (effect.added.size === 0 && effect.removed.size === 0) return false;
  return (
    effect.added.entries().every(([line, before]) => !taken.has(line) && (lines.get(line) ?? 0) <= before) &&
    effect.removed.entries().every(([line, before]) => (lines.get(line) ?? 0) >= before)
  );
}

/** Whether something that an edit added is in a text, or it added nothing. */
export function isStanding({ added }: Effect, lines: LineCounts): boolean {
  return added.size === 0 || added.entries().some(([line, before]) => (lines.get(line) ?? 0) > before);
}

/** Whether a line that an edit added is missing in a text; `taken` as above. */
export function isIncomplete(effect: Effect, lines: LineCounts, taken: ReadonlySet<string>): boolean {
  return effect.added
    .entries()
    .some(([line, before]) => !taken.has(line) && (lines.get(line) ?? 0) <= before);
}

const NONE: ReadonlySet<string> = new Set();
