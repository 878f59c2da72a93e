/**
 * Sentences as people write them to a companion, half of them near misses, to measure what of personal data is found.
 *
 * A line of `ja.txt`, `zh.txt` or `en.txt` holds a kind, a tab, and a sentence with the value in ⟦ ⟧; `!` before the kind marks a near
 * miss of that kind. So that the files hold no values which look like real ones to scanners, some characters are filled in here, the
 * same each time: `~36` 36 letters and digits, `~h32` hexadecimal digits, `~d12` digits, `~U16` capitals and digits, `?` the check
 * digit (two in an IBAN). `⟦!card:…?⟧` gets a wrong check digit.
 *
 * Every second sentence of a kind here is held out, and all of those in `heldOut/` and `heldOutLast/`, which were written later,
 * without looking at what the rules find: rules are written by looking at the others only. `development/` has more of those for the
 * kinds that were found worst.
 */
import { readFileSync } from 'node:fs';
import { mulberry32 } from '../../../src/eval/compare.ts';
import { SENSITIVE_KINDS, type SensitiveKind } from '../../../src/model/model.ts';
import { findSensitive } from '../../../src/text/text.ts';

export const LANGUAGES = ['ja', 'zh', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

export const PARTS = ['development', 'heldOut', 'heldOutLater', 'heldOutLast'] as const;
export type Part = (typeof PARTS)[number];

export interface Sentence {
  readonly language: Language;
  /** The kind of its value, or the kind for which it is a near miss. */
  readonly kind: SensitiveKind;
  readonly text: string;
  /** Null for a near miss. */
  readonly value: { readonly from: number; readonly to: number } | null;
  readonly part: Part;
}

export interface Accuracy {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

const ALPHABETS: Record<string, string> = {
  '': 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  h: '0123456789abcdef',
  d: '0123456789',
  U: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
};

export function readSentences(language: Language): Sentence[] {
  return [
    ...readFile(`${language}.txt`, language, (count) => (count % 2 === 1 ? 'heldOut' : 'development')),
    ...readFile(`development/${language}.txt`, language, () => 'development'),
    ...readFile(`heldOut/${language}.txt`, language, () => 'heldOutLater'),
    ...readFile(`heldOutLast/${language}.txt`, language, () => 'heldOutLast'),
  ];
}

function readFile(path: string, language: Language, partOf: (count: number) => Part): Sentence[] {
  const random = mulberry32(20_261_123);
  const seen = new Map<string, number>();
  return readFileSync(new URL(path, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [label = '', pattern = ''] = line.split('\t');
      const kind = SENSITIVE_KINDS.find((one) => one === label.replace('!', ''));
      if (kind === undefined) throw new Error(`No such kind: ${line}`);
      const count = seen.get(label) ?? 0;
      seen.set(label, count + 1);
      return { language, kind, part: partOf(count), ...fillIn(pattern, kind, random) };
    });
}

function fillIn(pattern: string, kind: SensitiveKind, random: () => number) {
  const letters = pattern.replaceAll(/~([hdU]?)(\d+)/g, (_, set: string, count: string) =>
    Array.from({ length: Number(count) }, () => {
      const alphabet = ALPHABETS[set] ?? '';
      return alphabet[Math.floor(random() * alphabet.length)];
    }).join(''),
  );
  const nearMisses = letters.replace(/⟦!\w+:(.*?)⟧/, (_, value: string) => withCheckDigit(value, kind, 5));
  const [before = '', value, after = ''] = nearMisses.split(/[⟦⟧]/);
  if (value === undefined) return { text: nearMisses, value: null };
  const whole = withCheckDigit(value, kind, 0);
  return {
    text: before + whole + after,
    value: { from: before.length, to: before.length + whole.length },
  };
}

/** `shift` 0 gives the right digit, any other a wrong one. */
function withCheckDigit(value: string, kind: SensitiveKind, shift: number): string {
  if (/^[A-Z]{2}\?\?/.test(value)) return value.replace('??', ibanDigits(value));
  if (!value.endsWith('?')) return value;
  const body = value.normalize('NFKC').replaceAll(/\D/g, '');
  const digits = body.length === 17 ? '10X98765432' : '0123456789';
  const right =
    kind === 'card' ? luhnDigit(body) : body.length === 17 ? chineseDigit(body) : myNumberDigit(body);
  return value.slice(0, -1) + (digits[(digits.indexOf(right) + shift) % digits.length] ?? '');
}

function luhnDigit(body: string): string {
  const sum = Array.from(body)
    .toReversed()
    .reduce(
      (total, digit, i) =>
        total + (i % 2 === 0 ? [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][Number(digit)]! : Number(digit)),
      0,
    );
  return String((10 - (sum % 10)) % 10);
}

function chineseDigit(body: string): string {
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
  return '10X98765432'.charAt(weights.reduce((sum, weight, i) => sum + weight * Number(body[i]), 0) % 11);
}

function myNumberDigit(body: string): string {
  const rest =
    Array.from(body)
      .toReversed()
      .reduce((sum, digit, i) => sum + Number(digit) * (i < 6 ? i + 2 : i - 4), 0) % 11;
  return String(rest <= 1 ? 0 : 11 - rest);
}

function ibanDigits(value: string): string {
  const plain = value.replaceAll(' ', '');
  const digits = Array.from(`${plain.slice(4)}${plain.slice(0, 2)}00`, (sign) =>
    Number.parseInt(sign, 36),
  ).join('');
  return String(98n - (BigInt(digits) % 97n)).padStart(2, '0');
}

/** A value is found when one span of its kind covers four fifths of it and is at most half longer; any other span of the kind is wrong. */
export function judge({ text, value, kind: of }: Sentence, kind: SensitiveKind) {
  const spans = findSensitive(text).filter((span) => span.kind === kind);
  const expected = of === kind ? value : null;
  const isFound = expected !== null && spans.some((span) => isSame(span, expected));
  return { found: isFound, missed: expected !== null && !isFound, wrong: spans.length - Number(isFound) };
}

type Range = { readonly from: number; readonly to: number };

function isSame(span: Range, value: Range): boolean {
  const length = value.to - value.from;
  const shared = Math.min(span.to, value.to) - Math.max(span.from, value.from);
  return shared >= length * 0.8 && span.to - span.from <= length * 1.5;
}

export function measure(sentences: readonly Sentence[], kind: SensitiveKind): Accuracy {
  const judged = sentences.map((sentence) => judge(sentence, kind));
  const found = judged.filter((one) => one.found).length;
  const missed = judged.filter((one) => one.missed).length;
  const wrong = judged.reduce((sum, one) => sum + one.wrong, 0);
  const precision = found / (found + wrong || 1);
  const recall = found / (found + missed || 1);
  return { precision, recall, f1: (2 * found) / (2 * found + wrong + missed || 1) };
}
