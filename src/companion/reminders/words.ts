/** The text of a reminder without a model, in the language of the loop. */
import { DAY_MS, instantToWallClock, type Instant } from '../../model/model.ts';
import { detectLanguage, type Language } from '../../text/text.ts';
import { isEndOfDay } from '../reminderTime.ts';

/** The owner prefix of an open loop; the user's loops have none. */
const OWNER = /^ai: /;

const DAYS: Readonly<Record<Language, readonly [string, string]>> = {
  ja: ['今日', '明日'],
  zh: ['今天', '明天'],
  en: ['today', 'tomorrow'],
};
const LOCALES: Readonly<Record<Language, string>> = { ja: 'ja-JP', zh: 'zh-CN', en: 'en-GB' };

export function reminderText(
  loop: { readonly text: string; readonly dueAt: Instant },
  clock: { readonly now: Instant; readonly timeZone: string },
  fallback?: Language,
): string {
  const text = loop.text.replace(OWNER, '').replace(/[。.！!\s]+$/u, '');
  const language = detectLanguage(text, fallback);
  const when = dueInWords(loop.dueAt, clock, language);
  return {
    ja: `「${text}」、${when}だよ。`,
    zh: `提醒一下：“${text}”，${when}。`,
    en: `A reminder: “${text}”, ${when}.`,
  }[language];
}

/** `明日の9時半`, `今天 15:00`, `tomorrow at 09:30`, `on 12 May`. */
function dueInWords(
  dueAt: Instant,
  { now, timeZone }: { readonly now: Instant; readonly timeZone: string },
  language: Language,
): string {
  const [due, present] = [instantToWallClock(dueAt, timeZone), instantToWallClock(now, timeZone)];
  const away = Math.floor(due / DAY_MS) - Math.floor(present / DAY_MS);
  const day = DAYS[language][away] ?? dateInWords(due, language);
  if (isEndOfDay(dueAt, timeZone)) return day;
  const [hour, minute] = [new Date(due).getUTCHours(), new Date(due).getUTCMinutes()];
  const digits = `${hour}:${String(minute).padStart(2, '0')}`;
  const japaneseMinute = minute === 30 ? '半' : minute === 0 ? '' : `${minute}分`;
  return {
    ja: `${day}の${hour}時${japaneseMinute}`,
    zh: `${day} ${digits}`,
    en: `${day} at ${digits.padStart(5, '0')}`,
  }[language];
}

function dateInWords(wallClock: number, language: Language): string {
  const style = { timeZone: 'UTC', day: 'numeric', month: 'long' } as const;
  const date = new Intl.DateTimeFormat(LOCALES[language], style).format(wallClock);
  return language === 'en' ? `on ${date}` : date;
}
