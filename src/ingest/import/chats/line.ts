import { parseClock } from './clock.ts';
import { parseWrittenDate } from './dates.ts';
import type { ChatForm, FinishedText, LineStart, WrittenDate } from './grammar.ts';

const HEADING = /^\[LINE\]\s*(.+)$/;
/** `[LINE] ゆきとのトーク履歴`, `[LINE] 與Yuki的聊天記錄`, `[LINE] Chat history with Yuki`. */
const PARTNER = /^(?:(.+?)とのトーク履歴|[與与和](.+?)的聊天[记記紀][录錄]|Chat history with (.+))$/;
const SAVED = /^(?:保存日時|保存日期|儲存日期|储存日期|Saved on|Date saved)\s*[:：]/i;
const WEEKDAY =
  '(?:[月火水木金土日](?:曜日)?|(?:星期|[週周])?[一二三四五六日]|(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?)';
const DAY_FIRST = new RegExp(
  String.raw`^(\d{4}[./-]\d{1,2}[./-]\d{1,2})\s*[,，]?\s*[(（]?${WEEKDAY}[)）]?$`,
  'i',
);
const WEEKDAY_FIRST = new RegExp(String.raw`^${WEEKDAY},\s*(\d{1,4}[./-]\d{1,2}[./-]\d{1,4})$`, 'i');
const CLOCK = String.raw`(?:午前|午後|上午|下午)?\s?\d{1,2}:\d{2}(?:[\s\u202F]?[AP]M)?`;
const TABBED = new RegExp(String.raw`^(${CLOCK})\t([^\t]*)(?:\t(.*))?$`, 'i');
/** The form that the programs for Windows and macOS write. */
const SPACED = new RegExp(String.raw`^(${CLOCK}) (\S.*)$`, 'i');

/** The text file that LINE exports: a heading, a line for each day, and `time TAB name TAB words`. */
export const LINE_FORM: ChatForm = {
  name: 'line',
  createReader() {
    let partner = '';
    let hasDay = false;
    let isSpaced = false;
    return (line) => {
      const heading = HEADING.exec(line)?.[1];
      if (heading !== undefined) {
        const [, ja, zh, en] = PARTNER.exec(heading) ?? [];
        partner = ja ?? zh ?? en ?? '';
        return { type: 'notice' };
      }
      if (!hasDay && SAVED.test(line)) return { type: 'notice' };
      const date = parseDay(line);
      if (date) {
        hasDay = true;
        isSpaced = /^\d{4}\.\d/.test(line);
        return { type: 'day', date };
      }
      if (!hasDay) return null;
      return parseTabbed(line) ?? (isSpaced ? parseSpaced(line, partner) : null);
    };
  },
  finish: unquote,
};

function parseDay(line: string): WrittenDate | null {
  const written = (DAY_FIRST.exec(line) ?? WEEKDAY_FIRST.exec(line))?.[1];
  return written === undefined ? null : parseWrittenDate(written);
}

function parseTabbed(line: string): LineStart | null {
  const [, clock = '', speaker = '', text] = TABBED.exec(line) ?? [];
  if (parseClock(clock) === null) return null;
  // A line without text is an event: someone joined, or a message was unsent.
  if (text === undefined || speaker === '') return { type: 'notice' };
  return { type: 'message', date: null, clock, speaker, text };
}

/** Where the parts are separated by spaces, a name with spaces can only be known from the heading. */
function parseSpaced(line: string, partner: string): LineStart | null {
  const [, clock = '', rest = ''] = SPACED.exec(line) ?? [];
  if (parseClock(clock) === null) return null;
  const known = partner !== '' && rest.startsWith(`${partner} `) ? partner : null;
  const speaker = known ?? rest.split(' ', 1)[0] ?? '';
  const text = rest.slice(speaker.length + 1);
  return text === '' ? { type: 'notice' } : { type: 'message', date: null, clock, speaker, text };
}

/** Messages of several lines are in quotes, in which quotes are doubled. */
function unquote(text: string): FinishedText {
  if (!text.includes('\n') || !/^"[^]*"$/.test(text)) return { text };
  return { text: text.slice(1, -1).replaceAll('""', '"') };
}
