/** Whether an utterance asks only about certain days, and which. */
import { DAY_MS, localDate, wallClockToInstant, type Instant } from '../../model/model.ts';
import { findTimes } from '../../text/text.ts';

const SAID_OR_DONE =
  'did|been|said|speak(?:ing)?|spoken?|talk(?:ed|ing)?|discuss(?:ed|ing)?|chat(?:ted|ting)?|happen(?:ed|ing)?|going on';
/** Questions about what was said or done. Questions about plans or how somebody is are small talk. */
const ASKS_WHAT_WAS = new RegExp(
  [
    String.raw`\bwhat\b.*\b(?:${SAID_OR_DONE}|conversations?|(?:was|were) (?:i|we) up to)\b`,
    String.raw`^\W*how (?:was|were|did) (?:my|our)\b`,
    String.raw`^\W*(?:anything|everything)\b|\b(?:recap|summari[sz]e|summary|(?:tell|remind) me (?:what|about))\b`,
    '(?:何(?!も)|なに(?!も)|どんな).*(?:話|言|した|して(?:い)?た|しました|やった|やって(?:い)?た|やりました|過ごし|あった|ありました)|出来事|教えて|まとめ|振り返',
    '(?:聊|说|谈|讲|发生).*(?:什么|啥|哪些)|[做干忙][了过].*(?:什么|啥|哪些)|[做干忙]些?(?:什么|啥|嘛)(?:去?了|来着)|有(?:什么|哪些)事|总结',
  ].join('|'),
  'isu',
);
/** Words in such a question that carry no further condition. */
const ABOUT_DAYS = new RegExp(
  [
    String.raw`\b(?:${SAID_OR_DONE}|what|do|does|doing|have|has|had|was|were|is|are|we|i|you|us|me|my|our|say|about|work(?:ed|ing)? on|(?:get|got|getting) (?:up to|done)|up to|how|go|on|in|of|from|the|over|past|few|days?|and|all|recap|summari[sz]e|summary|give|tell|remind|please|anything|everything|conversations?)\b`,
    '何|作業|過ごし|話題|話|会話|言(?:った|って)|出来事|教|振り返|[ぁ-んー]',
    '我们|咱们|我|你|和|给|都|聊天|聊|说|谈|讲|做|干|忙|嘛|来着|去|(?:的)?(?:时候|期间)|发生|过|了|些|什么|啥|哪些|有|事情|事|的|对话|内容|总结|一下|告诉|请|呢|吗|吧|呀|啊',
  ].join('|'),
  'giu',
);
/** A longer utterance, in UTF-16 units, contains further conditions. */
const MAX_ABOUT_DAYS = 120;

/** Words for a journal. */
const JOURNAL = new RegExp(
  [
    String.raw`\b(?:journals?|diary|diaries|logs?|logbook|entry|entries|notes?|activity|activities|progress|updates?|events?|worked|history)\b`,
    '日記|日誌|ジャーナル|ログ|記録|活動|進捗|作業|動き|出来事|できごと|(?:やった|した|あった)こと',
    '日志|日记|记录|活动|进展|进度|动态|工作|情况|近况|做(?:过|了)?的事情?',
  ].join('|'),
  'giu',
);
/** Verbs that mean “show”. */
const SHOWING =
  /\b(?:show|list|read|open|view|get|find|look at|go over|daily|work|on|for|s|since|during)\b|見せ|見|読|書|一覧|まとめ|内容|列出|显示|查看|看看|看|读|打开|回顾|写/giu;
/** “Recent” before a noun; it gives no time by itself. */
const RECENT = /\brecent\b|直近|近期|近况|近日|近頃|ここのところ/iu;
/** The number of days that “recently” covers in a request for the journal. (Notes §2) */
const RECENT_DAYS = 7;

/** Whether the utterance asks what happened and contains nothing else besides the time and question words. */
export function asksOnlyAboutDays(utterance: string, spans: readonly { readonly words: string }[]): boolean {
  if (utterance.length > MAX_ABOUT_DAYS) return false;
  const rest = spans.reduce((text, { words }) => text.replace(words, ' '), utterance);
  return ASKS_WHAT_WAS.test(rest) && !/[\p{L}\p{N}]/u.test(rest.replace(ABOUT_DAYS, ' '));
}

/**
 * The days that a search of the notes asks for, if it asks for nothing else, from midnight to midnight of the memory’s
 * time zone; null when it asks for anything else, or when the days are in the future.
 */
export function daysAskedFor(
  query: string,
  now: Instant,
  timeZone: string,
): { readonly from: Instant; readonly to: Instant } | null {
  if (query.length > MAX_ABOUT_DAYS) return null;
  const times = timesIn(query, now, timeZone);
  if (times.length === 0 || times.some(({ from }) => from > now)) return null;
  const rest = times.reduce((text, { words }) => text.replace(words, ' '), query);
  const isAsking = !WORD.test(rest.replace(AND, ' ')) || JOURNAL_SIGN.test(query) || ASKS_WHAT_WAS.test(rest);
  const unsaid = rest.replace(JOURNAL, ' ').replace(SHOWING, ' ').replace(ABOUT_DAYS, ' ');
  if (!isAsking || WORD.test(unsaid)) return null;
  const from = Math.min(...times.map((time) => time.from));
  return { from: startOfDay(from, timeZone), to: Math.max(...times.map((time) => time.to)) };
}

/** The midnight at or before an instant, in the time zone. */
export function startOfDay(instant: Instant, timeZone: string): Instant {
  return wallClockToInstant(`${localDate(instant, timeZone)}T00:00`, timeZone);
}

/** Joining words between days. */
const AND = /\b(?:and|or|to)\b|[とや和与跟及]/giu;
const WORD = /[\p{L}\p{N}]/u;
const JOURNAL_SIGN = new RegExp(JOURNAL.source, 'iu');

interface NamedTime {
  readonly words: string;
  readonly from: Instant;
  readonly to: Instant;
}

function timesIn(query: string, now: Instant, timeZone: string): NamedTime[] {
  const times = findTimes(query, { reference: new Date(now), timeZone, prefer: 'past' });
  const named = times.flatMap(({ text, timex, window }) => {
    if (window.from === null || window.to === null || timex === 'PRESENT_REF') return [];
    const from = wallClockToInstant(window.from, timeZone);
    const to = wallClockToInstant(window.to, timeZone);
    return [{ words: text, from: timex === 'PAST_REF' ? Math.max(from, weekBefore(to)) : from, to }];
  });
  const recent = named.length > 0 ? null : RECENT.exec(query);
  if (!recent) return named;
  const tomorrow = startOfDay(now, timeZone) + DAY_MS;
  return [{ words: recent[0], from: weekBefore(tomorrow), to: tomorrow }];
}

function weekBefore(instant: Instant): Instant {
  return instant - RECENT_DAYS * DAY_MS;
}
