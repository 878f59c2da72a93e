// Creates Chinese sentences from those of the corpus for the Chinese teacher: with words replaced, removed or added,
// and questions about many things in many forms. The translation pairs contain little Chinese; these sentences teach
// which words matter for the meaning.
//
//   node training/variants.ts --corpus DIR --jieba FILE [--seed 1] [--count 80000]
//
// Reads corpus.tsv and writes variants.txt in the same folder.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from './random.ts';

interface Lexicon {
  readonly kindOf: ReadonlyMap<string, string>;
  readonly byKind: ReadonlyMap<string, readonly string[]>;
}

/** Questions about a thing (N) and about an action (V). */
const OF_THINGS = [
  'N是什么',
  '什么是N',
  'N是什么意思',
  'N多少钱',
  'N要多少钱',
  'N怎么样',
  'N好不好',
  'N好吗',
  '哪里有N',
  '哪里可以买到N',
  'N在哪里',
  'N在哪儿',
  '有没有N',
  '有N吗',
  '谁知道N',
  '你喜欢N吗',
  '我喜欢N',
  '我不喜欢N',
  '我想要N',
  '我需要N',
  '哪种N最好',
  '什么N好',
  'N有哪些',
  '有哪些N',
  '为什么没有N',
  'N什么时候有',
  '怎么选N',
  '如何选择N',
  '推荐一下N',
  'N的价格是多少',
  '这是什么N',
  '这个N叫什么',
  '请问N在哪里',
  'N有什么用',
  'N有什么作用',
  '关于N的问题',
  '昨天我看到了N',
  '他送给我一个N',
  'N和M有什么区别',
  'N与M的区别',
  '怎么用N',
  'N怎么用',
  '我的N不见了',
  '我把N弄丢了',
  '你的N真漂亮',
  'N太贵了',
  '我买了N',
  '我卖了N',
  '最好的N',
  'N的M',
  'N怎么办',
  'N属于什么',
];
const OF_ACTIONS = [
  '怎么V',
  '如何V',
  '怎样V',
  '怎么才能V',
  '怎样才能V',
  '为什么要V',
  '为什么不能V',
  '可以V吗',
  '能不能V',
  '能V吗',
  '什么时候V',
  '在哪里V',
  'V需要多长时间',
  'V要多久',
  'V的方法',
  '有什么V的方法',
  '我想V',
  '我不想V',
  '我要V',
  '你会V吗',
  '我们一起V吧',
  '他在V',
  '他已经V了',
  '别V',
  '怎么V N',
  '如何V N',
  'V N的方法',
  '能不能V N',
  '可以V N吗',
  '我想V N',
  '我昨天V了N',
  '谁V了N',
  '为什么V N',
  '什么时候V N',
  '去哪里V N',
  '帮我V N',
  '请帮我V N',
];
const OPENINGS = [
  '请问',
  '其实',
  '我觉得',
  '听说',
  '今天',
  '昨天',
  '你知道吗，',
  '我想知道',
  '有人说',
  '可能',
  '真的',
  '为什么',
];
const ENDINGS = ['吗', '呢', '吧', '啊', '了', '？', '吗？', '呢？', '，谢谢', '，对吗', '，怎么办', '！'];

function readLexicon(path: string): Lexicon {
  const kindOf = new Map<string, string>();
  const byKind = new Map<string, string[]>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [word = '', count = '0', kind = ''] = line.split(' ');
    if (Number(count) < 200 || !/^[\u4e00-\u9fff]{1,4}$/.test(word)) continue;
    kindOf.set(word, kind);
    if (word.length < 2 || !/^[nva]$/.test(kind)) continue;
    const words = byKind.get(kind) ?? [];
    words.push(word);
    byKind.set(kind, words);
  }
  return { kindOf, byKind };
}

/** Longest-match segmentation. */
function segment(text: string, lexicon: Lexicon): string[] {
  const words: string[] = [];
  for (let at = 0; at < text.length;) {
    let length = Math.min(4, text.length - at);
    while (length > 1 && !lexicon.kindOf.has(text.slice(at, at + length))) length--;
    words.push(text.slice(at, at + length));
    at += length;
  }
  return words;
}

function createMaker(lexicon: Lexicon, random: () => number) {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const word = (kind: string): string => pick(lexicon.byKind.get(kind) ?? ['']);

  function exchange(words: string[]): string {
    const places = words.flatMap((w, i) =>
      w.length > 1 && lexicon.byKind.has(lexicon.kindOf.get(w) ?? '') ? [i] : [],
    );
    if (places.length === 0) return leaveOut(words);
    const place = pick(places);
    return words.with(place, word(lexicon.kindOf.get(words[place] ?? '') ?? 'n')).join('');
  }
  function leaveOut(words: string[]): string {
    const place = Math.floor(random() * words.length);
    return words.filter((_, i) => i !== place).join('');
  }
  function alter(sentence: string): string {
    const words = segment(sentence, lexicon);
    const bare = sentence.replace(/[。！？?!.]$/, '');
    const kind = random();
    if (kind < 0.5) return exchange(words);
    if (kind < 0.7) return leaveOut(words);
    return kind < 0.85 ? pick(OPENINGS) + sentence : bare + pick(ENDINGS);
  }
  /** A few questions with the same words, so that forms of questions are compared. */
  function ask(): string[] {
    const [thing, other, action] = [word('n'), word('n'), word('v')];
    const templates = random() < 0.6 ? OF_THINGS : OF_ACTIONS;
    return Array.from({ length: 4 }, () => {
      const text = pick(templates).replace('N', thing).replace('M', other).replace(/V ?/, action);
      return random() < 0.3 ? `${text}？` : text;
    });
  }
  return { alter, ask };
}

function main(): void {
  const { values } = parseArgs({
    options: {
      corpus: { type: 'string', default: '' },
      jieba: { type: 'string', default: '' },
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '80000' },
    },
  });
  const sentences = readFileSync(join(values.corpus, 'corpus.tsv'), 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([language, split, kind]) => language === 'zh' && split === 'train' && kind === 'sentence')
    .map(([, , , sentence = '']) => sentence);
  const maker = createMaker(readLexicon(values.jieba), createRandom(Number(values.seed)));
  const texts = new Set<string>();
  const count = Number(values.count);
  for (let i = 0; texts.size < count / 2; i++) {
    const made = maker.alter(sentences[i % sentences.length] ?? '');
    if (made.length > 1) texts.add(made);
  }
  while (texts.size < count) for (const question of maker.ask()) texts.add(question);
  writeFileSync(join(values.corpus, 'variants.txt'), [...texts].join('\n'));
}

main();
