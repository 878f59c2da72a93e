/** The Chinese words of time. */
import { exactTime } from '../clock.ts';
import { weekdayNode } from '../compose.ts';
import { LexiconBuilder } from '../cjk/lexer.ts';
import { SEASONS, lunar, holidaysIn } from '../holidays.ts';
import type { DateNode, PartName, Portion } from '../value.ts';
import type { Unit } from '../calendar.ts';

const builder = new LexiconBuilder();

/** The words before 周, 月, 周五 …, with the offset that they mean. */
const POINTERS: [string[], number][] = [
  [['上上上', '上上上个'], -3],
  [['上上', '上上个'], -2],
  [['上', '上个', '上一', '上一个', '前一个'], -1],
  [['这', '这个', '本', '当', '这一'], 0],
  [['下', '下个', '下一', '下一个'], 1],
  [['下下', '下下个'], 2],
  [['下下下'], 3],
];
const POINTED: [string[], Unit][] = [
  [['周', '星期', '礼拜'], 'week'],
  [['周末', '星期末', '礼拜末'], 'weekend'],
  [['月', '月份'], 'month'],
  [['季度', '季'], 'quarter'],
  [['世纪'], 'century'],
  [['小时', '钟头'], 'hour'],
  [['分钟'], 'minute'],
];

/** Words counted from the current day, week, month or year, which is the fourth group. */
export const OFFSETS = builder.counted(`
day: 大前天 | 前天 前日 | 昨天 昨日 昨儿 | 今天 今日 本日 今儿 今儿个 | 明天 明日 明儿 明儿个 | 后天 后日 | 大后天
year: 大前年 | 前年 | 去年 上一年 昨年 | 今年 本年 这一年 本年度 | 明年 来年 下一年 次年 | 后年 | 大后年
weekend: |  |  | 周末 双休日 周六日
`);
for (const [prefixes, offset] of POINTERS) {
  for (const [units, unit] of POINTED) {
    const words = prefixes.flatMap((prefix) => units.map((word) => prefix + word));
    const name = `${unit}${offset}`;
    builder.deictic(words.join(' '), name);
    OFFSETS.push({ name, unit, offset });
  }
}

/** 上周五 and similar: weekday and weeks from this one, by link name. */
export const WEEKDAYS: { name: string; weekday: number; offset: number }[] = [];
for (const [index, characters] of ['一', '二', '三', '四', '五', '六', '日天'].entries()) {
  const spellings = Array.from(characters).flatMap((day) => [`周${day}`, `星期${day}`, `礼拜${day}`]);
  builder.add(spellings.join(' '), weekdayNode(index + 1));
  if (index < 6) builder.add(`周${index + 1} 星期${index + 1}`, weekdayNode(index + 1));
  for (const [prefixes, offset] of POINTERS) {
    const words = prefixes.flatMap((prefix) => spellings.map((spelling) => prefix + spelling));
    const name = `W${index + 1}${offset}`;
    builder.deictic(words.join(' '), name);
    WEEKDAYS.push({ name, weekday: index + 1, offset });
  }
}
const UNITS: [string, Unit][] = [
  ['秒 秒钟', 'second'],
  ['分钟', 'minute'],
  ['小时 个小时 钟头 个钟头', 'hour'],
  ['天 晚 夜 宿', 'day'],
  ['个工作日 工作日', 'businessday'],
  ['周 个周 星期 个星期 礼拜 个礼拜', 'week'],
  ['个周末', 'weekend'],
  ['个月 个多月', 'month'],
  ['个季度 季度', 'quarter'],
  ['世纪 个世纪', 'century'],
];
for (const [words, unit] of UNITS) builder.add(words, { kind: 'UNIT', unit });
builder.add('半年 半年多', { kind: 'DUR', amounts: [{ count: 6, unit: 'month' }] });
builder.add('半个月', { kind: 'DUR', amounts: [{ count: 15, unit: 'day' }] });
builder.add('半天', { kind: 'DUR', amounts: [{ count: 12, unit: 'hour' }] });
builder.add('半小时 半个小时 半个钟头', { kind: 'DUR', amounts: [{ count: 30, unit: 'minute' }] });
builder.add('几 数', { kind: 'NUM', value: 3, digits: 0, vague: true });
builder.add('十几', { kind: 'NUM', value: 13, digits: 0, vague: true });
builder.add('一两', { kind: 'NUM', value: 1, digits: 0, vague: true });

const PORTIONS: [string, Portion][] = [
  ['初 年初 月初', 'early'],
  ['中 年中 月中', 'mid'],
  ['末 底 尾', 'end'],
  ['上旬', 'first-ten'],
  ['中旬', 'mid-ten'],
  ['下旬', 'last-ten'],
  ['上半年 前半年 上半月 前半月 前半', 'first-half'],
  ['下半年 后半年 下半月 后半月 后半', 'second-half'],
];
for (const [words, portion] of PORTIONS) builder.add(words, { kind: 'POR', portion });

const PARTS: [string, PartName][] = [
  ['凌晨 拂晓 黎明', 'small-hours'],
  ['清晨 清早 大清早 一大早', 'dawn'],
  ['早上 早晨 上午 早间 午前 晨间', 'morning'],
  ['中午 正午 晌午 午间', 'noon'],
  ['白天', 'day'],
  ['下午 午后', 'afternoon'],
  ['傍晚 黄昏 晚上 晚间', 'evening'],
  ['夜里 夜晚 夜间 深夜 半夜 午夜 大半夜', 'night'],
];
for (const [words, part] of PARTS) builder.add(words, { kind: 'PART', part });
for (const [word, part] of [
  ['早', 'morning'],
  ['晨', 'morning'],
  ['晚', 'evening'],
  ['夜', 'night'],
] as const) {
  builder.add(word, { kind: 'PART', part, weak: true });
}
builder.add('零点 午夜十二点', exactTime(0));

builder.eras(
  '贞观 627 神龙 705 开元 713 洪武 1368 永乐 1403 嘉靖 1522 万历 1573 崇祯 1628 顺治 1644 康熙 1662 雍正 1723 乾隆 1736 嘉庆 1796 道光 1821 咸丰 1851 同治 1862 光绪 1875 宣统 1909 民国 1912',
);

builder
  .add('春天 春季', SEASONS.spring)
  .add('夏天 夏季', SEASONS.summer)
  .add('秋天 秋季', SEASONS.autumn)
  .add('冬天 冬季', SEASONS.winter);

for (const { names, date } of holidaysIn('zh')) builder.add(names.join(' '), date);

const LUNAR_DAYS = Array.from('一二三四五六七八九十');
LUNAR_DAYS.forEach((day, index) => builder.add(`初${day}`, lunarDay(index + 1)));

/** A day of a traditional month; the month is added later. */
function lunarDay(day: number): DateNode {
  return { kind: 'DATE', grain: 'day', day, timex: `L${day}` };
}
LUNAR_DAYS.forEach((day, index) => builder.add(`大年初${day} 正月初${day}`, lunar(1, index + 1)));
builder.add('正月', lunarMonth(1)).add('冬月', lunarMonth(11)).add('腊月', lunarMonth(12));

/** A traditional month, represented by its first day until its day is known. */
function lunarMonth(month: number): DateNode {
  const first = lunar(month, 1).yearly;
  const last = lunar(month, 30).yearly;
  const span = (year: number) => {
    const [from, to] = [first?.span(year)?.from ?? null, last?.span(year)?.from ?? null];
    return from === null || to === null ? null : { from, to };
  };
  return { kind: 'DATE', grain: 'month', yearly: { code: `-L${month}`, span } };
}

builder.add('第一个 第1个 第一 第1 头一个', { kind: 'ORD', value: 1 });
builder.add('最后一个 最后', { kind: 'ORD', value: -1 });
for (const [index, character] of Array.from('二三四五六七八九').entries()) {
  builder.add(`第${character}个 第${character} 第${index + 2}个 第${index + 2}`, {
    kind: 'ORD',
    value: index + 2,
  });
}
for (const value of [10, 11, 12]) builder.add(`第${value}个`, { kind: 'ORD', value });

/** Vague words, with the days that they may cover before and after today. */
export const VAGUE: Record<string, { before: number; after: number; words: string }> = {
  最近: { before: 30, after: 0, words: '最近 近来 近期 近日 这几天 这阵子 这段时间 这些天 这两天' },
  前段时间: {
    before: 90,
    after: -7,
    words: '前段时间 前阵子 前一阵子 前些天 前些日子 前几天 前两天 前不久 不久前 前一段时间 前些时候',
  },
  刚才: { before: 0, after: 0, words: '刚才 刚刚' },
  以前: { before: 1100, after: -30, words: '以前 从前 曾经' },
  过几天: { before: -1, after: 14, words: '过几天 过两天 改天 过些天' },
  很久以前: { before: 7300, after: -365, words: '很久以前 好久以前 小时候' },
};
for (const [name, { words }] of Object.entries(VAGUE)) builder.deictic(words, name);

/** Single words for a part of a neighbouring day. */
export const DAY_PARTS: Record<string, { offset: number; part: PartName; words: string }> = {
  今晨: { offset: 0, part: 'morning', words: '今晨 今早' },
  今晚: { offset: 0, part: 'evening', words: '今晚 今夜' },
  昨晚: { offset: -1, part: 'evening', words: '昨晚 昨夜' },
  明早: { offset: 1, part: 'morning', words: '明早 明晨' },
  明晚: { offset: 1, part: 'evening', words: '明晚' },
  前晚: { offset: -2, part: 'evening', words: '前晚' },
};
for (const [name, { words }] of Object.entries(DAY_PARTS)) builder.deictic(words, name);

builder
  .deictic('现在 此刻 目前 当前', '现在')
  .deictic('马上', '马上')
  .deictic('月底 月末', '月底')
  .deictic('年底 年末 岁末 年尾', '年底');
builder.deictic('年初', '年初').deictic('月初', '月初').deictic('年中', '年中').deictic('月中', '月中');
builder
  .deictic('上半年 前半年', '上半年')
  .deictic('下半年 后半年', '下半年')
  .deictic('上半月', '上半月')
  .deictic('下半月', '下半月');
builder.deictic('上个半年', '上个半年').deictic('下个半年', '下个半年');
builder.links('每');
const REPEATED: [string, string][] = [
  ['每天 每日', 'P1D'],
  ['每周 每个星期 每星期 每礼拜', 'P1W'],
  ['每月 每个月', 'P1M'],
  ['每年', 'P1Y'],
];
for (const [words, timex] of REPEATED) builder.add(words, { kind: 'SET', timex, grain: 'day' });
builder.links(
  '个 年 月 月份 日 号 时 点 分 秒 刻 半 的 在 从 自 由 到 至 和 与 于 , 、 ( ) ~ - / = 前 后 以前 以后 之前 之后 以来 起 开始 之内 以内 内 间 之间 期间 为止 止 截止 截至 截止到 直到 年代 世纪 元 元年 钟 整 过 左右 前后 am pm 或 及 或者 农历 阴历 旧历 公历 又 零 加 过去 未来 接下来 今后 往后 近 最近 这 那 之 第 还剩 还有 再过 t 一 的时候 多 来 期间 假期 这个时候 这时候 此时',
);

/** Words that begin like an expression of time. */
const BLOCKS =
  /(?:十分(?!钟|之)|晚会|晚饭|晚餐|早餐|早饭|早点|夜宵|早市|早教|晚报|早报|早操|晨跑|晨练|夜市|夜班|早班|晚班|夜景|夜校|早已|早就|晚年|晚期|早期|经过|通过|度过|超过|不过|难过|路过|早上好|晚上好|下午好|中午好|今日头条|明日之后|最大年|大年龄|一点点|一点儿|一点也|一点都|有一点|早点|晚点|天天向上|日本|月亮|后天性|前天性|星期天堂|分析|时代|年轻|半天津|第一时间|一时|同时|当时|以前后)/y;

export const lexicon = builder.build({ dayFirst: false, shortYearFirst: true }, BLOCKS);

/** Traditional forms of the characters above, to simplified ones. */
export const SIMPLIFIED = new Map(
  Array.from(
    '週周 禮礼 個个 後后 時时 點点 鐘钟 鍾钟 號号 幾几 兩两 農农 曆历 節节 過过 開开 間间 從从 這这 內内 剛刚 來来 歲岁 國国 慶庆 陽阳 紀纪 裡里 裏里 終终 聖圣 誕诞 勞劳 動动 婦妇 兒儿 萬万 龍龙 遠远 陣阵 與与 於于 長长 假假 寒寒 當当 現现 馬马 餘余 內内 還还 繼继 為为 頭头 舊旧 陰阴 臘腊 親亲 師师 樹树 誰谁 黃黄 還还 曉晓 無无 將将 陸陆 壹一 貳二 會会'.split(
      ' ',
    ),
    (pair) => [pair[0] ?? '', pair[1] ?? ''],
  ),
);
