/** Where text may be cut: between what a reader sees as characters (é, 👨‍👩‍👧, 🇯🇵), never inside one. */

/** Made when first needed: it takes 10 ms or more. */
let segmenter: Intl.Segmenter | undefined;

/** How far back to look for a place where a boundary is certain. Only a run of this many flags or marks could be misread. */
const FARTHEST_LOOK_BACK = 4096;

/** Printable ASCII, kana and ideographs always begin a grapheme, whatever stands before them but for rare prefixes of Arabic and Indic digits. */
const BEGINS_GRAPHEME = /[\u0020-\u007e\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]/;

/** The graphemes of `text`, in order; joined they are `text`. */
export function* graphemes(text: string): Generator<string> {
  for (const { segment: grapheme } of segment(text)) yield grapheme;
}

/** The last grapheme boundary at or before `index` (UTF-16 units; held between 0 and the length). Costs the same in a long text as in a short one. */
export function boundaryAtOrBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const from = certainBoundary(text, index);
  // Whether index is a boundary depends on what is before it and on the one character after it.
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
