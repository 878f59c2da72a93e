/** The Japanese words of time. */
import { exactTime } from '../clock.ts';
import { weekdayNode } from '../compose.ts';
import { LexiconBuilder } from '../cjk/lexer.ts';
import { SEASONS, holidaysIn } from '../holidays.ts';
import type { DateNode, PartName, Portion } from '../value.ts';
import type { Unit } from '../calendar.ts';

const builder = new LexiconBuilder();

for (const [index, character] of Array.from('月火水木金土日').entries()) {
  builder.add(`${character}曜日 ${character}曜`, weekdayNode(index + 1));
}

const UNITS: [string, Unit][] = [
  ['秒間 秒', 'second'],
  ['分間', 'minute'],
  ['時間', 'hour'],
  ['日間 泊', 'day'],
  ['営業日', 'businessday'],
  ['週間 週', 'week'],
  ['か月 ヶ月 カ月 ヵ月 ケ月 箇月 か月間 ヶ月間 カ月間 ヵ月間 ケ月間', 'month'],
  ['四半期', 'quarter'],
  ['半年間', 'halfyear'],
  ['年間', 'year'],
  ['世紀', 'century'],
];
for (const [words, unit] of UNITS) builder.add(words, { kind: 'UNIT', unit });
builder.add('半年 半年間', { kind: 'DUR', amounts: [{ count: 6, unit: 'month' }] });
builder.add('半日', { kind: 'DUR', amounts: [{ count: 12, unit: 'hour' }] });
builder.add('半月', { kind: 'DUR', amounts: [{ count: 15, unit: 'day' }] });
builder.add('ひと月', { kind: 'DUR', amounts: [{ count: 1, unit: 'month' }] });
builder.add('ふた月', { kind: 'DUR', amounts: [{ count: 2, unit: 'month' }] });
builder.add('丸一日', { kind: 'DUR', amounts: [{ count: 1, unit: 'day' }] });
builder.add('数 何', { kind: 'NUM', value: 3, digits: 0, vague: true });
builder.add('十数', { kind: 'NUM', value: 13, digits: 0, vague: true });
for (const [word, count] of Object.entries({
  ふつか: 2,
  みっか: 3,
  よっか: 4,
  むいか: 6,
  ここのか: 9,
  とおか: 10,
})) {
  builder.add(word, { kind: 'DUR', amounts: [{ count, unit: 'day' }] });
}

const PORTIONS: [string, Portion][] = [
  ['初め はじめ 始め 初旬 初頭 あたま 頭 初', 'early'],
  ['半ば なかば 中頃 中ごろ 中盤', 'mid'],
  ['終わり 終わりごろ 終盤 後半ごろ', 'late'],
  ['末 暮れ', 'end'],
  ['上旬', 'first-ten'],
  ['中旬', 'mid-ten'],
  ['下旬', 'last-ten'],
  ['前半 上半期 上期', 'first-half'],
  ['後半 下半期 下期', 'second-half'],
];
for (const [words, portion] of PORTIONS) builder.add(words, { kind: 'POR', portion });

const PARTS: [string, PartName][] = [
  ['早朝 明け方 夜明け前 夜明け', 'dawn'],
  ['未明', 'small-hours'],
  ['午前中 午前 朝方 あさ', 'morning'],
  ['昼間 日中', 'day'],
  ['昼前 お昼 昼時 お昼時 お昼過ぎ', 'noon'],
  ['午後 昼過ぎ 昼下がり', 'afternoon'],
  ['夕方 夕刻 夕べ 晩方', 'evening'],
  ['夜中 真夜中 深夜 夜遅く 夜間', 'night'],
];
for (const [words, part] of PARTS) builder.add(words, { kind: 'PART', part });
for (const [word, part] of [
  ['朝', 'morning'],
  ['昼', 'noon'],
  ['晩', 'evening'],
  ['夜', 'night'],
  ['夕', 'evening'],
] as const) {
  builder.add(word, { kind: 'PART', part, weak: true });
}
builder.add('正午', exactTime(12));

builder.eras('明治 1868 大正 1912 昭和 1926 平成 1989 令和 2019');

const weak = (node: DateNode): DateNode => ({ ...node, weak: true });
builder
  .add('春', weak(SEASONS.spring))
  .add('夏', weak(SEASONS.summer))
  .add('秋', weak(SEASONS.autumn))
  .add('冬', weak(SEASONS.winter));
builder.add('春先', SEASONS.spring).add('真夏 夏場', SEASONS.summer).add('真冬 冬場', SEASONS.winter);

for (const { names, date } of holidaysIn('ja')) builder.add(names.join(' '), date);

builder.add('前の', { kind: 'REL', offset: -1 });
builder.add('去る 前回の', { kind: 'REL', offset: -1, nearest: true });
builder.add('次の', { kind: 'REL', offset: 1 });
builder.add('今度の', { kind: 'REL', offset: 1, nearest: true });
builder.add('この', { kind: 'REL', offset: 0 });
builder.add('最初の 第一 第1 最初', { kind: 'ORD', value: 1 });
builder.add('最後の 最終', { kind: 'ORD', value: -1 });
for (const [index, character] of Array.from('二三四五').entries()) {
  builder.add(`第${character} 第${index + 2}`, { kind: 'ORD', value: index + 2 });
}

/** Words counted from the current day, week, month or year, which is the fourth group. */
export const OFFSETS = builder.counted(`
day: 一昨昨日 一昨々日 さきおととい | 一昨日 おととい おとつい 前々日 | 昨日 きのう 前日 | 今日 きょう 本日 | 明日 あした 翌日 | 明後日 あさって 翌々日 | 明々後日 明明後日 しあさって
week: | 先々週 先先週 | 先週 せんしゅう 前週 | 今週 こんしゅう | 来週 らいしゅう 翌週 | 再来週 さらいしゅう
weekend: | 先々週末 | 先週末 前の週末 | 週末 今週末 土日 | 来週末
month: | 先々月 先先月 | 先月 前月 せんげつ | 今月 当月 | 来月 翌月 らいげつ | 再来月
year: 一昨昨年 さきおととし | 一昨年 おととし | 去年 昨年 前年 きょねん | 今年 ことし 本年 | 来年 翌年 らいねん | 再来年
quarter: |  | 前四半期 | 今四半期 | 来四半期
`);

/** Single words for a part of a neighbouring day. */
export const DAY_PARTS: Record<string, { offset: number; part: PartName; words: string }> = {
  今朝: { offset: 0, part: 'morning', words: '今朝' },
  今晩: { offset: 0, part: 'evening', words: '今晩 こんばん' },
  今夜: { offset: 0, part: 'night', words: '今夜' },
  今夕: { offset: 0, part: 'evening', words: '今夕' },
  昨夜: { offset: -1, part: 'night', words: '昨夜 ゆうべ 前夜' },
  昨晩: { offset: -1, part: 'evening', words: '昨晩' },
  明朝: { offset: 1, part: 'morning', words: '明朝 翌朝' },
  明晩: { offset: 1, part: 'evening', words: '明晩' },
  一昨晩: { offset: -2, part: 'evening', words: '一昨晩 一昨夜' },
};
for (const [name, { words }] of Object.entries(DAY_PARTS)) builder.deictic(words, name);

/** Vague words, with the days that they may cover before and after today. */
export const VAGUE: Record<string, { before: number; after: number; words: string }> = {
  最近: { before: 30, after: 0, words: '最近 近頃 この頃 このごろ このところ ここのところ 近ごろ さいきん' },
  この前: {
    before: 30,
    after: -1,
    words: 'この前 この間 このあいだ こないだ このまえ 先日 せんじつ 先だって',
  },
  さっき: { before: 0, after: 0, words: 'さっき 先ほど 先程 さきほど ついさっき' },
  以前: { before: 1100, after: -30, words: '以前 いぜん かつて' },
  昔: { before: 18250, after: -365, words: '昔 むかし 大昔' },
  近いうち: { before: -1, after: 30, words: '近いうち 近々 近日中 そのうち もうすぐ 間もなく まもなく' },
};
for (const [name, { words }] of Object.entries(VAGUE)) builder.deictic(words, name);

builder.deictic('今 現在 只今 たった今 今現在', '今');
builder
  .deictic('月末', '月末')
  .deictic('月初 月初め 月はじめ', '月初')
  .deictic('年末 年の瀬 年の暮れ', '年末')
  .deictic('年始 年初 年明け 年頭', '年始');
/** Single words for a season of a neighbouring year: 昨春, 今夏, 来秋. */
export const SEASON_WORDS = ['昨', '今', '来'].flatMap((year, index) =>
  (
    [
      ['春', SEASONS.spring],
      ['夏', SEASONS.summer],
      ['秋', SEASONS.autumn],
      ['冬', SEASONS.winter],
    ] as const
  ).map(([name, season]) => ({ name: year + name, offset: index - 1, season })),
);
for (const { name } of SEASON_WORDS) builder.deictic(name, name);

builder.deictic('週明け', '週明け').deictic('週の半ば 週半ば', '週半ば');
builder.deictic('一日の終わり', '一日の終わり').deictic('年初来', '年初来');
builder.links('毎週 毎月 毎年 毎');
const REPEATED: [string, string][] = [
  ['毎日', 'P1D'],
  ['毎週', 'P1W'],
  ['毎月', 'P1M'],
  ['毎年', 'P1Y'],
  ['毎朝', 'TMO'],
  ['毎晩', 'TEV'],
];
for (const [word, timex] of REPEATED) builder.add(word, { kind: 'SET', timex, grain: 'day' });
builder.links(
  '年 月 日 時 分 秒 半 の から まで と に は 前 後 以前 以後 以降 以内 内 間 の間 までの間 にかけて 年代 世紀 元 , 、 ( ) ~ - / 週 頃 ごろ ころ am pm 来 ちょうど 過去 今後 向こう これから ここ おき ごと ごとに 以上 以下 または 及び および それ以降 それ以前 その前 その後 中 のうち より t 、 早く 早い時間 遅い時間 あとで 旧暦 末 が 未満 ほど くらい ぐらい 年度 度 今頃 今ごろ あと で 第 第何',
);

/** Names and other words that begin like an expression of time. */
const BLOCKS =
  /(?:明日香|今日子|朝日(?=新聞|放送|町|市|区|山|川)|毎日新聞|日本|月曜会|春日|夏目|秋田|秋葉|冬美|夜行|夜勤|三日月|三日坊主|朝食|昼食|夕食|夕飯|朝ごはん|昼ごはん|晩ごはん|朝ドラ|昼寝|夜空|昔話|今更|今回|今時|今井|今村|今川|一日中|前日比|前年比|前月比)/y;

export const lexicon = builder.build({ dayFirst: false, shortYearFirst: true }, BLOCKS);
