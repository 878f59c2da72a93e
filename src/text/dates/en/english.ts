import { grammarOf } from '../chart.ts';
import type { Edge } from '../chart.ts';
import type { Language } from '../language.ts';
import { lexDigits } from '../numeric.ts';
import { clockRules } from './clock-rules.ts';
import { lexNumber } from './numbers.ts';
import { countRules } from './count-rules.ts';
import { dateRules } from './date-rules.ts';
import { rangeRules } from './range-rules.ts';
import { tokenize } from './tokens.ts';
import { lexWord } from './words.ts';

const ORDER = { dayFirst: false, shortYearFirst: false };

/** '1st', '22nd'; also typing errors such as '02th'. */
const ORDINAL = /(\d{1,2}) ?(?:st|nd|rd|th)(?![a-z])/y;

function lexOrdinal(text: string, start: number, edges: Edge[]): void {
  ORDINAL.lastIndex = start;
  const match = ORDINAL.exec(text);
  if (!match) return;
  const node = { kind: 'ORD', value: Number(match[1]) } as const;
  edges.push({ start, end: start + match[0].length, name: 'ORD', node });
}

/** Words after which an ambiguous word ('may', 'sat', 2019) is a time. */
const CUE_WORDS =
  'in since by during on until till before after from between for of around last next late early mid or starting beginning';
const CUE = new RegExp(
  `(?:^|[^a-z])(?:${CUE_WORDS.replaceAll(' ', '|')}|w/c|back to|[=<>]) ?(?:around |early |late )?$`,
);
/** 'In 2007 and 2009': a year next to a year. */
const YEAR_BEFORE = /(?:in|of|since|from|by|for) (?:19|20)\d\d(?:,| and| or|, and|, or) $/;
/** 'The 21st' stands alone after a preposition, if no noun follows. */
const DAY_CUE = /(?:on|by|until|till|since|from) (?:the )?$/;
const NO_NOUN =
  /^(?: ?[,.;:!?)]| ?$| (?:at|of|from|in|and|or|to|with|for|i|you|we|he|she|it|they|is|was|that|when|because|but)\b)/;
/** Words after which 'last' is a verb: 'it will last'. */
const LASTING = /(?:will|'ll|to|can|could|may|might|would|should|must|doesn't|don't|didn't|not) $/;

/** Words that show that a sentence speaks of the future. */
const AHEAD =
  /\b(?:will|shall|won't|gonna|(?<!(?:was|were) )going to|let's|remind me|looking forward|can't wait|(?:plan|hope|want|intend|like) to|planning)\b|'ll\b/;

/** “What did you get up to last Saturday?”: the words belong to the verb. */
const UP_TO = /\b(?:get|gets|got|getting) up to $/;

function accepts(text: string, edge: Edge, original: string): boolean {
  const { node, start, end } = edge;
  const before = text.slice(Math.max(0, start - 20), start);
  const own = text.slice(start, end);
  const after = text.slice(end, end + 12);
  // “What did you get up to on Monday?” asks what was done.
  if (own.startsWith('up to ') && /\b(?:get|gets|got|getting) $/.test(before)) return false;
  if (own.startsWith('last ') && LASTING.test(before) && !UP_TO.test(before)) return false;
  if (/[$#@]$/.test(before) || /^(?: ago\b|-\d)/.test(after)) return false;
  if (own.endsWith(' later') && /^ (?:this|in|on|today|tonight|next)\b/.test(after)) return false;
  if (!node || !('weak' in node) || !node.weak) return true;
  if (node.kind !== 'DATE') return false;
  if (node.day !== undefined && node.month === undefined && node.weekday === undefined) {
    return DAY_CUE.test(before + own.replace(/(?:\d|[a-z]+(?:-[a-z]+)?$).*/, '')) && NO_NOUN.test(after);
  }
  if (/^(?:may|march|mar)$/.test(own) && before.endsWith(' or ')) return false;
  if (node.grain === 'year' && YEAR_BEFORE.test(before)) return true;
  return CUE.test(before) || isName(original, start, end);
}

/** A capital inside a sentence distinguishes May from may. */
function isName(original: string, start: number, end: number): boolean {
  const word = start + original.slice(start, end).search(/[A-Za-z]+[^A-Za-z]*$/);
  return /[A-Z]/.test(original[word] ?? '') && /[a-z,] $/.test(original.slice(Math.max(0, word - 2), word));
}

function lex(text: string): Edge[][] {
  const words = tokenize(text);
  const islands: Edge[][] = [];
  let island: Edge[] = [];
  let digitsEnd = 0;
  const close = () => {
    if (island.some((edge) => edge.node ?? TRIGGERS.has(edge.name))) islands.push(island);
    island = [];
  };
  for (const [index, word] of words.entries()) {
    const before = island.length;
    const isDigit = word.text >= '0' && word.text <= '9~';
    if (isDigit && word.start < digitsEnd) continue;
    if (isDigit) {
      lexOrdinal(text, word.start, island);
      digitsEnd = Math.max(digitsEnd, lexDigits(text, word.start, ORDER, island));
    } else {
      lexNumber(words, index, island);
      lexWord(words, index, island);
    }
    if (island.length === before && word.start >= reach(island)) close();
  }
  close();
  return islands;
}

const reach = (edges: Edge[]): number => edges.reduce((end, edge) => Math.max(end, edge.end), 0);

/** Links that are complete expressions by themselves. */
const TRIGGERS = new Set(
  'today tomorrow tmr tmrw yesterday tonight tonite now recently lately nowadays weekend present moment time date daily weekly monthly yearly annually quarterly everyday eod ago'.split(
    ' ',
  ),
);

export const english: Language = {
  name: 'en',
  lex,
  grammar: grammarOf([...dateRules, ...countRules, ...rangeRules, ...clockRules]),
  accepts,
  ahead: AHEAD,
};
