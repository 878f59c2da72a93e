/** Line-based three-way merge of a text. */

/** Longer files are not merged: the result is their text followed by the own text. */
const MAX_LINES = 5_000;

interface Change {
  /** Lines of the base from `from` to `to` (exclusive) became these. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/**
 * Where both sides changed the same lines, both versions are kept, theirs first.
 * @param base the common ancestor
 */
export function mergeTexts(base: string, ours: string, theirs: string): string {
  if (ours === base || ours === theirs) return theirs;
  if (theirs === base) return ours;
  const [baseLines, ourLines, theirLines] = [base, ours, theirs].map((text) => text.split('\n'));
  if (!baseLines || !ourLines || !theirLines) return ours;
  if (Math.max(baseLines.length, ourLines.length, theirLines.length) > MAX_LINES) return `${theirs}\n${ours}`;
  return join(baseLines, changesOf(baseLines, ourLines), changesOf(baseLines, theirLines));
}

function join(base: readonly string[], ours: readonly Change[], theirs: readonly Change[]): string {
  const merged: string[] = [];
  let at = 0;
  const waiting = { ours: [...ours], theirs: [...theirs] };
  for (;;) {
    const region = takeRegion(waiting);
    if (!region) return [...merged, ...base.slice(at)].join('\n');
    const { from, to } = region;
    merged.push(...base.slice(at, from), ...resolved(base, region));
    at = to;
  }
}

/** For a conflict: their lines, then our lines that they do not contain. */
function resolved(base: readonly string[], region: Region): string[] {
  const own = applied(base, region.ours, region);
  const other = applied(base, region.theirs, region);
  if (region.theirs.length === 0) return own;
  if (region.ours.length === 0) return other;
  return [...other, ...own.filter((line) => !other.includes(line))];
}

interface Region {
  from: number;
  to: number;
  readonly ours: Change[];
  readonly theirs: Change[];
}

/** The next group of overlapping changes of both sides. */
function takeRegion(waiting: { readonly ours: Change[]; readonly theirs: Change[] }): Region | null {
  const sides = ['ours', 'theirs'] as const;
  const from = Math.min(...sides.map((side) => waiting[side][0]?.from ?? Infinity));
  if (from === Infinity) return null;
  const region: Region = { from, to: from, ours: [], theirs: [] };
  for (let isGrowing = true; isGrowing;) {
    isGrowing = false;
    for (const side of sides) {
      const next = waiting[side][0];
      if (!next || next.from > region.to) continue;
      waiting[side].shift();
      region[side].push(next);
      region.to = Math.max(region.to, next.to);
      isGrowing = true;
    }
  }
  return region;
}

/** One side's version of a region of the base. */
function applied(base: readonly string[], changes: readonly Change[], { from, to }: Region): string[] {
  const lines: string[] = [];
  let at = from;
  for (const change of changes) {
    lines.push(...base.slice(at, change.from), ...change.lines);
    at = change.to;
  }
  return [...lines, ...base.slice(at, to)];
}

/** By the longest common subsequence of lines. */
function changesOf(before: readonly string[], after: readonly string[]): Change[] {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        before[i] === after[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      i += 1;
      j += 1;
      continue;
    }
    const [from, start] = [i, j];
    while (
      (i < before.length || j < after.length) &&
      !(i < before.length && j < after.length && before[i] === after[j])
    )
      if (
        j >= after.length ||
        (i < before.length && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
      )
        i += 1;
      else j += 1;
    changes.push({ from, to: i, lines: after.slice(start, j) });
  }
  return changes;
}
