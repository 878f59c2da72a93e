/** The messages of the simulated weeks: everyday talk in three languages, and tasks with reminders. */
import { mulberry32 } from '../../src/eval/compare.ts';

export type Language = 'ja' | 'zh' | 'en';
const LANGUAGES: readonly Language[] = ['ja', 'zh', 'en'];

export interface PlannedChat {
  readonly at: number;
  readonly text: string;
  readonly language: Language;
  /** The due time of the task in the message. */
  readonly dueAt?: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CHATS_A_DAY = 12;

const TALK: Readonly<Record<Language, readonly string[]>> = {
  ja: [
    '今日は{place}まで歩いたよ、気持ちよかった。',
    '{name}と{place}でご飯を食べた。',
    '{name}が新しい仕事を始めたんだって。',
    '最近、{thing}にはまっているんだ。',
    '昨日は{thing}の練習をした。',
    '{place}はもう寒いね。',
    'ちょっと疲れた、{thing}はお休みにする。',
    '{name}から手紙が来て嬉しかった。',
  ],
  zh: [
    '今天走到了{place}，很舒服。',
    '我和{name}在{place}吃了饭。',
    '{name}换了新工作。',
    '最近我迷上了{thing}。',
    '昨天练习了{thing}。',
    '{place}已经很冷了。',
    '有点累，今天不练{thing}了。',
    '收到{name}的信，很开心。',
  ],
  en: [
    'I walked all the way to {place} today, it was lovely.',
    '{name} and I had dinner in {place}.',
    '{name} started a new job.',
    'I am really into {thing} these days.',
    'I practised {thing} yesterday.',
    'It is cold in {place} already.',
    'I am a bit tired, no {thing} today.',
    'A letter from {name} came, that made me happy.',
  ],
};
const WORDS: Readonly<Record<Language, Readonly<Record<'name' | 'place' | 'thing', readonly string[]>>>> = {
  ja: {
    name: ['美咲', '健太', '花子さん'],
    place: ['那須塩原', '京都', '金沢'],
    thing: ['ピアノ', '写真', '陶芸'],
  },
  zh: { name: ['小红', '王芳', '李明'], place: ['成都', '厦门', '西湖'], thing: ['钢琴', '摄影', '书法'] },
  en: {
    name: ['Mia', 'Tom', 'Anna'],
    place: ['Lyon', 'York', 'Vienna'],
    thing: ['pottery', 'piano', 'climbing'],
  },
};

/** The people, places and things named in the text. */
export function namesIn(text: string): { people: string[]; places: string[]; things: string[] } {
  const named = (kind: 'name' | 'place' | 'thing') =>
    Object.values(WORDS).flatMap((words) => words[kind].filter((word) => text.includes(word)));
  return { people: named('name'), places: named('place'), things: named('thing') };
}

/** Tasks for tomorrow at a given time. */
const DUTIES: Readonly<Record<Language, (hour: number, minute: number) => string>> = {
  ja: (hour, minute) => `明日の${hour}時${minute}分に歯医者に行かなきゃ。`,
  zh: (hour, minute) => `我明天${hour}点${minute}分要去看牙医。`,
  en: (hour, minute) => `I have to call the dentist tomorrow at ${hour}:${String(minute).padStart(2, '0')}.`,
};

/** Twelve chats a day from 8:00 to 22:00, one of them with a task for tomorrow. Times are in UTC. */
export function planTalk(from: number, days: number): PlannedChat[] {
  const random = mulberry32(20_261_122);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const chats: PlannedChat[] = [];
  for (let day = 0; day < days; day += 1) {
    const language = LANGUAGES[day % LANGUAGES.length] as Language;
    for (let nth = 0; nth < CHATS_A_DAY; nth += 1) {
      const at = from + day * DAY_MS + 8 * HOUR_MS + Math.floor(nth * 1.2 * HOUR_MS + random() * HOUR_MS);
      if (nth === 2) {
        const [hour, minute] = [10 + (day % 10), 5 + ((day * 7) % 50)];
        const dueAt = from + (day + 1) * DAY_MS + hour * HOUR_MS + minute * 60_000;
        chats.push({ at, language, text: DUTIES[language](hour, minute), dueAt });
        continue;
      }
      const text = pick(TALK[language]).replaceAll(/\{(\w+)\}/g, (_, kind: 'name' | 'place' | 'thing') =>
        pick(WORDS[language][kind]),
      );
      chats.push({ at, language, text: `${text} (${day + 1}/${nth + 1})` });
    }
  }
  return chats;
}
