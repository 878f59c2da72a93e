/** Three-way merge of a text, line by line: what each side changed since the base goes in. */

/** Longer files are not merged: the own text stays, theirs follows it. */
const MAX_LINES = 5_000;

interface Change {
  /** Lines of the base from `from` to `to` (exclusive) became these. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/**
 * What both sides changed in the same place stays in both forms, theirs first.
 * @param base what both began with
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
  let [i, j] = [0, 0];
  while (i < ours.length || j < theirs.length) {
    const [own, other] = [ours[i], theirs[j]];
    if (own && other && own.from <= other.to && other.from <= own.to) {
      merged.push(...base.slice(at, Math.min(own.from, other.from)), ...other.lines);
      if (own.lines.join('\n') !== other.lines.join('\n'))
        merged.push(...own.lines.filter((line) => !other.lines.includes(line)));
      at = Math.max(own.to, other.to);
      i += 1;
      j += 1;
    } else {
      const next = !other || (own && own.from < other.from) ? own : other;
      if (!next) break;
      merged.push(...base.slice(at, next.from), ...next.lines);
      at = next.to;
      if (next === own) i += 1;
      else j += 1;
    }
  }
  return [...merged, ...base.slice(at)].join('\n');
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
