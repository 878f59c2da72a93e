/** Where text may be cut: between characters as a reader sees them (é, 👨‍👩‍👧, 🇯🇵), never inside one. */

/** Created on first use, since that takes 10 ms or more. */
let segmenter: Intl.Segmenter | undefined;

/** How far back to look for a certain boundary, UTF-16 units. Only as long a run of flags or marks could be misread. */
const FARTHEST_LOOK_BACK = 4096;

/** Printable ASCII, kana and ideographs always begin a grapheme, except after rare prefixes of Arabic and Indic digits. */
const BEGINS_GRAPHEME = /[\u0020-\u007e\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]/;

/** The graphemes of `text`, in order; joined they are `text`. */
export function* graphemes(text: string): Generator<string> {
  for (const { segment: grapheme } of segment(text)) yield grapheme;
}

/** The last grapheme boundary at or before `index` (UTF-16 units, clamped). The cost is independent of the text's length. */
export function boundaryAtOrBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const from = certainBoundary(text, index);
  // Whether index is a boundary depends on the text before it and on the one character after it.
  const within = segment(text.slice(from, index + 2)).containing(index - from);
  return from + (within?.index ?? 0);
}

function segment(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function certainBoundary(text: string, index: number): number {
  const farthest = Math.max(0, index - FARTHEST_LOOK_BACK);
  for (let at = index - 1; at > farthest; at--) {
    if (BEGINS_GRAPHEME.test(text.charAt(at))) return at;
  }
  return farthest;
}
