/**
 * Finds personal data and secrets in text, in Japanese, Chinese and English. Uses rules alone: numbers with a check
 * digit are verified, others need the word that names them nearby.
 */
import { findAddresses } from './addresses.ts';
import { findKeys } from './apiKeys.ts';
import { findCodes } from './codes.ts';
import { findNumbers } from './numbers.ts';
import { maskText, type SensitiveKind, type SensitiveSpan } from '../../model/model.ts';
import { findPasswords } from './passwords.ts';
import { findPhones } from './phones.ts';

const EMAIL = /(?<![\w.+-])[a-z0-9][\w.+-]{0,63}@(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,18}(?![\w@])/giu;
/** A quick test: everything that is looked for contains one of these. */
const HAS_ANY =
  /[\d@０-９]|passphrase|password|pwd|パス|密码|密碼|口令|-----BEGIN|AKIA|ASIA|AIza|ghp_|glpat|npm_|hf_|sk-|xox|eyJ|SG\./iu;
/** Only this many UTF-16 units are examined: longer texts are documents. */
const MAX_LENGTH = 20_000;

/** The text with everything found masked, for texts of which no original is kept. */
export function maskFound(text: string): string {
  return maskText(text, findSensitive(text));
}

/** The spans in the order of the text; where two overlap, the one of the earlier kind. */
export function findSensitive(text: string): SensitiveSpan[] {
  if (!HAS_ANY.test(text)) return [];
  // Full-width digits and signs are as long as their ASCII forms, so positions stay the same.
  const plain = text
    .slice(0, MAX_LENGTH)
    .replaceAll(/[！-＋－-～]/gu, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replaceAll(/[‐‑‒–−]|(?<=\d)[・･](?=\d)/gu, '-')
    .replaceAll('\u3000', ' ');
  const found = [
    ...findKeys(plain),
    ...findPasswords(plain),
    ...findCodes(plain),
    ...findNumbers(plain),
    ...[...plain.matchAll(EMAIL)].map((match) => spanOf('email', match)),
    ...findPhones(plain),
    ...findAddresses(plain),
  ];
  const kept: SensitiveSpan[] = [];
  for (const span of found) {
    if (kept.every((other) => span.to <= other.from || other.to <= span.from)) kept.push(span);
  }
  return kept.toSorted((a, b) => a.from - b.from);
}

function spanOf(kind: SensitiveKind, match: RegExpExecArray): SensitiveSpan {
  return { kind, from: match.index, to: match.index + match[0].length };
}
