/** Line-based comparison and three-way merge of texts. */

/** The lines with their line ends; joined they are the text. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

export type LineCounts = ReadonlyMap<string, number>;

/** How often each line occurs in a text; blank lines and line ends are ignored. */
export function countLines(text: string): LineCounts {
  const counts = new Map<string, number>();
  for (const line of splitLines(text)) {
    const words = line.trim();
    if (words !== '') counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return counts;
}

/** How one text differs from the lines of another. */
interface Difference {
  /** For each line of the base whether it is kept. */
  readonly keeps: readonly boolean[];
  /** The lines inserted before each line of the base, and after the last. */
  readonly inserted: readonly (readonly string[])[];
}

/** The search for common lines stops at this many differences: then everything that differs counts as replaced. */
const MAX_DIFFERENCES = 1_000;

/**
 * Merges two texts derived from `base`. No line that either of them added is lost: where both changed the same lines,
 * both versions are kept, ours first; a line that both added occurs once. A line that either removed is removed.
 */
export function mergeLines(base: string, ours: string, theirs: string): string {
  if (ours === theirs || theirs === base) return ours;
  if (ours === base) return theirs;
  const lines = splitLines(base);
  const [our, their] = [diffLines(lines, splitLines(ours)), diffLines(lines, splitLines(theirs))];
  const isNew = unmatchedIn(our.inserted.flat());
  const merged: string[] = [];
  for (let i = 0; i <= lines.length; i++) {
    merged.push(...joinInsertions(our.inserted[i] ?? [], (their.inserted[i] ?? []).filter(isNew)));
    const line = lines[i];
    if (line !== undefined && our.keeps[i] && their.keeps[i]) merged.push(line);
  }
  return joinLines(merged, ours.includes('\r\n') ? '\r\n' : '\n');
}

/** Returns a test for lines that were not yet merged in; a blank line is always new. */
function unmatchedIn(lines: readonly string[]): (line: string) => boolean {
  const counts = new Map<string | undefined, number>();
  for (const line of lines) counts.set(words(line), (counts.get(words(line)) ?? 0) + 1);
  return (line) => {
    const count = counts.get(words(line)) ?? 0;
    if (count === 0 || !/[\p{L}\p{N}]/u.test(line)) return true;
    counts.set(words(line), count - 1);
    return false;
  };
}

type Words = ReturnType<typeof words>;

/** A line without its end, which depends only on whether another line follows. */
function words(line: string | undefined): string | undefined {
  return line?.replace(/\r?\n$/, '');
}

/** Both lists merged, each in its order; common lines occur once. */
function joinInsertions(ours: readonly string[], theirs: readonly string[]): string[] {
  const joined: string[] = [];
  let [our, their] = [0, 0];
  for (const [i, j] of commonLines(ours.map(words), theirs.map(words))) {
    joined.push(...ours.slice(our, i), ...theirs.slice(their, j), ours[i] ?? '');
    [our, their] = [i + 1, j + 1];
  }
  return [...joined, ...ours.slice(our), ...theirs.slice(their)];
}

/** A last line without line end gets one when other lines follow. */
function joinLines(lines: readonly string[], lineEnd: string): string {
  const last = lines.length - 1;
  return lines.map((line, i) => (i < last && !line.endsWith('\n') ? line + lineEnd : line)).join('');
}

function diffLines(base: readonly string[], other: readonly string[]): Difference {
  const keeps = base.map(() => false);
  const inserted: string[][] = Array.from({ length: base.length + 1 }, () => []);
  let at = 0;
  let place = 0;
  for (const [i, j] of commonLines(base.map(words), other.map(words))) {
    inserted[place]?.push(...other.slice(at, j));
    // Between two kept lines, inserted lines take the place of removed ones.
    keeps[i] = true;
    [at, place] = [j + 1, i + 1];
  }
  inserted[place]?.push(...other.slice(at));
  return { keeps, inserted };
}

/** Indexes of common lines, in order: the longest such sequence, unless there are too many differences. */
function commonLines(a: readonly Words[], b: readonly Words[]): [number, number][] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const middle = longestCommon(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [
    ...Array.from({ length: head }, (_, i): [number, number] => [i, i]),
    ...middle.map(([i, j]): [number, number] => [head + i, head + j]),
    ...Array.from({ length: tail }, (_, i): [number, number] => [a.length - tail + i, b.length - tail + i]),
  ];
}

/** Myers, “An O(ND) Difference Algorithm and Its Variations” (1986), the greedy form. */
function longestCommon(a: readonly Words[], b: readonly Words[]): [number, number][] {
  const farthest = new Map([[1, 0]]);
  const trace: Map<number, number>[] = [];
  if (a.length === 0 || b.length === 0) return [];
  for (let d = 0; d <= MAX_DIFFERENCES; d++) {
    trace.push(new Map(farthest));
    for (let k = -d; k <= d; k += 2) {
      let x = stepsDown(farthest, k, d) ? (farthest.get(k + 1) ?? 0) : (farthest.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      farthest.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length);
    }
  }
  return [];
}

function stepsDown(farthest: ReadonlyMap<number, number>, k: number, d: number): boolean {
  return k === -d || (k !== d && (farthest.get(k - 1) ?? 0) < (farthest.get(k + 1) ?? 0));
}

function walkBack(
  trace: readonly ReadonlyMap<number, number>[],
  endA: number,
  endB: number,
): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [endA, endB];
  for (let d = trace.length - 1; d >= 0; d--) {
    const farthest = trace[d];
    if (!farthest) break;
    const k = x - y;
    const previous = stepsDown(farthest, k, d) ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : (farthest.get(previous) ?? 0);
    const fromY = d === 0 ? 0 : fromX - previous;
    while (x > fromX && y > fromY) pairs.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return pairs.reverse();
}
