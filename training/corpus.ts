// Collects the training texts in one folder of plain files:
//   corpus.tsv      language, split (train | unseen), kind (sentence | word), foreign text, English text
//   en.txt, zh.txt  the distinct English and Chinese texts of the training split, one a line, for the teachers
//   simplify.tsv    one traditional and one simplified Chinese character a line
//
//   node training/corpus.ts --pairs DIR --edict FILE --cedict FILE --jieba FILE --out DIR

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readPairs, type TranslationPair } from './pairs.ts';

interface Pair extends TranslationPair {
  readonly kind: 'sentence' | 'word';
}

interface CedictEntry {
  readonly traditional: string;
  readonly simplified: string;
  readonly english: readonly string[];
}

/** Minimum frequency of a Chinese dictionary word in the segmenter's corpus. */
const MIN_WORD_COUNT = 20;
/** One English sentence in this many is held out, with every pair that contains it. */
const UNSEEN_ONE_IN = 25;

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function sentencesOf(folder: string, language: 'ja' | 'zh'): Pair[] {
  return readPairs(folder, language).map((pair) => ({ ...pair, kind: 'sentence' as const }));
}

/** Removes remarks in parentheses from a dictionary gloss; null if it is no translation. */
function plainGloss(gloss: string): string | null {
  const plain = gloss
    .replace(/\([^)]*\)/g, ' ')
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const isRemark =
    /^(variant|old variant|see|abbr|surname|used in|classifier|CL:|also written|Japanese variant)/i.test(
      plain,
    );
  return plain === '' || isRemark || plain.length > 60 || /[\u3040-\u9fff]/.test(plain) ? null : plain;
}

function readEdict(path: string): Pair[] {
  const text = new TextDecoder('euc-jp').decode(readFileSync(path));
  return text.split('\n').flatMap((line): Pair[] => {
    if (!line.includes('/(P)/')) return [];
    const [head = '', ...glosses] = line.split('/');
    const word = head.split(' ')[0] ?? '';
    const reading = /\[([^\]]+)\]/.exec(head)?.[1];
    const senses = glosses
      .map(plainGloss)
      .filter((gloss) => gloss !== null)
      .slice(0, 2);
    if (senses.length === 0) return [];
    const isKana = line.includes('(uk)') && reading !== undefined;
    const forms = isKana ? [word, reading] : [word];
    return forms.map((foreign) => ({ language: 'ja', kind: 'word', foreign, english: senses.join('; ') }));
  });
}

function readCedict(entries: readonly CedictEntry[], counts: ReadonlyMap<string, number>): Pair[] {
  return entries.flatMap((entry): Pair[] => {
    if ((counts.get(entry.simplified) ?? 0) < MIN_WORD_COUNT) return [];
    const senses = entry.english
      .flatMap((gloss) => gloss.split(';'))
      .map(plainGloss)
      .filter((gloss) => gloss !== null)
      .slice(0, 2);
    if (senses.length === 0) return [];
    return [{ language: 'zh', kind: 'word', foreign: entry.simplified, english: senses.join('; ') }];
  });
}

/** The most frequent simplified form of a traditional character in the dictionary. */
function simplifications(entries: readonly CedictEntry[]): Map<string, string> {
  const counts = new Map<string, Map<string, number>>();
  const usedAsSimplified = new Map<string, number>();
  for (const { traditional, simplified } of entries) {
    if (traditional.length !== simplified.length) continue;
    for (let i = 0; i < traditional.length; i++) {
      const forms = counts.get(traditional.charAt(i)) ?? new Map<string, number>();
      forms.set(simplified.charAt(i), (forms.get(simplified.charAt(i)) ?? 0) + 1);
      counts.set(traditional.charAt(i), forms);
      usedAsSimplified.set(simplified.charAt(i), (usedAsSimplified.get(simplified.charAt(i)) ?? 0) + 1);
    }
  }
  const best = new Map<string, string>();
  for (const [from, forms] of counts) {
    const [to = from, votes = 0] = [...forms].sort((a, b) => b[1] - a[1])[0] ?? [];
    const isHan = /^[\u4e00-\u9fff]{2}$/.test(from + to);
    // 么 is the traditional form of 幺, but much more often the simplified form of 麼: such characters are not mapped.
    const isAmbiguous = (usedAsSimplified.get(from) ?? 0) * 2 > votes;
    if (isHan && from !== to && !isAmbiguous) best.set(from, to);
  }
  return best;
}

function main(): void {
  const { values } = parseArgs({
    options: {
      pairs: { type: 'string', default: '' },
      edict: { type: 'string', default: '' },
      cedict: { type: 'string', default: '' },
      jieba: { type: 'string', default: '' },
      out: { type: 'string', default: '' },
    },
  });
  const cedict: CedictEntry[] = JSON.parse(readFileSync(values.cedict, 'utf8'));
  const counts = new Map<string, number>();
  for (const line of readFileSync(values.jieba, 'utf8').split('\n')) {
    const [word = '', count = '0'] = line.split(' ');
    counts.set(word, Number(count));
  }
  const pairs = [
    ...sentencesOf(values.pairs, 'ja'),
    ...sentencesOf(values.pairs, 'zh'),
    ...readEdict(values.edict),
    ...readCedict(cedict, counts),
  ];
  const isUnseen = (pair: Pair): boolean =>
    pair.kind === 'sentence' && hashOf(pair.english.toLowerCase()) % UNSEEN_ONE_IN === 0;
  const unseenForeign = new Set(pairs.filter(isUnseen).map((pair) => pair.foreign));
  const unseenEnglish = new Set(pairs.filter(isUnseen).map((pair) => pair.english.toLowerCase()));
  const rows: string[] = [];
  const texts = { en: new Set<string>(), zh: new Set<string>() };
  for (const pair of pairs) {
    const unseen = isUnseen(pair);
    const leaks = unseenForeign.has(pair.foreign) || unseenEnglish.has(pair.english.toLowerCase());
    if (!unseen && leaks) continue;
    rows.push([pair.language, unseen ? 'unseen' : 'train', pair.kind, pair.foreign, pair.english].join('\t'));
    if (unseen) continue;
    texts.en.add(pair.english);
    if (pair.language === 'zh') texts.zh.add(pair.foreign);
  }
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, 'corpus.tsv'), rows.join('\n'));
  writeFileSync(join(values.out, 'en.txt'), [...texts.en].join('\n'));
  writeFileSync(join(values.out, 'zh.txt'), [...texts.zh].join('\n'));
  const map = [...simplifications(cedict)].sort((a, b) => (a[0] < b[0] ? -1 : 1));
  writeFileSync(join(values.out, 'simplify.tsv'), map.map((entry) => entry.join('\t')).join('\n'));
}

main();
