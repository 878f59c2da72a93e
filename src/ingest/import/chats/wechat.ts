import { parseClock } from './clock.ts';
import { parseWrittenDate } from './dates.ts';
import type { ChatForm, LineStart } from './grammar.ts';

const DATE = String.raw`(\d{4}[-/]\d{1,2}[-/]\d{1,2})`;
const CLOCK = String.raw`(\d{1,2}:\d{2}(?::\d{2})?)`;
/** `2024-01-05 22:03:11 小雨`, as MemoTrace and QQ write it; the words follow on the next line. */
const TIME_FIRST = new RegExp(String.raw`^${DATE} ${CLOCK}[ \t]+(\S.{0,99})$`);
/** `小雨 2024-01-05 22:03:11` */
const NAME_FIRST = new RegExp(String.raw`^(\S.{0,99}?)[ \t]+${DATE} ${CLOCK}$`);
/** `小雨(2024-01-05 22:03:11): 你好`, as WechatExporter writes it. */
const IN_BRACKETS = new RegExp(String.raw`^(\S.{0,99}?)\s?[(（]${DATE} ${CLOCK}[)）]\s?[:：]?\s?(.*)$`);
/** `—————  2024-01-05  —————`, and under it `小雨  22:03`: the form that WeChat itself sends by e-mail. */
const DAY = new RegExp(String.raw`^[—–-]{3,}\s*${DATE}\s*[—–-]{3,}$`);
const NAME_AND_CLOCK = new RegExp(String.raw`^(\S.{0,99}?)\s{2,}${CLOCK}$`);
/** QQ writes the sender's number after the name. */
const NUMBER = /\(\d{5,}\)$/;

/** Chats of WeChat (and QQ) as the common tools export them to text. */
export const WECHAT_FORM: ChatForm = {
  name: 'wechat',
  createReader() {
    let hasDay = false;
    return (line) => {
      const day = parseWrittenDate(DAY.exec(line)?.[1] ?? '');
      if (day) {
        hasDay = true;
        return { type: 'day', date: day };
      }
      const [, name, clock] = hasDay ? (NAME_AND_CLOCK.exec(line) ?? []) : [];
      if (name !== undefined && clock !== undefined)
        return { type: 'message', date: null, clock, speaker: name, text: '' };
      return parseDated(line);
    };
  },
  finish: (text) => ({ text: text.replace(/^\n+/, '') }),
};

function parseDated(line: string): LineStart | null {
  const timeFirst = TIME_FIRST.exec(line);
  if (timeFirst) return toStart(timeFirst[1], timeFirst[2], timeFirst[3]?.replace(NUMBER, ''));
  const [, name, date, clock, text] = NAME_FIRST.exec(line) ?? IN_BRACKETS.exec(line) ?? [];
  return toStart(date, clock, name, text);
}

function toStart(
  written: string | undefined,
  clock: string | undefined,
  speaker: string | undefined,
  text = '',
): LineStart | null {
  const date = parseWrittenDate(written ?? '');
  if (date === null || speaker === undefined || parseClock(clock ?? '') === null) return null;
  // Messages of the program itself.
  if (/^(?:系统消息|系統訊息)$/.test(speaker)) return { type: 'notice' };
  return { type: 'message', date, clock: clock ?? '', speaker, text };
}
