/** The difference of two texts: by words, or by characters in languages without spaces. */
interface Part {
  readonly side: 'both' | 'before' | 'after';
  readonly text: string;
}

/** Longer texts are shown as replaced completely. */
const MAX_PIECES = 1_500;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** By the longest common subsequence of words. */
export function diffWords(before: string, after: string): Part[] {
  if (before === after) return [{ side: 'both', text: after }];
  const a = Array.from(segmenter.segment(before), ({ segment }) => segment);
  const b = Array.from(segmenter.segment(after), ({ segment }) => segment);
  if (a.length * b.length > MAX_PIECES ** 2)
    return [
      { side: 'before', text: before },
      { side: 'after', text: after },
    ];
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const parts: Part[] = [];
  const push = (side: Part['side'], text: string) => {
    const last = parts.at(-1);
    if (last?.side === side) parts[parts.length - 1] = { side, text: last.text + text };
    else parts.push({ side, text });
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      push('both', a[i] ?? '');
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      push('before', a[i] ?? '');
      i += 1;
    } else {
      push('after', b[j] ?? '');
      j += 1;
    }
  }
  return parts;
}
