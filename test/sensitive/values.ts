/** Made-up values with valid check digits. */
import { mulberry32 } from '../../src/eval/compare.ts';

// Always the same cases, so that results are comparable.
const random = mulberry32(20_261_122);
const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 10)).join('');
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

export function card(begin = '4', length = 16): string {
  const body = begin + digits(length - begin.length - 1);
  for (let check = 0; check < 10; check += 1) if (isLuhn(`${body}${check}`)) return `${body}${check}`;
  throw new Error('There is always one.');
}

export function notCard(): string {
  const number = card();
  return number.slice(0, -1) + ((Number(number.at(-1)) + 5) % 10);
}

function isLuhn(number: string): boolean {
  const sum = Array.from(number)
    .toReversed()
    .reduce((total, digit, i) => {
      const value = i % 2 === 1 ? Number(digit) * 2 : Number(digit);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

export const grouped = (number: string, sign = ' ') => number.replaceAll(/(\d{4})(?=\d)/g, `$1${sign}`);

export function myNumber(): string {
  const body = digits(11);
  const sum = Array.from(body)
    .toReversed()
    .reduce((total, digit, i) => total + Number(digit) * (i < 6 ? i + 2 : i - 4), 0);
  return body + (sum % 11 <= 1 ? 0 : 11 - (sum % 11));
}

export function chineseId(): string {
  const area = pick(['110105', '310104', '440305', '510107']);
  const body = `${area}19${60 + Math.floor(random() * 40)}0${1 + Math.floor(random() * 9)}1${Math.floor(random() * 10)}${digits(3)}`;
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
  const sum = weights.reduce((total, weight, i) => total + weight * Number(body[i]), 0);
  return body + '10X98765432'.charAt(sum % 11);
}

export const number = digits;
export const one = pick;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const letters = (count: number) => Array.from({ length: count }, () => pick(Array.from(LETTERS))).join('');
export const password = () =>
  pick([`${letters(5)}${number(2)}!`, `Neko${number(4)}`, `p@ss-${letters(4)}${number(1)}`]);
export const apiKey = () =>
  pick([
    `sk-proj-${letters(40)}`,
    `ghp_${letters(36)}`,
    `AKIA${letters(16).toUpperCase()}`,
    `xoxb-${number(12)}-${letters(24)}`,
    `AIza${letters(35)}`,
    `npm_${letters(36)}`,
    `sk_live_${letters(24)}`,
  ]);
export const email = () =>
  `${letters(6).toLowerCase()}.${number(2)}@${pick(['example.com', 'mail.example.jp', 'post.example.cn'])}`;
export const jpMobile = () =>
  `0${pick(['70', '80', '90'])}-${1 + Math.floor(random() * 9)}${number(3)}-${number(4)}`;
export const cnMobile = () => `1${pick(['38', '39', '50', '86', '88'])}${number(8)}`;
export const usPhone = () => {
  const area = pick(['212', '415', '206', '312', '617']);
  const rest = `${pick(['345', '555', '867', '432'])}-${number(4)}`;
  return pick([`(${area}) ${rest}`, `${area}-${rest}`, `+1 ${area} ${rest.replace('-', ' ')}`]);
};
