/** Words that are masked in a statement and stored in a separate field. */
import { z } from 'zod';
import { MASK, SENSITIVE_KINDS, type SensitiveKind, type SensitiveSpan } from './sensitive.ts';

export const hiddenWordsSchema = z.strictObject({
  kind: z.enum(SENSITIVE_KINDS),
  field: z.enum(['subject', 'predicate', 'object', 'section', 'text']),
  /** The position of their mask in the field, in UTF-16 units. */
  at: z.int().min(0),
  text: z.string().min(1),
});
export type HiddenWords = Readonly<z.infer<typeof hiddenWordsSchema>>;
type Field = HiddenWords['field'];

/** A unit other than an episode, or the content of a new one. */
export interface Stated {
  readonly kind: 'fact' | 'summary' | 'loop' | 'capsule' | 'note';
  readonly payload: object;
}

/** A field, and its place in the text of the unit, in UTF-16 units. */
interface FieldRange {
  readonly field: Field;
  readonly from: number;
  readonly to: number;
}

const FIELDS: Record<Stated['kind'], readonly Field[]> = {
  fact: ['subject', 'predicate', 'object'],
  note: ['section', 'text'],
  summary: ['text'],
  loop: ['text'],
  capsule: ['text'],
};

/** Undefined: it was not examined. */
export function hiddenIn({ payload }: Stated): readonly HiddenWords[] | undefined {
  return 'hidden' in payload ? (payload.hidden as readonly HiddenWords[]) : undefined;
}

/** The fields joined as in `unitText`. */
export function joinFields(
  { kind, payload }: Stated,
  beforeObject = ' ',
): { text: string; ranges: FieldRange[] } {
  const ranges: FieldRange[] = [];
  let text = '';
  for (const field of FIELDS[kind]) {
    const value = fieldOf(payload, field);
    if (value === '') continue;
    if (text !== '') text += kind === 'note' ? '\n' : field === 'object' ? beforeObject : ' ';
    ranges.push({ field, from: text.length, to: text.length + value.length });
    text += value;
  }
  return { text, ranges };
}

/** The same with words of these kinds in their places; those of other kinds stay hidden. */
export function withHiddenWords<S extends Stated>(
  stated: S,
  isShown: (kind: SensitiveKind) => boolean = () => true,
): S {
  const hidden = hiddenIn(stated);
  if (!hidden?.length) return stated;
  const payload: Record<string, unknown> = { ...stated.payload };
  const left: HiddenWords[] = [];
  for (const field of FIELDS[stated.kind]) {
    const masked = fieldOf(stated.payload, field);
    let shown = '';
    let end = 0;
    for (const words of hiddenOf(hidden, field)) {
      if (words.at < end || !masked.startsWith(MASK, words.at)) continue;
      shown += masked.slice(end, words.at);
      if (!isShown(words.kind)) left.push({ ...words, at: shown.length });
      shown += isShown(words.kind) ? words.text : MASK;
      end = words.at + MASK.length;
    }
    payload[field] = shown + masked.slice(end);
  }
  payload['hidden'] = left;
  return { ...stated, payload };
}

/** The places of the hidden words in `joinFields` of the same with its words, in order. */
export function hiddenPlaces(stated: Stated): SensitiveSpan[] {
  const hidden = hiddenIn(stated) ?? [];
  let shift = 0;
  return joinFields(stated).ranges.flatMap(({ field, from }) =>
    hiddenOf(hidden, field).map(({ kind, at, text }) => {
      const start = from + at + shift;
      shift += text.length - MASK.length;
      return { kind, from: start, to: start + text.length };
    }),
  );
}

/**
 * The statement with the words at these positions of `joinFields` masked and stored separately.
 * @param stated without hidden words
 * @param spans in order, not overlapping
 */
export function hideWords<S extends Stated>(
  stated: S,
  spans: readonly SensitiveSpan[],
  beforeObject?: string,
): S {
  const payload: Record<string, unknown> = { ...stated.payload };
  const hidden: HiddenWords[] = [];
  for (const range of joinFields(stated, beforeObject).ranges) {
    const value = fieldOf(stated.payload, range.field);
    let masked = '';
    let end = 0;
    for (const { kind, ...span } of spans) {
      const [from, to] = [Math.max(span.from, range.from), Math.min(span.to, range.to)];
      if (from >= to) continue;
      masked += value.slice(end, from - range.from);
      const text = value.slice(from - range.from, to - range.from);
      hidden.push({ kind, field: range.field, at: masked.length, text });
      masked += MASK;
      end = to - range.from;
    }
    payload[range.field] = masked + value.slice(end);
  }
  return { ...stated, payload: { ...payload, hidden } };
}

/** Takes over hidden words when the masks of a field are as many as before: an edited text with its masks left in. */
export function withHiddenOf<S extends Stated>(stated: S, before: Stated): S {
  const known = hiddenIn(before);
  if (!known?.length || hiddenIn(stated) !== undefined) return stated;
  const hidden = FIELDS[stated.kind].flatMap((field) => {
    const masks = [...fieldOf(stated.payload, field).matchAll(new RegExp(MASK, 'g'))];
    const words = hiddenOf(known, field);
    if (masks.length !== words.length) return [];
    return words.map((one, i) => ({ ...one, at: masks[i]?.index ?? 0 }));
  });
  return { ...stated, payload: { ...stated.payload, hidden } };
}

function hiddenOf(hidden: readonly HiddenWords[], field: Field): readonly HiddenWords[] {
  return hidden.filter((words) => words.field === field).toSorted((a, b) => a.at - b.at);
}

function fieldOf(payload: object, field: Field): string {
  const value: unknown = Object.entries(payload).find(([name]) => name === field)?.[1];
  return typeof value === 'string' ? value : '';
}
