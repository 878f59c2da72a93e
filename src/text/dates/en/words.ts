/** The English words of time. */
import type { Edge } from '../chart.ts';
import { tokenize } from './tokens.ts';
import type { Word } from './tokens.ts';
import { monthNode, weekdayNode } from '../compose.ts';
import { SEASONS, holidaysIn } from '../holidays.ts';
import { exactTime } from '../clock.ts';
import { partOfYear } from '../ranges.ts';
import { dateAt } from '../calendar.ts';
import type { Unit } from '../calendar.ts';
import type { DateNode, Node, PartName } from '../value.ts';

const split = (words: string): string[] => words.split(' ');

/** Words and what they mean; a word may have several meanings. */
const words = new Map<string, Node[]>();
/** Names of several words, by their first word, longest first. */
const names = new Map<string, { rest: string[]; node: Node }[]>();

function add(spellings: string[], node: Node | null): void {
  if (!node) return;
  for (const spelling of spellings) {
    const [first = '', ...rest] = tokenize(spelling).map((word) => word.text);
    if (rest.length) names.set(first, [...(names.get(first) ?? []), { rest, node }]);
    else words.set(first, [...(words.get(first) ?? []), node]);
  }
}

const MONTHS =
  'january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct november/nov december/dec';
split(MONTHS).forEach((spellings, index) => {
  const node = monthNode(index + 1) as DateNode;
  for (const spelling of spellings.split('/')) {
    add([spelling], /^(?:march|mar|may)$/.test(spelling) ? { ...node, weak: true } : node);
  }
});

const WEEKDAYS =
  'monday/mon tuesday/tue/tues wednesday/wed/weds thursday/thu/thur/thurs friday/fri saturday/sat sunday/sun';
split(WEEKDAYS).forEach((spellings, index) => {
  const node = weekdayNode(index + 1);
  for (const spelling of spellings.split('/')) {
    add([spelling], /^(?:mon|wed|sat|sun)$/.test(spelling) ? { ...node, weak: true } : node);
    if (spelling.endsWith('day'))
      add([`${spelling}s`], { kind: 'SET', timex: `XXXX-WXX-${index + 1}`, grain: 'day' });
  }
});

const UNITS: Record<string, Unit> = {
  'second seconds sec secs s': 'second',
  'minute minutes min mins': 'minute',
  'hour hours hr hrs h': 'hour',
  'day days': 'day',
  'week weeks wk wks': 'week',
  'fortnight fortnights': 'fortnight',
  'weekend weekends': 'weekend',
  'month months': 'month',
  'quarter quarters': 'quarter',
  'year years yr yrs y': 'year',
  'decade decades': 'decade',
  'century centuries': 'century',
};
for (const [spellings, unit] of Object.entries(UNITS)) {
  for (const word of split(spellings)) {
    const plural = /..s$|centuries/.test(word);
    add([word], plural ? { kind: 'UNIT', unit, plural } : { kind: 'UNIT', unit });
  }
}
const BUSINESS = ['business day', 'business days', 'working day', 'working days', 'work days', 'workdays'];
add(BUSINESS, { kind: 'UNIT', unit: 'businessday' });

add(split('last previous'), { kind: 'REL', offset: -1 });
add([...split('past'), 'this past', 'this last', 'most recent'], { kind: 'REL', offset: -1, nearest: true });
add([...split('this current'), 'the current'], { kind: 'REL', offset: 0 });
add(split('next following'), { kind: 'REL', offset: 1 });
add([...split('coming upcoming'), 'this coming', 'this upcoming'], { kind: 'REL', offset: 1, nearest: true });

add(split('early'), { kind: 'POR', portion: 'early' });
add([...split('mid middle'), 'the middle of', 'middle of', 'midway through'], {
  kind: 'POR',
  portion: 'mid',
});
add(split('late'), { kind: 'POR', portion: 'late' });
add(['the end of', 'end of', 'the close of'], { kind: 'POR', portion: 'late' });
add(['the beginning of', 'beginning of', 'the start of', 'start of'], { kind: 'POR', portion: 'early' });
add(['the first half of', 'first half of'], { kind: 'POR', portion: 'first-half' });
add(['the second half of', 'second half of', 'the latter half of'], { kind: 'POR', portion: 'second-half' });

const PART_WORDS: Record<string, PartName> = {
  morning: 'morning',
  afternoon: 'afternoon',
  evening: 'evening',
  'night nighttime': 'night',
  'dawn sunrise daybreak': 'dawn',
  daytime: 'day',
  lunchtime: 'lunch',
};
for (const [spellings, part] of Object.entries(PART_WORDS)) add(split(spellings), { kind: 'PART', part });
const REPEATED_PARTS = { mornings: 'TMO', afternoons: 'TAF', evenings: 'TEV', nights: 'TNI' };
for (const [word, timex] of Object.entries(REPEATED_PARTS))
  add([word], { kind: 'SET', timex, grain: 'part-of-day' });
add(['lunch time', 'lunch hour'], { kind: 'PART', part: 'lunch' });
add(['night - time', 'wee hours', 'small hours'], { kind: 'PART', part: 'small-hours' });
add([...split('noon noonish midday'), 'mid day', '12 noon'], exactTime(12));
add([...split('midnight'), 'mid night'], exactTime(0));

add(split('few'), { kind: 'NUM', value: 3, digits: 0, vague: true });
add([...split('several'), 'a few', 'some'], vagueNumber(3));
add([...split('couple'), 'a couple', 'a couple of', 'couple of'], vagueNumber(2));
add(['half'], { kind: 'NUM', value: 0.5, digits: 0 });
add(['½'], { kind: 'NUM', value: 0.5, digits: 0 });

function vagueNumber(value: number): Node {
  return { kind: 'NUM', value, digits: 0, vague: true };
}

add(['spring'], { ...SEASONS.spring, weak: true });
add(['summer', 'summertime'], SEASONS.summer);
add(['fall'], { ...SEASONS.autumn, weak: true });
add(['autumn'], SEASONS.autumn);
add(['winter', 'wintertime'], SEASONS.winter);
split('twenties thirties forties fifties sixties seventies eighties nineties').forEach((word, index) => {
  const [from, to] = [dateAt(1920 + index * 10), dateAt(1930 + index * 10)];
  add([word, `the ${word}`], { kind: 'DATE', grain: 'decade', span: { from, to } });
});

for (const quarter of [1, 2, 3, 4]) add([`q${quarter}`], partOfYear(quarter, 3));
for (const half of [1, 2]) add([`h${half}`], partOfYear(half, 6));

for (const { names, date } of holidaysIn('en')) add(names, date);

/** Words that connect parts of an expression. */
const LINKS = new Set(
  split(
    'a an the of in on at to from between until till til through thru and or by before after since during within for over ago later earlier ' +
      'onward onwards hence now today tomorrow tmr tmrw yesterday tonight tonite every everyday each any all whole other day daily weekly ' +
      'monthly yearly annually quarterly year week month am pm a p o clock oclock past half quarter around about approximately circa ' +
      'recently lately nowadays while long first starting beginning start w c cy rest remainder remaining ' +
      "gmt utc est edt cst cdt mst mdt pst pdt pt et ct bst cet cest jst eastern pacific @ eoy workweek commencing early late prior as work last next night nights current present working calendar ~ = date weekend than no more less so up s t 's , ( ) - & . ' / st nd rd th moment ago back the once upon eod eom eoy end time right",
  ),
);

/** Everything that the word at an index may mean; the words are lower case. */
export function lexWord(all: Word[], index: number, edges: Edge[]): void {
  const word = all[index];
  if (!word) return;
  const push = (end: number, name: string, node?: Node) =>
    edges.push({ start: word.start, end, name, ...(node ? { node } : {}) });
  for (const { rest, node } of names.get(word.text) ?? []) {
    if (rest.every((text, offset) => all[index + 1 + offset]?.text === text)) {
      push(all[index + rest.length]?.end ?? word.end, node.kind, node);
    }
  }
  for (const node of words.get(word.text) ?? []) push(word.end, node.kind, node);
  if (LINKS.has(word.text)) push(word.end, word.text);
}
