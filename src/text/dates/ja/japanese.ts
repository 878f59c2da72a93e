import { DAY } from '../calendar.ts';
import { grammarOf, rule } from '../chart.ts';
import type { Edge, Rule } from '../chart.ts';
import * as clock from '../clock.ts';
import * as dates from '../compose.ts';
import { cjkRules, lunarOf, relativeRules } from '../cjk/rules.ts';
import { lexCjk } from '../cjk/lexer.ts';
import type { Language } from '../language.ts';
import * as ranges from '../ranges.ts';
import type { Context, DateNode, Node } from '../value.ts';
import { DAY_PARTS, OFFSETS, SEASON_WORDS, VAGUE, lexicon } from './words.ts';

const thisUnit = (unit: 'month' | 'year' | 'week', context: Context): DateNode =>
  dates.relativeUnit(unit, 0, context);

/** Units as they are written after 次の, and before の初め. */
const UNITS = { 日: 'day', 週: 'week', weekend0: 'weekend', 月: 'month', 年: 'year' } as const;
const units = Object.entries(UNITS).flatMap(([word, unit]) => [
  rule(`REL ${word}` as 'REL 日', ({ offset }, context) =>
    offset === 0 ? null : dates.relativeUnit(unit, offset, context),
  ),
  rule(`${word} の POR` as '年 の POR', ({ portion }, context) =>
    dates.withPortion(dates.relativeUnit(unit, 0, context), portion),
  ),
]);

const seasons = SEASON_WORDS.map(({ name, offset, season }) =>
  rule(name, (context) => dates.merge(dates.relativeUnit('year', offset, context), season, context)),
);

const special: Rule[][] = [
  rule('この前 の DATE', (date, context) => dates.relativeDate(date, -1, context, { nearest: true })),
  rule('DATE 度', (date, context) => ranges.fiscalYear(date, context)),
  rule('DATE の 今頃|今ごろ', (date, context) => dates.sameTimeIn(date, context)),
  rule('今', (context) => ranges.present(context)),
  rule('月末', (context) => dates.withPortion(thisUnit('month', context), 'late')),
  rule('月初', (context) => dates.withPortion(thisUnit('month', context), 'early')),
  rule('年末', () => dates.date('month', { month: 12, vague: true })),
  rule('年始', () => dates.date('month', { month: 1, vague: true })),
  rule('DATE の? 年末', (date, context) =>
    dates.merge(date, dates.date('month', { month: 12, vague: true }), context),
  ),
  rule('週明け', (context) => dates.relativeDate(dates.weekdayNode(1), 1, context, { nearest: false })),
  rule('週半ば', (context) => dates.withPortion(thisUnit('week', context), 'mid')),
  rule('年初来', (context) => ranges.upToNow(thisUnit('year', context), context)),
  rule('一日の終わり', (context) => clock.endOfDay(dates.dayFromToday(0, context), context)),
  rule('DATE 中', (date, context) =>
    clock.isDay(date) ? clock.endOfDay(date, context) : date.closed ? null : date,
  ),
  rule('DATE のうち', (date) => (date.closed ? null : date)),
  rule('DATE の? 早い時間', (date, context) => halfDay(date, 'early', context)),
  rule('DATE の? 遅い時間', (date, context) => halfDay(date, 'late', context)),
  rule('DATE 早く に?', (date) => dates.withPortion(date, 'early')),
  rule('day0 あとで', (context) => halfDay(dates.dayFromToday(0, context), 'late', context)),
];

function halfDay(date: DateNode, half: 'early' | 'late', context: Context): Node | null {
  if (!clock.isDay(date)) return null;
  const noon = DAY / 2;
  const options = [half === 'early' ? { from: 0, to: noon } : { from: noon, to: DAY }];
  return clock.dateTimes(date, { kind: 'TIMES', options, timex: '' }, context);
}

const relative: Rule[][] = [
  rule('REL DATE', ({ offset, nearest }, date, context) =>
    dates.relativeDate(dates.withoutWeakness(date), offset, context, { nearest: nearest === true }),
  ),
  rule('REL DUR', ({ offset }, length, context) => dates.stretch(length, offset > 0 ? 1 : -1, context)),
  rule('過去 の? DUR', (length, context) => dates.stretch(length, -1, context)),
  rule('ここ DUR', (length, context) => dates.stretch(length, -1, context)),
  rule('今後|向こう|これから の? DUR', (length, context) => dates.stretch(length, 1, context)),
  rule('今 から DUR 後|以内', (length, context) => dates.pointAt(length, 1, context)),
  rule('DUR 以内 に', (length, context) => ranges.within(length, context)),
  rule('あと|後 DUR', (length, context) => dates.stretch(length, 1, context)),
  rule('第 NUM 週', ({ value }, context) => dates.weekOfYear(value, thisUnit('year', context), context)),
  rule('DATE の? 第 NUM 週', (year, { value }, context) =>
    year.grain === 'year' ? dates.weekOfYear(value, year, context) : null,
  ),
  rule('DATE の POR', (date, { portion }, context) =>
    portion === 'late' && clock.isDay(date) ? clock.endOfDay(date, context) : null,
  ),
  rule('DUR で', (length, context) => dates.pointAt(length, 1, context)),
  rule('ERA', ({ first }, context) => reign(first, context)),
  rule('旧暦 の? DATE', (date, context) => lunarOf(date, context)),
];

const REIGNS = [1868, 1912, 1926, 1989, 2019];

/** A reign without a year is all its years: 昭和. */
function reign(first: number, context: Context): DateNode {
  const next = REIGNS[REIGNS.indexOf(first) + 1];
  const year = (value: number) => new Date(Date.UTC(value, 0, 1)).getTime();
  const span = { from: year(first), to: next === undefined ? context.today + DAY : year(next + 1) };
  return dates.date('decade', { span, closed: true });
}

/** または / 及び その前 and similar: the date itself is included. */
const either: Rule[][] = [
  rule('DATE または|及び|および|と その前|それ以前', (date, context) =>
    ranges.openDate(date, 'until', context),
  ),
  rule('DATE または|及び|および|と その後|それ以降', (date, context) =>
    ranges.openDate(date, 'since', context),
  ),
  rule('DATE 以前', (date, context) => ranges.openDate(date, 'until', context)),
];

const repeated: Rule[][] = [
  rule('毎週 の? DATE', (date) =>
    date.weekday === undefined ? null : clock.set(`XXXX-WXX-${date.weekday}`),
  ),
  rule('毎年 の? DATE', () => clock.everyUnit('year')),
  rule('毎月 の? DATE', () => clock.everyUnit('month')),
  rule('毎 DATE', () => clock.everyUnit('week')),
  rule('DUR ごと|ごとに|おき', ({ amounts: [only] }) => (only ? clock.everyUnit(only.unit) : null)),
];

const KATAKANA = /[ァ-ヺー]/;
const HIRAGANA = /^[ぁ-ゖ]+$/;
/** Particles after which a word begins; after any other kana, kana continue the same word. */
const PARTICLE = /[はがもでにをとのや]/;

/** Before these verbs of arriving, 1時間で means 'in an hour'; otherwise it is how long something took. */
const ARRIVES = /^(?:戻|帰|着|到着|出発|届|行|来|でき|始ま|終わり)[^。、！？\n]{0,8}/;

const HAN = /\p{Script=Han}|[ー々]/u;

/** A single character ('夏', '朝') is a word only if no other ideograph is next to it. */
function accepts(text: string, edge: Edge): boolean {
  const { node, start, end } = edge;
  const [before, after] = [text[start - 1] ?? '', text[end] ?? ''];
  const own = text.slice(start, end);
  if (own.length === 1 && (HAN.test(before + after) || KATAKANA.test(after))) return false;
  if (HIRAGANA.test(own) && HIRAGANA.test(before) && !PARTICLE.test(before)) return false;
  if (own.endsWith('内') && HAN.test(before)) return false;
  if (node?.kind === 'DATE' && node.weak) return end - start === 1;
  if (KATAKANA.test(own[0] ?? '') && KATAKANA.test(before)) return false;
  if (KATAKANA.test(own.at(-1) ?? '') && KATAKANA.test(after)) return false;
  if (/[^まと]で$/.test(own)) return isAhead(text.slice(end));
  if (node?.kind === 'DUR') return before !== '第';
  return true;
}

function isAhead(rest: string): boolean {
  const [verb] = ARRIVES.exec(rest) ?? [];
  return verb !== undefined && !/(?:た|だ|ました)(?:$|[。、])/.test(verb);
}

export const japanese: Language = {
  name: 'ja',
  lex: (text) => lexCjk(text, lexicon),
  grammar: grammarOf([
    ...either,
    ...relativeRules({ offsets: OFFSETS, dayParts: DAY_PARTS, vague: VAGUE }),
    ...seasons,
    ...special,
    ...units,
    ...relative,
    ...cjkRules,
    ...repeated,
  ]),
  accepts,
  ahead:
    /ましょう|つもり[だで]す?|予定(?:です|だ(?!っ))|楽しみ|ください|下さい|しよう|行こう|会おう|たい(?:な|です|と)/,
};
