import type { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { createRequire } from 'node:module';
import type { SensitiveSpan } from '../../model/model.ts';
import { isCounted } from './codes.ts';
import { isNumberOfThing } from './otherNumbers.ts';

type Parse = typeof parsePhoneNumberFromString;

const CANDIDATE = /(?<![\w.,/¥￥$€£#+-])\+?\(?\d(?:[ ().-]{0,2}\d){6,14}(?![\d:/¥円元%-]|[.,]\d|[A-Za-z])/g;
const EXTENSION = /^,? ?(?:ext\.?|extension|x|内線|分机|转) ?\d{1,6}(?!\d)/iu;
const DATE =
  /^(?:\d{1,2}[-.]\d{1,2}[-.](?:19|20)\d\d$)|^(?:19|20)\d\d[-. ]?(?:0?[1-9]|1[0-2])[-. ]?(?:0?[1-9]|[12]\d|3[01])(?:$|[ ]\d)/;
const NAMED =
  /電話|携帯|号码|contact|reach|客服|打|ケータイ|でんわ|TEL|連絡先|手机|电话|微信|联系|phone|cell|mobile|call|text|number(?! of| plates?)|whatsapp|fax|\bring\b|\bdial\b|\btel\b|landline|hotline|ファックス/iu;
let parse: Parse | undefined;

/** Loaded on the first number that may be a telephone number. */
function parser(): Parse {
  parse ??= (createRequire(import.meta.url)('libphonenumber-js/min') as { parsePhoneNumberFromString: Parse })
    .parsePhoneNumberFromString;
  return parse;
}

/** Valid telephone numbers in the numbering plans of Japan, China, the United States and the United Kingdom. */
export function findPhones(text: string): SensitiveSpan[] {
  const isLatin = !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);
  return [...text.matchAll(CANDIDATE)].flatMap((match) => {
    const before = text.slice(Math.max(0, match.index - 24), match.index);
    const wider = text.slice(Math.max(0, match.index - 48), match.index);
    if (DATE.test(match[0]) || isNumberOfThing(wider)) return [];
    // Numbers of two digits each are a series, unless it begins like a telephone number of France.
    if (/^\d\d?(?: \d\d?)+$/.test(match[0]) && !/^0\d(?: \d\d){4}$/.test(match[0])) return [];
    const isNamed = NAMED.test(before);
    const end = match.index + match[0].length;
    if (
      (/^[\d ]+$/.test(match[0]) && isCounted(text.slice(end, end + 12))) ||
      !isPhone(match[0], { isNamed, isLatin })
    )
      return [];
    const extension = EXTENSION.exec(text.slice(end, end + 20))?.[0] ?? '';
    return [{ kind: 'phone' as const, from: match.index, to: end + extension.length }];
  });
}

/** Without signs and without a name before it, only a mobile number of Japan or China counts. */
function isPhone(
  number: string,
  { isNamed, isLatin }: { readonly isNamed: boolean; readonly isLatin: boolean },
): boolean {
  const digits = number.replaceAll(/\D/g, '');
  // With the code of a country, any length that is possible there.
  if (number.startsWith('+')) return parser()(number)?.isPossible() === true;
  if (/^400-?\d{3}-?\d{4}$/.test(number)) return isNamed;
  // Mobile numbers of Japan, of the United Kingdom, and free ones of Japan.
  if (/^07\d{9}$/.test(number)) return isValid(number, 'GB') || isValid(number, 'JP');
  if (/^0[789]0\d{8}$/.test(digits) || /^0120\d{6}$/.test(digits)) return isValid(number, 'JP');
  if (
    /^1[3-9]\d{9}$/.test(digits) &&
    (isNamed || digits === number || /^\d{3}[ -]\d{4}[ -]\d{4}$/.test(number))
  )
    return isValid(number, 'CN');
  const hasSigns = /[-() .]/.test(number);
  if (!hasSigns && !isNamed) return false;
  if (digits.startsWith('0'))
    return (
      ((isNamed || !isLatin || /^0\d+-/.test(number)) && (isValid(number, 'JP') || isValid(number, 'CN'))) ||
      isBritishForm(number, digits) ||
      ((isNamed || /^\(?0/.test(number)) && isValid(number, 'GB'))
    );
  const looksAmerican = /^(?:1[-. ])?\(?[2-9]\d{2}\)?[-. ]?\d{3}[-. ]\d{4}$/.test(number);
  return (looksAmerican || isNamed) && isValid(number, 'US');
}

/** 01632 960 983: the eleven digits of a number of the United Kingdom, in its groups. */
function isBritishForm(number: string, digits: string): boolean {
  return digits.length === 11 && /^\(?0[1-378]\d{1,4}\)?(?:[ -]\d{3,6})+$/.test(number);
}

function isValid(number: string, country?: 'JP' | 'CN' | 'US' | 'GB'): boolean {
  return parser()(number, country)?.isValid() === true;
}
