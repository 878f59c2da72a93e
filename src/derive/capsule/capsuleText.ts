/** The current state in words: by a template, or by a language model. */
import { z } from 'zod';
import { detectLanguage, snippet, type Language, oneLine } from '../../text/text.ts';
import { hasEvidence, isCompanion, isWorthKeeping } from '../guard.ts';
import { isFromPrompt, type Prompt } from '../prompts.ts';
import { formatTurn } from '../scene.ts';
import { describeMood } from './mood.ts';
import { wordsOf, type Situation } from './situation.ts';

/** Increase with every change of the template. */
export const RULES_VERSION = 1;

const QUOTED_CHARS = 120;
const MAX_TEXT_LENGTH = 500;

const LABELS = {
  en: {
    topics: 'Talking about',
    mood: 'Mood',
    last: 'Last said',
    open: 'Not answered yet',
    earlier: 'Before that',
  },
  ja: {
    topics: '今の話題',
    mood: '気分',
    last: '最後の発言',
    open: 'まだ答えのない問い',
    earlier: 'その前の話題',
  },
  zh: { topics: '正在聊', mood: '心情', last: '最后说的', open: '还没有回答的问题', earlier: '之前聊的' },
} as const;
const MARKS = {
  en: { colon: ': ', stop: '.', comma: ', ', gap: ' ' },
  ja: { colon: '：', stop: '。', comma: '、', gap: '' },
  zh: { colon: '：', stop: '。', comma: '、', gap: '' },
} as const;

/** A line of labelled parts; quoted turns are in quotation marks that nothing inside can close. */
export function describeByRules(situation: Situation): string {
  const { language, topics, earlierTopics, questions, mood } = situation;
  const labels = LABELS[language];
  const { colon, stop, comma, gap } = MARKS[language];
  const said = lastSaid(situation);
  const parts = [
    topics.length > 0 && labels.topics + colon + topics.map(plain).join(comma),
    labels.mood + colon + describeMood(mood, language),
    said && labels.last + colon + said,
    questions.length > 0 &&
      labels.open + colon + questions.map((question) => quote(question, language)).join(comma),
    earlierTopics.length > 0 && labels.earlier + colon + earlierTopics.map(plain).join(comma),
  ];
  return parts.flatMap((part) => (part ? [part + stop] : [])).join(gap);
}

/** The last turn of a person, and who said it. */
function lastSaid({ turns, language, questions }: Situation): string | null {
  const last = turns.findLast((turn) => !isCompanion(turn.payload.speaker));
  const text = last ? wordsOf(last) : '';
  // An open question is shown as a question instead.
  if (!last || text === '' || questions.some((question) => text.endsWith(question))) return null;
  return plain(last.payload.speaker) + (language === 'en' ? ' ' : '') + quote(text, language);
}

const QUOTES = { en: '“”', ja: '「」', zh: '“”' } as const;
const INNER: Readonly<Record<string, string>> = { '「': '『', '」': '』', '“': '‘', '”': '’', '"': "'" };

function quote(text: string, language: Language): string {
  const inner = snippet(plain(text), { maxChars: QUOTED_CHARS }).replaceAll(
    /[「」“”"]/g,
    (mark) => INNER[mark] ?? mark,
  );
  return QUOTES[language][0] + inner + QUOTES[language][1];
}

/** Text on one line that does not look like a heading of a pack. */
function plain(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .replaceAll('[', '［')
    .replaceAll(']', '］')
    .replaceAll('｜', '|')
    .trim();
}

export const momentSchema = z.object({ moment: z.string() });

/** The values for the prompt. */
export function momentValues({ language, mood, earlierTopics }: Situation): Record<string, string> {
  return {
    mood: describeMood(mood, language),
    earlier: earlierTopics.length > 0 ? earlierTopics.map(plain).join(MARKS[language].comma) : '-',
  };
}

/** The state in a few sentences of the conversation's language; null when the model's reply is unusable. */
export function checkMoment(
  { moment }: z.infer<typeof momentSchema>,
  { turns, language }: Situation,
  prompt: Prompt,
): string | null {
  const lines = turns.map((turn) => formatTurn(turn, wordsOf(turn), 'UTC'));
  const text = oneLine(moment);
  const isEcho = isFromPrompt(text, prompt) || lines.some((words) => hasEvidence(text, words));
  const isKept =
    isWorthKeeping(text, MAX_TEXT_LENGTH) && !isEcho && detectLanguage(text, language) === language;
  return isKept ? plain(text) : null;
}
