import type { SensitiveSpan } from '../../model/model.ts';
import { isOtherNumber } from './otherNumbers.ts';

/** Numbers of cards, bank accounts and passports, and national identity numbers. */
export function findNumbers(text: string): SensitiveSpan[] {
  return [
    ...find(text, CHINESE_ID, isChineseId, 'nationalId'),
    ...find(text, CARD, isCard, 'card').filter(({ from }) => isNamedOnlyCard(text.slice(0, from))),
    ...near(text, MY_NUMBER, MY_NUMBER_NAMES)
      .filter(({ digits }) => isMyNumber(digits))
      .map(toSpan('nationalId')),
    ...find(text, SSN, isSsn, 'nationalId'),
    ...near(text, NAMED_SSN, SSN_NAMES)
      .filter(({ digits }) => isSsn(`${digits.slice(0, 3)}-${digits.slice(3, 5)}-${digits.slice(5)}`))
      .map(toSpan('nationalId')),
    ...[...text.matchAll(IBAN)]
      .filter(([iban]) => isIban(iban))
      .map((match) => ({
        kind: 'bankAccount' as const,
        from: match.index,
        to: match.index + match[0].length,
      })),
    ...[...text.matchAll(POSTAL_ACCOUNT)].map((match) => ({
      kind: 'bankAccount' as const,
      from: match.index,
      to: match.index + match[0].length,
    })),
    ...near(text, PASSPORT, PASSPORT_NAMES).map(toSpan('passport')),
    ...near(text, ACCOUNT, ACCOUNT_NAMES)
      .filter((found) => isAccount(text, found))
      .map(toSpan('bankAccount')),
  ];
}

const CARD =
  /(?<![\d-])(?:\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}(?:[ -]?\d{1,3}(?![\d/]))?|\d{4}[ -]\d{6}[ -]\d{5}|\d{13,19})(?![\d-])/g;
const CHINESE_ID = /(?<![0-9A-Za-z])\d{6} ?\d{8} ?\d{3}[0-9Xx](?![0-9A-Za-z])/g;
const MY_NUMBER = /(?<![\d-])\d{4}[ -]?\d{4}[ -]?\d{4}(?![\d-])/g;
const MY_NUMBER_NAMES = /マイナンバー|マイナカード|個人番号|my number|个人编号|个人番号/giu;
const SSN = /(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/g;
const NAMED_SSN = /(?<![\d-])\d{3}[ -]?\d{2}[ -]?\d{4}(?![\d-])/g;
const SSN_NAMES = /\bssn?\b|social security|\bsocial\b/giu;
const IBAN = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g;
const PASSPORT =
  /(?<![A-Za-z0-9])(?:[A-Z]{1,2}\d{7,8}|\d{9}|(?=(?:[A-Z]*\d){2})[A-Z][A-Z0-9]{8})(?![A-Za-z0-9])/g;
const PASSPORT_NAMES = /passport|パスポート|旅券|护照|護照/giu;
const ACCOUNT = /(?<![\d-])\d(?:[ -]?\d){5,20}(?![\d-])/g;
const ACCOUNT_NAMES =
  /口座番号|口座(?:は|が|の番号|（番号)?|普通預金|普通口座|当座預金|当座|(?:支店|銀行)[^\n。]{0,12}普通|\(普\)|ゆうちょ[^\n。\d]{0,8}番号|(?:銀行|信金|信用金庫)[^\n。\d]{0,14}(?=\d{7}(?!\d))|記号(?=\s?\d{5})|account (?:number|no\.?|#)|\b(?:account|acct?)\b\.? ?(?:no\.?|#|number)?|bank account|银行账[号户]|银行帐[号户]|銀行帳[號户]|[账帐帳][号號户戶]号?|开户行/giu;
/** An account of Japan’s postal bank, whose number has a part before it. */
const POSTAL_ACCOUNT =
  /(?<=記号(?:番号)?[は:]? ?)\d{5}[ -]\d{6,8}(?!\d)|(?<=記号[は:]? ?\d{5}[ 、,]{0,2}番号[は:]? ?)\d{6,8}(?!\d)/gu;
/** A sort code is not the account; accounts of other things have fewer digits or their own names. */
const SORT_CODE = /^\d\d-\d\d-\d\d$/;
const OTHER_ACCOUNT =
  /(?:instagram|insta|game|twitter|公众号|游戏|小号|燃气|インスタ|フォロワー|粉丝|follower|subscriber|locked|expires|on)[^\n。,，]{0,14}$/iu;

/** A number must follow its name within this many characters. */
const NEAR = 28;

interface Found {
  readonly digits: string;
  readonly from: number;
  readonly to: number;
}

const toSpan =
  (kind: SensitiveSpan['kind']) =>
  ({ from, to }: Found): SensitiveSpan => ({ kind, from, to });

function find(
  text: string,
  pattern: RegExp,
  isOne: (digits: string) => boolean,
  kind: SensitiveSpan['kind'],
): SensitiveSpan[] {
  return [...text.matchAll(pattern)]
    .filter(([number]) => isOne(number.replaceAll(/[ -]/g, '')))
    .map((match) => ({ kind, from: match.index, to: match.index + match[0].length }));
}

/** Numbers that directly follow one of the names, with no other sentence or number between. */
function near(text: string, pattern: RegExp, names: RegExp): Found[] {
  const named = [...text.matchAll(names)].map((match) => match.index + match[0].length);
  if (named.length === 0) return [];
  return [...text.matchAll(pattern)]
    .map((match) => ({
      digits: match[0].replaceAll(/[ -]/g, ''),
      from: match.index,
      to: match.index + match[0].length,
    }))
    .filter(({ from }) =>
      named.some(
        (end) =>
          end <= from &&
          from - end <= NEAR &&
          !/[。!?\n]|\. |\d{3}/.test(text.slice(end, from).replace(/no\. /i, '')),
      ),
    );
}

/** Account numbers in China may have a valid check digit of a card. */
function isNamedOnlyCard(before: string): boolean {
  return !isOtherNumber(before) && !/[账帐帳][号號户戶][^\n。,，]{0,6}$/u.test(before);
}

function isAccount(text: string, { from, to, digits }: Found): boolean {
  const before = text.slice(Math.max(0, from - 24), from);
  const after = text.slice(to, to + 4);
  const isCounted = /^ ?(?:円|株|元|块|人|个|個|followers|年)/iu.test(after);
  return (
    digits.length >= 6 &&
    !isOtherNumber(before) &&
    !SORT_CODE.test(text.slice(from, to)) &&
    !OTHER_ACCOUNT.test(before) &&
    !isCounted
  );
}

/** Checks Luhn’s check digit and that the prefix belongs to a card issuer. */
function isCard(digits: string): boolean {
  const isIssued = /^(?:4|5[1-5]|2[2-7]|3[47]|35|36|38|6011|65|62)/.test(digits);
  const fits =
    digits.startsWith('34') || digits.startsWith('37') ? digits.length === 15 : digits.length >= 14;
  if (!isIssued || !fits || /^(\d)\1+$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits.at(-1 - i));
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const ID_WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

/** GB 11643: checks the date of birth, and the check digit of ISO 7064 MOD 11-2. */
function isChineseId(id: string): boolean {
  const [year, month, day] = [Number(id.slice(6, 10)), Number(id.slice(10, 12)), Number(id.slice(12, 14))];
  if (year < 1900 || year > 2100 || month < 1 || month > 12 || day < 1 || day > 31) return false;
  const sum = ID_WEIGHTS.reduce((total, weight, i) => total + weight * Number(id[i]), 0);
  return '10X98765432'[sum % 11] === id.at(-1)?.toUpperCase();
}

/** The check digit of the Individual Number (order no. 85 of the Ministry of Internal Affairs, 2014, article 5). */
function isMyNumber(digits: string): boolean {
  let sum = 0;
  for (let n = 1; n <= 11; n += 1) sum += Number(digits[11 - n]) * (n <= 6 ? n + 1 : n - 5);
  const rest = sum % 11;
  return Number(digits[11]) === (rest <= 1 ? 0 : 11 - rest);
}

function isSsn(digits: string): boolean {
  const area = digits.slice(0, 3);
  return (
    area !== '000' &&
    area !== '666' &&
    area < '900' &&
    digits.slice(3, 5) !== '00' &&
    digits.slice(5) !== '0000'
  );
}

/** ISO 13616: MOD 97 of the number with its first four characters at the end. */
function isIban(iban: string): boolean {
  const compact = iban.replaceAll(' ', '');
  if (compact.length < 15 || compact.length > 34) return false;
  let rest = 0;
  for (const character of compact.slice(4) + compact.slice(0, 4)) {
    const value = parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
