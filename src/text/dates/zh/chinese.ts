/** Chinese, in simplified and traditional characters. */
import { unitAround } from '../calendar.ts';
import { grammarOf, rule } from '../chart.ts';
import type { Edge, Rule } from '../chart.ts';
import * as clock from '../clock.ts';
import * as dates from '../compose.ts';
import { cjkRules, durationOf, eraYear, lunarOf, relativeRules } from '../cjk/rules.ts';
import { lexCjk } from '../cjk/lexer.ts';
import type { Language } from '../language.ts';
import * as ranges from '../ranges.ts';
import { PARTS } from '../value.ts';
import type { Context, DateNode, Node } from '../value.ts';
import { DAY_PARTS, OFFSETS, SIMPLIFIED, VAGUE, WEEKDAYS, lexicon } from './words.ts';

const weekdays = WEEKDAYS.map(({ name, weekday, offset }) =>
  rule(name, (context) => dates.weekdayOfRelativeWeek(weekday, offset, context)),
);

const thisUnit = (unit: 'month' | 'year', context: Context): DateNode => dates.relativeUnit(unit, 0, context);

const DECEMBER: DateNode = dates.date('month', { month: 12, vague: true });

const special: Rule[][] = [
  rule('现在', (context) => ranges.present(context)),
  rule('马上', (context) => ({ ...ranges.present(context), timex: 'FUTURE_REF' })),
  rule('月底', (context) => dates.withPortion(thisUnit('month', context), 'late')),
  rule('月初', (context) => dates.withPortion(thisUnit('month', context), 'early')),
  rule('月中', (context) => dates.withPortion(thisUnit('month', context), 'mid')),
  rule('年底', () => DECEMBER),
  rule('DATE 的? 年底', (date, context) => dates.merge(date, DECEMBER, context)),
  rule('DATE 的? 这个时候|这时候|此时', (date, context) => dates.sameTimeIn(date, context)),
  rule('DATE NUM', (month, { value, digits }, context) =>
    month.yearly?.code.startsWith('-L') && digits === 0
      ? traditional(month, dates.date('day', { day: value }), context)
      : null,
  ),
  rule('农历|阴历|旧历 DATE NUM', (month, { value }, context) => lunarDay(month, value, context)),
  rule('年初', (context) => dates.withPortion(thisUnit('year', context), 'early')),
  rule('年中', (context) => dates.withPortion(thisUnit('year', context), 'mid')),
  rule('上半年', (context) => dates.withPortion(thisUnit('year', context), 'first-half')),
  rule('下半年', (context) => dates.withPortion(thisUnit('year', context), 'second-half')),
  rule('上半月', (context) => dates.withPortion(thisUnit('month', context), 'first-half')),
  rule('下半月', (context) => dates.withPortion(thisUnit('month', context), 'second-half')),
  rule('上个半年', (context) => halfYear(-1, context)),
  rule('下个半年', (context) => halfYear(1, context)),
  rule('NUM 月份', ({ value }) => dates.monthNode(value)),
  rule('ERA 元年', (era) => eraYear(era, 1)),
  rule('农历|阴历|旧历 的? DATE', (date, context) => lunarOf(withoutMark(date), context)),
  rule('DATE 农历|阴历|旧历 的? DATE', (year, date, context) => {
    const day = lunarOf(withoutMark(date), context);
    return day && dates.merge(year, day, context);
  }),
  rule('DATE DATE', (month, day, context) => traditional(month, day, context)),
];

function lunarDay(month: DateNode, day: number, context: Context): DateNode | null {
  return month.month === undefined || month.day !== undefined
    ? null
    : lunarOf({ ...month, grain: 'day', day }, context);
}

function halfYear(offset: number, context: Context): DateNode {
  return dates.date('halfyear', { span: unitAround(context.today, 'halfyear', offset) });
}

const withoutMark = ({ timex: _timex, ...date }: DateNode): DateNode => date;

/** 初一 and 腊月 belong to the traditional calendar even if it is not named. */
function traditional(month: DateNode, day: DateNode, context: Context): DateNode | null {
  const monthNumber = month.month ?? Number(/^-L(\d+)$/.exec(month.yearly?.code ?? '')?.[1] ?? Number.NaN);
  const isTraditional = day.timex?.startsWith('L') === true || month.yearly?.code.startsWith('-L') === true;
  if (!isTraditional || Number.isNaN(monthNumber) || day.day === undefined || day.month !== undefined)
    return null;
  const { year } = month;
  return lunarOf(
    dates.date('day', { month: monthNumber, day: day.day, ...(year === undefined ? {} : { year }) }),
    context,
  );
}

const PAST = '过去|近|最近' as const;
const COMING = '未来|接下来|今后|往后|还剩|还有|再过' as const;

const counted: Rule[][] = [
  rule(`${PAST} 的? DUR`, (length, context) => dates.stretch(length, -1, context)),
  rule(`${COMING} 的? DUR`, (length, context) => dates.stretch(length, 1, context)),
  rule('前|之前 DUR', (length, context) => dates.stretch(length, -1, context)),
  rule('后|之后 DUR', (length, context) => dates.stretch(length, 1, context)),
  rule('DUR 来', (length, context) => dates.stretch(length, -1, context)),
  rule('DUR 以来', (length, context) => dates.stretch(length, -1, context)),
  rule('NUM 个 半 UNIT', (number, { unit }) => durationOf({ ...number, value: number.value + 0.5 }, unit)),
  rule('NUM 个 DUR', (number, { amounts: [half] }) =>
    half?.count === 15 && half.unit === 'day'
      ? durationOf({ ...number, value: number.value + 0.5 }, 'month')
      : null,
  ),
  rule('NUM 多 UNIT', (number, { unit }) => durationOf({ ...number, vague: true }, unit)),
  rule('NUM 多 年', (number) => durationOf({ ...number, vague: true }, 'year')),
  rule('NUM 时', (number) => durationOf(number, 'hour')),
];

const bounded: Rule[][] = [
  rule('从|自|由 DATE', (date, context) => (date.closed ? date : openSince(date, context))),
  rule('从|自|由 WHEN', (when) => (when.point ? null : when)),
  rule('从|自|由|在 TIMES', (range) => range),
  rule('截止|截至|截止到|直到 到? DATE', (date, context) => ranges.openDate(date, 'until', context)),
  rule('DATE 或|及|或者 之前|以前', (date, context) => ranges.openDate(date, 'until', context)),
  rule('DATE 或|及|或者 之后|以后', (date, context) => ranges.openDate(date, 'since', context)),
  rule('= DATE', (date) => date),
  rule('= NUM', ({ value, digits }) => (digits === 4 ? dates.yearNode(value) : null)),
];

/** 从 alone leaves the end open only if no other word closes it. */
function openSince(date: DateNode, context: Context): Node | null {
  return ranges.openDate(date, 'since', context);
}

const repeated: Rule[][] = [
  rule('每 DATE', (date) =>
    date.weekday === undefined ? clock.everyUnit('year') : clock.set(`XXXX-WXX-${date.weekday}`),
  ),
  rule('每 DUR', ({ amounts: [only] }) => (only ? clock.everyUnit(only.unit) : null)),
  rule('每 PART', ({ part }) => clock.set(PARTS[part].code)),
  rule('每 UNIT', ({ unit }) => clock.everyUnit(unit)),
];

const HAN = /\p{Script=Han}/u;

/** 两点 'two points', 早 'early' and similar are expressions only if no other word of a sentence is next to them. */
function accepts(text: string, edge: Edge): boolean {
  const { node, start, end } = edge;
  if (node?.kind === 'DATE' && node.timex?.startsWith('L')) return false;
  if (node?.kind === 'DUR') return text[start - 1] !== '第';
  // 出院后两天, 随后几天内: counted from an event in the text, not from now.
  if (/^(?:之?[前后].|.*内$)/.test(text.slice(start, end)) && HAN.test(text[start - 1] ?? '')) return false;
  if (node?.kind === 'DATE' && isBareDay(text, edge)) return false;
  if (!node || !('weak' in node) || !node.weak) return true;
  if (node.kind === 'PART') return false;
  const [before, after] = [text[start - 1] ?? ' ', text[end] ?? ' '];
  return /[\s，,。在到从约]/.test(before) && /[\s，,。!?！？的钟就才吧了去来开]/.test(after);
}

/** Characters after which a number with 号 is not a day: 12号楼, 3号线. */
const NUMBERED = /^(?:$|[楼线店院馆门房机桌座球员车站厅位选文码召角铺库井坑馆舱])/;

/** 12号 can be a shirt or a bus. */
function isBareDay(text: string, { start, end, node }: Edge): boolean {
  if (node?.kind !== 'DATE' || node.month !== undefined || node.day === undefined || text[end - 1] !== '号')
    return false;
  return NUMBERED.test(text.slice(end)) && !/[在到从于]/.test(text[start - 1] ?? '');
}

const TRADITIONAL = new RegExp(`[${[...SIMPLIFIED.keys()].join('')}]`, 'g');

/** Traditional to simplified, character for character. */
const simplify = (text: string): string =>
  text.replaceAll(TRADITIONAL, (character) => SIMPLIFIED.get(character) ?? character);

export const chinese: Language = {
  name: 'zh',
  lex: (text) => lexCjk(simplify(text), lexicon),
  grammar: grammarOf([
    ...special,
    ...counted,
    ...weekdays,
    ...relativeRules({ offsets: OFFSETS, dayParts: DAY_PARTS, vague: VAGUE }),
    ...cjkRules,
    ...bounded,
    ...repeated,
  ]),
  accepts,
  ahead: /将[要在会于]|会[在去来有要]|要去|打算|准备|计划|想去|期待/,
};
