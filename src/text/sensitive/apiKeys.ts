import type { SensitiveSpan } from '../../model/model.ts';

/** Keys with a recognisable format; the patterns are those that secret scanners use. */
const KEYS = [
  /\bsk-(?:proj-|ant-[a-z0-9]{3,10}-|or-v1-)?[A-Za-z0-9_-]{20,200}/g,
  /\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,120}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g,
  /\bglpat-[A-Za-z0-9_-]{20,64}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,250}/g,
  /\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bhf_[A-Za-z0-9]{30,60}\b/g,
  /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/g,
  /\bpypi-[A-Za-z0-9_-]{50,250}/g,
  /\bdop_v1_[a-f0-9]{64}\b/g,
  /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/g,
  /\b(?:lin_api|gsk|ntn|figd|dckr_pat|xai|r8|vercel|nvapi|pplx)[_-][A-Za-z0-9_-]{20,200}/g,
  /\bops_eyJ[A-Za-z0-9_-]{200,2000}/g,
  /\bLTAI[A-Za-z0-9]{12,30}\b/g,
  /(?<![\dA-Za-z])\d{8,10}:AA[A-Za-z0-9_-]{32,33}(?![A-Za-z0-9_-])/g,
  /https:\/\/(?:ptb\.|canary\.)?discord(?:app)?\.com\/api\/webhooks\/\d{10,25}\/[A-Za-z0-9_-]{20,120}/g,
  /\bey[A-Za-z0-9_-]{15,2000}\.ey[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g,
  /-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY-----/g,
  /https:\/\/hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,120}/g,
];

/** The name of a key, and after it a word of many letters and digits. */
const NAMED_KEY =
  /(?:api[ _-]?(?:key|token|キー|密钥)|(?:access|secret|private|auth|client)[ _-]?(?:access[ _-]?)?(?:key|secret|token)|app[ _-]?secret|accesskey|(?:シークレット|アクセス|秘密)(?:アクセス)?キー|シークレット|(?:アクセス|api)?トークン|(?:访问|私有|api)(?:访问)?密钥|密钥|令牌|\btoken\b|bearer)[^\n。!?]{0,24}?(?<![A-Za-z0-9_/+=-])([A-Za-z0-9_/+=-]{24,200})(?![A-Za-z0-9_/+=-])/giu;

/** A quick test: the shortest of these words. */
const HAS_LONG_WORD = /[\w/+=.:-]{15}|PRIVATE KEY/;

export function findKeys(text: string): SensitiveSpan[] {
  if (!HAS_LONG_WORD.test(text)) return [];
  const known = KEYS.flatMap((pattern) => [...text.matchAll(pattern)]);
  const named = [...text.matchAll(NAMED_KEY)].filter(([, word = '']) => isRandom(word));
  return [
    ...known.map((match) => spanAt('apiKey', match.index, match[0])),
    ...named.map((match) =>
      spanAt('apiKey', match.index + match[0].length - (match[1] ?? '').length, match[1] ?? ''),
    ),
  ];
}

export function spanAt(kind: SensitiveSpan['kind'], from: number, word: string): SensitiveSpan {
  return { kind, from, to: from + word.length };
}

/** Letters and digits mixed, as no word or name has them. */
function isRandom(word: string): boolean {
  return (
    /[A-Za-z]/.test(word) &&
    (word.match(/\d/g)?.length ?? 0) >= 3 &&
    !/^[a-z]+(?:[-_][a-z0-9]+)*$/.test(word.replace(/^[0-9a-f]{32,}$/, 'A'))
  );
}
