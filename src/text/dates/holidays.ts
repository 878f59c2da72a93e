/** Days and seasons of the year that have names. */
import { DAY, dateAt, easter, lunarDate, nthWeekday, pad } from './calendar.ts';
import type { DateNode, Span } from './value.ts';

const oneDay = (from: number): Span => ({ from, to: from + DAY });

/** A date that is the same every year, lasting `days` days. */
function fixed(month: number, day: number, days = 1): DateNode {
  const span = (year: number): Span => ({
    from: dateAt(year, month, day),
    to: dateAt(year, month, day + days),
  });
  const grain = days === 1 ? 'day' : days < 12 ? 'week' : 'season';
  return { kind: 'DATE', grain, yearly: { code: `-${pad(month)}-${pad(day)}`, span } };
}

/** The n-th weekday of a month (a negative n counts from the end), moved by `offset` days. */
function nth(n: number, weekday: number, month: number, offset = 0): DateNode {
  const span = (year: number): Span | null => {
    const day = nthWeekday(dateAt(year, month), dateAt(year, month + 1), weekday, n);
    return day === null ? null : oneDay(day + offset * DAY);
  };
  return { kind: 'DATE', grain: 'day', yearly: { code: `-${pad(month)}-WXX-${weekday}-${n}`, span } };
}

const aroundEaster = (offset: number): DateNode => ({
  kind: 'DATE',
  grain: 'day',
  yearly: { code: `-EASTER${offset || ''}`, span: (year) => oneDay(easter(year) + offset * DAY) },
});

/** A day of the traditional Chinese calendar, moved by `offset` days, in the Gregorian year in which it falls. */
export function lunar(month: number, day: number, offset = 0): DateNode {
  const span = (year: number): Span | null => {
    const start = lunarDate(year, month, day);
    return start === null ? null : oneDay(start + offset * DAY);
  };
  return { kind: 'DATE', grain: 'day', yearly: { code: `-L${pad(month)}-${pad(day)}${offset || ''}`, span } };
}

/** Days given by the sun's position (equinoxes, solar terms), for 1980–2099, by the usual linear approximation. */
function solar(month: number, dayIn1980: number): DateNode {
  const span = (year: number): Span => {
    const past = year - 1980;
    const day = Math.floor(dayIn1980 + 0.242194 * past - Math.floor(past / 4));
    return oneDay(dateAt(year, month, day));
  };
  return { kind: 'DATE', grain: 'day', yearly: { code: `-${pad(month)}-SOLAR`, span } };
}

/** A month and day of the Islamic calendar, by the civil calendar of Umm al-Qura. */
function islamic(month: number, day: number): DateNode {
  return {
    kind: 'DATE',
    grain: 'day',
    yearly: { code: `-I${pad(month)}-${pad(day)}`, span: (year) => islamicDay(year, month, day) },
  };
}

const islamicDays = new Map<string, Span | null>();

function islamicDay(year: number, month: number, day: number): Span | null {
  const key = `${year}-${month}-${day}`;
  const known = islamicDays.get(key);
  if (known !== undefined || islamicDays.has(key)) return known ?? null;
  const format = new Intl.DateTimeFormat('en-u-ca-islamic-umalqura', {
    month: 'numeric',
    day: 'numeric',
    timeZone: 'UTC',
  });
  let found: Span | null = null;
  for (let at = dateAt(year); at < dateAt(year + 1) && !found; at += DAY) {
    if (format.format(at + DAY / 2).startsWith(`${month}/${day}`)) found = oneDay(at);
  }
  if (islamicDays.size > 200) islamicDays.clear();
  islamicDays.set(key, found);
  return found;
}

function season(code: string, month: number): DateNode {
  const span = (year: number): Span => ({ from: dateAt(year, month), to: dateAt(year, month + 3) });
  return { kind: 'DATE', grain: 'season', yearly: { code, span } };
}

/** Meteorological seasons of the northern hemisphere; a winter belongs to the year in which it begins. */
export const SEASONS = {
  spring: season('SP', 3),
  summer: season('SU', 6),
  autumn: season('FA', 9),
  winter: season('WI', 12),
};

/** Widens a day to the days on which people celebrate it: days before, and after its end. */
function kept(node: DateNode, before: number, after: number): DateNode {
  return { ...node, slack: [before * DAY, after * DAY] };
}

/** Days and holidays with their names; names of several words are separated by `/` in English, by spaces in others. */
const HOLIDAYS: readonly [date: DateNode, names: Partial<Record<'en' | 'ja' | 'zh', string>>][] = [
  [
    kept(fixed(1, 1), 1, 2),
    {
      en: "new year/new years/new year's/new year's day/new years day/new year day",
      ja: '元日 元旦',
      zh: '元旦 新年',
    },
  ],
  [fixed(1, 1, 3), { ja: 'お正月 正月 三が日 三箇日 新年' }],
  [nth(3, 1, 1), { en: 'martin luther king day/mlk day/martin luther king jr day' }],
  [nth(2, 1, 1), { ja: '成人の日' }],
  [fixed(1, 15, 36), { zh: '寒假' }],
  [fixed(2, 2), { en: 'groundhog day' }],
  [fixed(2, 3), { ja: '節分' }],
  [fixed(2, 11), { ja: '建国記念の日 建国記念日' }],
  [
    fixed(2, 14),
    {
      en: "valentine's day/valentines day/valentine's/valentine day",
      ja: 'バレンタインデー バレンタイン',
      zh: '情人节',
    },
  ],
  [nth(3, 1, 2), { en: "presidents' day/presidents day/president's day" }],
  [fixed(2, 23), { ja: '天皇誕生日' }],
  [fixed(3, 3), { ja: 'ひな祭り 雛祭り' }],
  [fixed(3, 8), { en: "women's day/international women's day/womens day", zh: '妇女节 三八节' }],
  [fixed(3, 12), { zh: '植树节' }],
  [fixed(3, 14), { ja: 'ホワイトデー' }],
  [
    fixed(3, 17),
    {
      en: "saint patrick/st patrick/st patrick's day/st . patrick's day/saint patrick's day/st patricks day",
    },
  ],
  [fixed(3, 18, 7), { ja: 'お彼岸' }],
  [fixed(3, 20, 19), { ja: '春休み' }],
  [solar(3, 20.8431), { ja: '春分の日 春分' }],
  [aroundEaster(-47), { en: 'mardi gras/shrove tuesday' }],
  [aroundEaster(-46), { en: 'ash wednesday' }],
  [aroundEaster(-7), { en: 'palm sunday' }],
  [aroundEaster(-3), { en: 'maundy thursday' }],
  [aroundEaster(-2), { en: 'good friday' }],
  [
    kept(aroundEaster(0), 2, 1),
    { en: 'easter/easter sunday/easter day', ja: 'イースター 復活祭', zh: '复活节' },
  ],
  [aroundEaster(1), { en: 'easter monday' }],
  [
    fixed(4, 1),
    {
      en: "april fools/april fools' day/april fool's day/april fools day",
      ja: 'エイプリルフール',
      zh: '愚人节',
    },
  ],
  [kept(solar(4, 4.8), 1, 2), { zh: '清明节 清明' }],
  [aroundEaster(49), { en: 'pentecost/whitsun' }],
  [fixed(4, 22), { en: 'earth day' }],
  [fixed(4, 29), { ja: '昭和の日' }],
  [fixed(4, 29, 8), { ja: 'ゴールデンウィーク ゴールデンウイーク gw' }],
  [fixed(5, 1), { en: "may day/workers' day/international workers' day/international workers day" }],
  [kept(fixed(5, 1), 0, 4), { zh: '劳动节 五一 五一节' }],
  [fixed(5, 3), { ja: '憲法記念日' }],
  [fixed(5, 4), { ja: 'みどりの日', zh: '青年节' }],
  [fixed(5, 5), { en: 'cinco de mayo', ja: 'こどもの日 子供の日 子どもの日 端午の節句' }],
  [nth(2, 7, 5), { en: "mother's day/mothers' day/mothers day", ja: '母の日', zh: '母亲节' }],
  [nth(-1, 1, 5), { en: 'memorial day' }],
  [fixed(6, 1), { en: "children's day/childrens day", zh: '儿童节 六一' }],
  [nth(3, 7, 6), { en: "father's day/fathers' day/fathers day", ja: '父の日', zh: '父亲节' }],
  [fixed(6, 19), { en: 'juneteenth' }],
  [solar(6, 21.851), { ja: '夏至' }],
  [fixed(7, 1), { zh: '建党节' }],
  [fixed(7, 4), { en: 'independence day/the fourth of july', ja: '独立記念日', zh: '独立日' }],
  [fixed(7, 5, 58), { zh: '暑假' }],
  [fixed(7, 7), { ja: '七夕' }],
  [fixed(7, 14), { en: 'bastille day' }],
  [nth(3, 1, 7), { ja: '海の日' }],
  [fixed(7, 20, 43), { ja: '夏休み' }],
  [fixed(8, 1), { zh: '建军节' }],
  [fixed(8, 11), { ja: '山の日' }],
  [fixed(8, 13, 4), { ja: 'お盆 お盆休み 盆休み' }],
  [fixed(9, 10), { zh: '教师节' }],
  [nth(1, 1, 9), { en: 'labor day/labour day' }],
  [nth(3, 1, 9), { ja: '敬老の日' }],
  [solar(9, 23.2488), { ja: '秋分の日 秋分' }],
  [kept(fixed(10, 1), 0, 6), { zh: '国庆节 国庆' }],
  [fixed(10, 1, 7), { zh: '十一黄金周 国庆黄金周 国庆长假 国庆假期 十一长假 十一假期' }],
  [fixed(10, 5), { en: "teachers' day/teacher's day/teachers day" }],
  [nth(2, 1, 10), { en: "columbus day/indigenous peoples' day", ja: '体育の日 スポーツの日' }],
  [fixed(10, 31), { en: 'halloween/all hallows eve', ja: 'ハロウィン ハロウィーン', zh: '万圣节' }],
  [fixed(11, 3), { ja: '文化の日' }],
  [fixed(11, 5), { en: 'guy fawkes night/guy fawkes day/bonfire night' }],
  [fixed(11, 11), { en: "veterans day/veteran's day/remembrance day/armistice day", zh: '光棍节 双十一' }],
  [kept(nth(4, 4, 11), 1, 3), { en: 'thanksgiving/thanksgiving day', ja: '感謝祭', zh: '感恩节' }],
  [nth(4, 4, 11, 1), { en: 'black friday' }],
  [nth(4, 4, 11, 4), { en: 'cyber monday' }],
  [fixed(11, 15), { ja: '七五三' }],
  [fixed(11, 23), { ja: '勤労感謝の日' }],
  [solar(12, 22.242), { ja: '冬至', zh: '冬至' }],
  [fixed(12, 23, 17), { ja: '冬休み' }],
  [
    fixed(12, 24),
    { en: 'christmas eve/xmas eve', ja: 'クリスマスイブ クリスマス・イブ イブ', zh: '平安夜 圣诞夜' },
  ],
  [
    kept(fixed(12, 25), 1, 1),
    { en: 'christmas/christmas day/xmas/x-mas', ja: 'クリスマス', zh: '圣诞节 圣诞' },
  ],
  [fixed(12, 26), { en: 'boxing day' }],
  [fixed(12, 28, 7), { ja: '年末年始' }],
  [fixed(12, 31), { en: "new year's eve/new years eve/new year eve", ja: '大晦日 大みそか' }],
  [lunar(1, 1), { en: 'chinese new year/lunar new year/spring festival' }],
  [kept(lunar(1, 1), 1, 7), { zh: '春节 过年 农历新年' }],
  [lunar(1, 1, -1), { zh: '除夕 大年三十 年三十 年夜' }],
  [lunar(1, 15), { zh: '元宵节 元宵' }],
  [lunar(2, 2), { zh: '龙抬头' }],
  [lunar(5, 5), { en: 'dragon boat festival', zh: '端午节 端午' }],
  [lunar(7, 7), { zh: '七夕 七夕节' }],
  [lunar(7, 15), { zh: '中元节' }],
  [lunar(8, 15), { en: 'mid - autumn festival/moon festival' }],
  [kept(lunar(8, 15), 1, 1), { zh: '中秋节 中秋 八月十五' }],
  [lunar(9, 9), { zh: '重阳节 重阳' }],
  [lunar(12, 8), { zh: '腊八 腊八节' }],
  [lunar(12, 23), { zh: '小年' }],
  [islamic(9, 1), { en: 'ramadan' }],
  [islamic(10, 1), { en: 'eid al fitr/eid al - fitr/eid ul fitr' }],
  [islamic(12, 10), { en: 'eid al adha/eid al - adha' }],
];

/** The holidays that have names in a language, with all their names. */
export function holidaysIn(language: 'en' | 'ja' | 'zh'): { names: string[]; date: DateNode }[] {
  return HOLIDAYS.flatMap(([date, { [language]: names }]) =>
    names === undefined ? [] : [{ names: names.split(language === 'en' ? '/' : ' '), date }],
  );
}
