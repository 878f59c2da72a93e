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

const labourDay = fixed(5, 1);
const motherDay = nth(2, 7, 5);
const fatherDay = nth(3, 7, 6);

/** Holidays shared by several cultures. */
export const COMMON = {
  newYear: kept(fixed(1, 1), 1, 2),
  newYearEve: fixed(12, 31),
  valentine: fixed(2, 14),
  womensDay: fixed(3, 8),
  aprilFools: fixed(4, 1),
  labourDay,
  motherDay,
  fatherDay,
  halloween: fixed(10, 31),
  singlesDay: fixed(11, 11),
  thanksgiving: kept(nth(4, 4, 11), 1, 3),
  blackFriday: nth(4, 4, 11, 1),
  cyberMonday: nth(4, 4, 11, 4),
  christmasEve: fixed(12, 24),
  christmas: kept(fixed(12, 25), 1, 1),
  boxingDay: fixed(12, 26),
  easter: kept(aroundEaster(0), 2, 1),
  earthDay: fixed(4, 22),
};

export const WESTERN = {
  martinLutherKing: nth(3, 1, 1),
  groundhogDay: fixed(2, 2),
  presidentsDay: nth(3, 1, 2),
  saintPatrick: fixed(3, 17),
  mardiGras: aroundEaster(-47),
  ashWednesday: aroundEaster(-46),
  palmSunday: aroundEaster(-7),
  maundyThursday: aroundEaster(-3),
  goodFriday: aroundEaster(-2),
  easterMonday: aroundEaster(1),
  pentecost: aroundEaster(49),
  cincoDeMayo: fixed(5, 5),
  memorialDay: nth(-1, 1, 5),
  juneteenth: fixed(6, 19),
  independenceDay: fixed(7, 4),
  bastilleDay: fixed(7, 14),
  laborDay: nth(1, 1, 9),
  columbusDay: nth(2, 1, 10),
  guyFawkes: fixed(11, 5),
  veteransDay: fixed(11, 11),
  teachersDay: fixed(10, 5),
  childrensDay: fixed(6, 1),
  ramadan: islamic(9, 1),
  eidAlFitr: islamic(10, 1),
  eidAlAdha: islamic(12, 10),
};

export const JAPANESE = {
  shogatsu: fixed(1, 1, 3),
  nenmatsuNenshi: fixed(12, 28, 7),
  comingOfAge: nth(2, 1, 1),
  setsubun: fixed(2, 3),
  foundationDay: fixed(2, 11),
  emperorsBirthday: fixed(2, 23),
  hinamatsuri: fixed(3, 3),
  whiteDay: fixed(3, 14),
  springEquinox: solar(3, 20.8431),
  springHigan: fixed(3, 18, 7),
  showaDay: fixed(4, 29),
  goldenWeek: fixed(4, 29, 8),
  constitutionDay: fixed(5, 3),
  greeneryDay: fixed(5, 4),
  childrensDay: fixed(5, 5),
  tanabata: fixed(7, 7),
  marineDay: nth(3, 1, 7),
  mountainDay: fixed(8, 11),
  obon: fixed(8, 13, 4),
  respectForTheAged: nth(3, 1, 9),
  autumnEquinox: solar(9, 23.2488),
  sportsDay: nth(2, 1, 10),
  cultureDay: fixed(11, 3),
  shichigosan: fixed(11, 15),
  laborThanks: fixed(11, 23),
  winterSolstice: solar(12, 22.242),
  summerSolstice: solar(6, 21.851),
  springBreak: fixed(3, 20, 19),
  summerBreak: fixed(7, 20, 43),
  winterBreak: fixed(12, 23, 17),
};

export const CHINESE = {
  springFestival: kept(lunar(1, 1), 1, 7),
  newYearsEve: lunar(1, 1, -1),
  littleNewYear: lunar(12, 23),
  lantern: lunar(1, 15),
  dragonHeadsUp: lunar(2, 2),
  qingming: kept(solar(4, 4.8), 1, 2),
  labourDay: kept(labourDay, 0, 4),
  youthDay: fixed(5, 4),
  childrensDay: fixed(6, 1),
  dragonBoat: lunar(5, 5),
  partyDay: fixed(7, 1),
  armyDay: fixed(8, 1),
  qixi: lunar(7, 7),
  ghostFestival: lunar(7, 15),
  midAutumn: kept(lunar(8, 15), 1, 1),
  teachersDay: fixed(9, 10),
  nationalDay: kept(fixed(10, 1), 0, 6),
  nationalWeek: fixed(10, 1, 7),
  doubleNinth: lunar(9, 9),
  winterSolstice: solar(12, 22.242),
  laba: lunar(12, 8),
  arborDay: fixed(3, 12),
  winterBreak: fixed(1, 15, 36),
  summerBreak: fixed(7, 5, 58),
};
