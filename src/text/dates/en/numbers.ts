/** English number words: twenty-three, two thousand and fifteen, nineteen ninety-six, twenty-third. */
import type { Edge } from '../chart.ts';
import type { Word } from './tokens.ts';

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';
const ORDINALS =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth';
const TENTHS = 'twentieth thirtieth';

const small = new Map(ONES.split(' ').map((word, value) => [word, value]));
const tens = new Map(TENS.split(' ').map((word, index) => [word, (index + 2) * 10]));
const ordinals = new Map(ORDINALS.split(' ').map((word, value) => [word, value]));
for (const [index, word] of TENTHS.split(' ').entries()) ordinals.set(word, (index + 2) * 10);

/** A number and the index after its last word. */
interface Reading {
  value: number;
  next: number;
  ordinal: boolean;
}

const HYPHEN = new Set(['-', '–']);

/** 1–99, and with `ordinal` the number words that end in an ordinal: 'twenty', 'twenty-three', 'twenty-third'. */
function belowHundred(words: Word[], at: number): Reading[] {
  const text = words[at]?.text ?? '';
  const ordinal = ordinals.get(text);
  if (ordinal !== undefined) return [{ value: ordinal, next: at + 1, ordinal: true }];
  const plain = small.get(text);
  if (plain !== undefined) return [{ value: plain, next: at + 1, ordinal: false }];
  const ten = tens.get(text);
  if (ten === undefined) return [];
  const rest = HYPHEN.has(words[at + 1]?.text ?? '') ? at + 2 : at + 1;
  const ones = belowHundred(words, rest).filter(
    ({ value, next }) => value > 0 && value < 10 && next === rest + 1,
  );
  const joined = ones.map((one) => ({ ...one, value: ten + one.value }));
  return [...joined, { value: ten, next: at + 1, ordinal: false }];
}

/** Two thousand (and) fifteen; one hundred and five. */
function large(words: Word[], first: Reading): Reading[] {
  const scale = words[first.next]?.text;
  const factor = scale === 'thousand' ? 1000 : scale === 'hundred' ? 100 : 0;
  if (!factor || first.ordinal) return [];
  const base = { value: first.value * factor, next: first.next + 1, ordinal: false };
  const rest = words[base.next]?.text === 'and' ? base.next + 1 : base.next;
  const tails = belowHundred(words, rest).map((tail) => ({ ...tail, value: base.value + tail.value }));
  return [...tails, base];
}

/** Nineteen ninety-six, twenty oh five, twenty twenty. */
function spokenYear(words: Word[], first: Reading): Reading[] {
  if (first.ordinal || first.value < 15 || first.value > 21) return [];
  const zero = /^(?:oh|o)$/.test(words[first.next]?.text ?? '');
  const tails = belowHundred(words, zero ? first.next + 1 : first.next);
  return tails
    .filter(({ value, ordinal }) => !ordinal && (zero ? value < 10 : value >= 10))
    .map((tail) => ({ ...tail, value: first.value * 100 + tail.value }));
}

const isNumberWord = (text: string): boolean => small.has(text) || tens.has(text) || ordinals.has(text);

/** Adds an edge for every number that begins with the word at an index. */
export function lexNumber(words: Word[], at: number, edges: Edge[]): void {
  const start = words[at];
  if (!start || !isNumberWord(start.text)) return;
  const push = ({ value, next, ordinal }: Reading, { isYear = false } = {}) => {
    const end = words[next - 1]?.end ?? start.end;
    const node = ordinal
      ? ({ kind: 'ORD', value } as const)
      : ({ kind: 'NUM', value, digits: isYear || value >= 1000 ? 4 : 0 } as const);
    edges.push({ start: start.start, end, name: node.kind, node });
  };
  for (const first of belowHundred(words, at)) {
    push(first);
    for (const reading of large(words, first)) push(reading);
    for (const reading of spokenYear(words, first)) push(reading, { isYear: true });
  }
}
