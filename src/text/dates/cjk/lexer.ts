/** Looks up Japanese and Chinese text in a lexicon at each position, since neither has spaces between words. */
import type { Unit } from '../calendar.ts';
import type { Edge } from '../chart.ts';
import { lexDigits } from '../numeric.ts';
import type { DigitOrder } from '../numeric.ts';
import type { Node } from '../value.ts';

/** A meaning of a word: a node; or the name of a link, or of a day or instant counted from the reference. */
type Meaning = Node | string;

/** Words and their meanings. A meaning that depends on the reference is looked up by the grammar under its own name. */
export interface Lexicon {
  byFirst: ReadonlyMap<string, { word: string; meaning: Meaning }[]>;
  order: DigitOrder;
  /** Words that look like an expression of time but are not: 朝日新聞. */
  blocks: RegExp;
  triggers: ReadonlySet<string>;
}

/** A word counted from the present, by the name under which rules refer to it. */
export interface Counted {
  readonly name: string;
  readonly unit: Unit;
  readonly offset: number;
}

export class LexiconBuilder {
  private readonly byFirst = new Map<string, { word: string; meaning: Meaning }[]>();
  private readonly triggers = new Set<string>();

  /** Adds words, separated by spaces, with one meaning. */
  add(words: string, meaning: Node | null): this {
    if (meaning) for (const word of words.split(' ')) this.put(word, meaning);
    return this;
  }

  /** Adds reigns, each with the year in which it begins: `平成 1989 令和 2019`. */
  eras(table: string): this {
    for (const [, word = '', first] of table.matchAll(/(\S+) (\d+)/g))
      this.add(word, { kind: 'ERA', first: Number(first) });
    return this;
  }

  /** Adds words that only connect parts of an expression; each is its own name. */
  links(words: string): this {
    for (const word of words.split(' ')) this.put(word, word);
    return this;
  }

  /** Adds words of one meaning that depends on the reference. Rules refer to it by `name`. */
  deictic(words: string, name: string): this {
    for (const word of words.split(' ')) this.put(word, name);
    this.triggers.add(name);
    return this;
  }

  /**
   * Adds words counted from the present, a line for each unit: `day: | 前天 | 昨天 | 今天 | 明天` has groups from three days
   * before today on. Rules refer to them by unit and offset: `day-1`.
   */
  counted(table: string): Counted[] {
    return table
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [unit = '', groups = ''] = line.split(':');
        return groups.split('|').flatMap((words, index) => {
          const offset = index - 3;
          const name = `${unit}${offset}`;
          if (words.trim() === '') return [];
          this.deictic(words.trim(), name);
          return [{ name, unit: unit as Unit, offset }];
        });
      });
  }

  build(order: DigitOrder, blocks: RegExp): Lexicon {
    return { byFirst: this.byFirst, order, blocks, triggers: this.triggers };
  }

  private put(word: string, meaning: Meaning): void {
    const first = word[0] ?? '';
    const list = this.byFirst.get(first);
    if (list) list.push({ word, meaning });
    else this.byFirst.set(first, [{ word, meaning }]);
  }
}

const DIGITS: Record<string, number> = {
  〇: 0,
  零: 0,
  一: 1,
  二: 2,
  两: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
  壱: 1,
  弐: 2,
  参: 3,
  元: 1,
};
const TENS: Record<string, number> = { 十: 10, 拾: 10, 百: 100, 千: 1000 };
const NUMERAL = /[〇零一二两三四五六七八九十百千廿卅]{1,9}/y;

/** A number in Chinese numerals: 二十三, 廿三, 二〇一八, 百二十. Two adjacent digits mean 'about': 两三天. */
function chineseNumber(text: string): { value: number; digits: number; vague: boolean } | null {
  const plain = text.replaceAll('廿', '二十').replaceAll('卅', '三十');
  const values = Array.from(plain, (character) => DIGITS[character]);
  if (values.every((value) => value !== undefined)) {
    const [first = 0, second] = values;
    const vague = values.length === 2 && first > 0 && second === first + 1;
    const value = vague ? first : Number(values.join(''));
    return { value, digits: values.length > 1 && !vague ? values.length : 0, vague };
  }
  let total = 0;
  let digit: number | undefined;
  for (const character of plain) {
    const scale = TENS[character];
    if (scale === undefined) {
      if (digit !== undefined && digit !== 0) return null;
      digit = DIGITS[character] ?? 0;
    } else {
      total += (digit === undefined || digit === 0 ? 1 : digit) * scale;
      digit = undefined;
    }
  }
  return { value: total + (digit ?? 0), digits: 0, vague: false };
}

function lexNumeral(text: string, start: number, edges: Edge[]): void {
  NUMERAL.lastIndex = start;
  const [run] = NUMERAL.exec(text) ?? [];
  if (run === undefined) return;
  const number = chineseNumber(run);
  if (!number) return;
  const { value, digits, vague } = number;
  const node = { kind: 'NUM', value, digits, ...(vague ? { vague: true as const } : {}) } as const;
  edges.push({ start, end: start + run.length, name: 'NUM', node });
}

/** Islands of adjacent tokens that contain at least one number or word of time. */
export function lexCjk(text: string, lexicon: Lexicon): Edge[][] {
  const islands: Edge[][] = [];
  let island: Edge[] = [];
  let useful = false;
  let reach = 0;
  let digitsEnd = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (at > reach && character !== ' ' && island.length) {
      if (useful) islands.push(island);
      island = [];
      useful = false;
    }
    const before = island.length;
    if (character >= '0' && character <= '9') {
      if (at >= digitsEnd) digitsEnd = lexDigits(text, at, lexicon.order, island);
    } else if (character > '\u007f' || character < '0' || character > '9') {
      const blocked = blockedUntil(text, at, lexicon);
      if (blocked > at) {
        at = blocked - 1;
        continue;
      }
      lexNumeral(text, at, island);
      lookUp(text, at, lexicon, island);
    }
    for (let i = before; i < island.length; i++) {
      const edge = island[i] as Edge;
      if (edge.end > reach) reach = edge.end;
      if (edge.node || lexicon.triggers.has(edge.name)) useful = true;
    }
    if (island.length && character === ' ' && reach === at) reach = at + 1;
  }
  if (useful) islands.push(island);
  return islands;
}

function blockedUntil(text: string, at: number, lexicon: Lexicon): number {
  lexicon.blocks.lastIndex = at;
  const [word] = lexicon.blocks.exec(text) ?? [];
  return word === undefined ? at : at + word.length;
}

function lookUp(text: string, at: number, lexicon: Lexicon, edges: Edge[]): void {
  for (const { word, meaning } of lexicon.byFirst.get(text[at] ?? '') ?? []) {
    if (!text.startsWith(word, at)) continue;
    const end = at + word.length;
    if (typeof meaning === 'string') edges.push({ start: at, end, name: meaning });
    else edges.push({ start: at, end, name: meaning.kind, node: meaning });
  }
}
