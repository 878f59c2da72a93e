import {
  hiddenIn,
  hideWords,
  joinFields,
  MASK,
  withHiddenOf,
  withHiddenWords,
  type HiddenWords,
  type SensitiveKind,
  type SensitiveSpan,
  type Stated,
} from '../../model/model.ts';
import { findSensitive } from './find.ts';

export interface MaskedStatement<S> {
  /** With everything masked that was found. */
  readonly masked: S;
  /** Word for word. */
  readonly open: S;
  /** What was found, in the order of the text. */
  readonly kinds: readonly SensitiveKind[];
}

export interface StatementContext {
  readonly before?: Stated | null;
  readonly detects?: boolean;
  readonly also?: readonly Pick<HiddenWords, 'kind' | 'text'>[];
}

/** “wifi password: Neko4711” names the kind of the object, “wifi password Neko4711” may not. */
const BEFORE_OBJECT = ': ';

/**
 * Examines a statement. Words that were masked in it before stay masked, and words that somebody has unmasked stay as
 * they are.
 * @param detects false: no new words are detected
 * @param also further words that are masked
 */
export function maskStatement<S extends Stated>(
  given: S,
  { before, detects = true, also = [] }: StatementContext = {},
): MaskedStatement<S> {
  const stated = before ? withHiddenOf(given, before) : given;
  const open = withHiddenWords(stated);
  const { text } = joinFields(open, BEFORE_OBJECT);
  const isUnmasked = (words: string) =>
    before !== undefined &&
    before !== null &&
    hiddenIn(before) !== undefined &&
    joinFields(before).text.includes(words);
  const known = [...(hiddenIn(stated) ?? []), ...((before && hiddenIn(before)) ?? []), ...also];
  const found = detects
    ? findSensitive(text).filter(({ from, to }) => {
        const words = text.slice(from, to);
        return !words.includes(MASK) && !isUnmasked(words);
      })
    : [];
  const spans = withoutOverlaps([
    ...known.flatMap(({ kind, text: words }) => placesOf(words, text).map((at) => ({ kind, ...at }))),
    ...found,
  ]);
  const isExamined = known.length > 0 || spans.length > 0 || hiddenIn(stated) !== undefined;
  const masked = isExamined ? hideWords(open, spans, BEFORE_OBJECT) : stated;
  return { masked, open, kinds: spans.map(({ kind }) => kind) };
}

/** Every place of the words in the text. */
export function placesOf(words: string, text: string): { from: number; to: number }[] {
  const places = [];
  for (let from = text.indexOf(words); from >= 0; from = text.indexOf(words, from + words.length))
    places.push({ from, to: from + words.length });
  return places;
}

/** In the order of the text; where two overlap, the earlier in the list. */
function withoutOverlaps(spans: readonly SensitiveSpan[]): SensitiveSpan[] {
  const kept: SensitiveSpan[] = [];
  for (const span of spans)
    if (kept.every((other) => span.to <= other.from || other.to <= span.from)) kept.push(span);
  return kept.toSorted((a, b) => a.from - b.from);
}
