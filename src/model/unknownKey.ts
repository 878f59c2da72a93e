import { closest, distance } from 'fastest-levenshtein';

/** A message that a key is unknown, with the most similar known key, if there is one. */
export function describeUnknownKey(key: string, known: readonly string[]): string {
  const nearest = findNearest(key, known);
  if (nearest !== null) return `unknown option “${key}”; did you mean “${nearest}”?`;
  return `unknown option “${key}”${known.length > 0 ? `; known options: ${known.join(', ')}` : ''}`;
}

/** Share of the letters that may differ: two of four, as when two adjacent letters are swapped. */
const MAX_DIFFERENCE = 0.5;

function findNearest(key: string, known: readonly string[]): string | null {
  if (known.length === 0) return null;
  const letters = key.toLowerCase();
  const nearest = closest(
    letters,
    known.map((name) => name.toLowerCase()),
  );
  const found = known.find((name) => name.toLowerCase() === nearest);
  if (found === undefined || distance(letters, nearest) > key.length * MAX_DIFFERENCE) return null;
  return found;
}
