import type { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { createRequire } from 'node:module';
import type { SensitiveSpan } from '../../model/model.ts';
import { isOtherNumber } from './otherNumbers.ts';

type Parse = typeof parsePhoneNumberFromString;

const CANDIDATE = /(?<![\w.,/¥￥$€£#+-])\+?\(?\d(?:[ ().-]{0,2}\d){6,14}(?![\d:/¥円元%-]|[.,]\d|[A-Za-z])/g;
const EXTENSION = /^,? ?(?:ext\.?|extension|x|内線|分机|转) ?\d{1,6}(?!\d)/iu;
const DATE =
  /^(?:\d{1,2}[-.]\d{1,2}[-.](?:19|20)\d\d$)|^(?:19|20)\d\d[-. ]?(?:0?[1-9]|1[0-2])[-. ]?(?:0?[1-9]|[12]\d|3[01])(?:$|[ ]\d)/;
const NAMED =
  /電話|携帯|号码|contact|reach|客服|打|ケータイ|でんわ|TEL|連絡先|手机|电话|微信|联系|phone|cell|mobile|call|text|number|whatsapp|fax|ファックス/iu;
let parse: Parse | undefined;

/** Loaded on the first number that may be a telephone number. */
function parser(): Parse {
  parse ??= (createRequire(import.meta.url)('libphonenumber-js/min') as { parsePhoneNumberFromString: Parse })
    .parsePhoneNumberFromString;
  return parse;
}

/** Valid telephone numbers in the numbering plans of Japan, China, the United States and the United Kingdom. */
export function findPhones(text: string): SensitiveSpan[] {
  return [...text.matchAll(CANDIDATE)].flatMap((match) => {
    const before = text.slice(Math.max(0, match.index - 24), match.index);
    if (DATE.test(match[0]) || isOtherNumber(before)) return [];
    const isNamed = NAMED.test(before);
    if (!isPhone(match[0], isNamed)) return [];
    const end = match.index + match[0].length;
    const extension = EXTENSION.exec(text.slice(end, end + 20))?.[0] ?? '';
    return [{ kind: 'phone' as const, from: match.index, to: end + extension.length }];
  });
}

/** Without signs and without a name before it, only a mobile number of Japan or China counts. */
function isPhone(number: string, isNamed: boolean): boolean {
  const digits = number.replaceAll(/\D/g, '');
  if (number.startsWith('+')) return isValid(number);
  if (/^400-?\d{3}-?\d{4}$/.test(number)) return isNamed;
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
      isValid(number, 'JP') ||
      isValid(number, 'CN') ||
      ((isNamed || /^\(?0/.test(number)) && isValid(number, 'GB'))
    );
  const looksAmerican = /^(?:1[-. ])?\(?[2-9]\d{2}\)?[-. ]?\d{3}[-. ]\d{4}$/.test(number);
  return (looksAmerican || isNamed) && isValid(number, 'US');
}

function isValid(number: string, country?: 'JP' | 'CN' | 'US' | 'GB'): boolean {
  return parser()(number, country)?.isValid() === true;
}
