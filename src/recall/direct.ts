import type { Unit } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import type { Intent } from './intent.ts';
import { narrow } from './search.ts';
import type { Question } from './types.ts';

/** A way round the search, for an utterance that clearly points at one thing. */
export interface DirectPath {
  readonly path: 'note' | 'timeline';
  /** The file, or the words for the days. */
  readonly target: string;
  /** In the order in which they are shown. */
  readonly units: readonly Unit[];
}

/** Units read for a direct answer; limit and budget decide how many are shown. */
const MOST_UNITS = 200;

/** The memory files and what they are called. (Notes §1) */
const FILES: readonly (readonly [uri: string, names: string])[] = [
  ['user/preferences.md', 'preferences?|好み|嗜好|偏好|喜好'],
  ['user/instructions.md', 'instructions?|rules?|指示|ルール|指令|规则'],
  ['TASKS.md', 'tasks?|to-?dos?|タスク|やること|任务|待办'],
  ['user/entities.md', 'people|entities|人物|実体|实体'],
  ['agent/decisions.md', 'decisions?|決定(?:事項)?|決断|决策|决定'],
  ['agent/patterns.md', 'patterns?|パターン|模式'],
];

// “Clearly” means that nothing else is said: only asking words and a possessive may stand around the name.
const ASKING =
  "what(?:'s| is| are| were)?|which|show(?: me)?|list|tell me(?: about)?|read|give me|are there(?: any)?|do (?:i|we) have(?: any)?|教えて|見せて|知りたい|是什么|有哪些|有什么|告诉我|看看|列出|给我看";
const OWNER =
  'my|our|your|the|all|current|私の|わたしの|僕の|俺の|今の|現在の|我的|我们的|你的|当前的|现在的|所有的?|全部的?';
const AROUND = '[\\s?？。.,、を は って に ついて的は何ですか呢吗啊]*';

function names(uriNames: string): RegExp {
  return new RegExp(
    `^${AROUND}(?:(?:${ASKING})${AROUND})*(?:(?:${OWNER})${AROUND})*(?:${uriNames})${AROUND}(?:(?:${ASKING})${AROUND})*$`,
    'iu',
  );
}

const FILE_QUERIES = FILES.map(([uri, name]) => ({ uri, pattern: names(name) }));

const SAID_OR_DONE =
  'did|been|said|speak(?:ing)?|spoken?|talk(?:ed|ing)?|discuss(?:ed|ing)?|chat(?:ted|ting)?|happen(?:ed|ing)?|going on';
/** Asks what was said or done. What is to be done, or how somebody is, is small talk. */
const ASKS_WHAT_WAS = new RegExp(
  [
    String.raw`\bwhat\b.*\b(?:${SAID_OR_DONE}|conversations?)\b`,
    String.raw`^\W*(?:anything|everything)\b|\b(?:recap|summari[sz]e|summary|(?:tell|remind) me (?:what|about))\b`,
    '(?:何(?!も)|なに(?!も)|どんな).*(?:話|言|した|して(?:い)?た|しました|あった|ありました)|出来事|教えて|まとめ|振り返',
    '(?:聊|说|谈|讲|发生).*(?:什么|啥|哪些)|[做干][了过].*(?:什么|啥|哪些)|有(?:什么|哪些)事|总结',
  ].join('|'),
  'isu',
);
/** Words that stand in such a question and ask for nothing in particular. */
const ABOUT_DAYS = new RegExp(
  [
    String.raw`\b(?:${SAID_OR_DONE}|what|do|does|have|has|had|was|were|is|are|we|i|you|us|me|my|our|say|about|up to|on|in|of|from|the|over|past|few|days?|and|all|recap|summari[sz]e|summary|give|tell|remind|please|anything|everything|conversations?)\b`,
    '何|話題|話|会話|言(?:った|って)|出来事|教|振り返|[ぁ-んー]',
    '我们|咱们|我|你|和|给|都|聊天|聊|说|谈|讲|做|干|发生|过|了|些|什么|啥|哪些|有|事情|事|的|对话|内容|总结|一下|告诉|请|呢|吗|吧|呀|啊',
  ].join('|'),
  'giu',
);
/** A longer utterance says more than that, UTF-16 units. */
const LONGEST_ABOUT_DAYS = 120;

/** Finds the direct path, if the utterance clearly takes one and it leads somewhere. */
export async function takeDirectPath(
  store: Store,
  utterance: string,
  intent: Intent,
  question: Question,
): Promise<DirectPath | null> {
  return (await noteFile(store, utterance, question)) ?? (await timeline(store, utterance, intent, question));
}

async function noteFile(store: Store, utterance: string, question: Question): Promise<DirectPath | null> {
  if (!isWanted(question, 'note')) return null;
  const file = FILE_QUERIES.find(({ pattern }) => pattern.test(utterance.normalize('NFKC')));
  if (!file) return null;
  const filter = { ...question.filter, kinds: ['note'] as const, uri: file.uri };
  const units = await store.listUnits(filter, { limit: MOST_UNITS });
  return units.length === 0 ? null : { path: 'note', target: file.uri, units };
}

/** Recent days: their journal where one is kept, else what was said on them; newest first, without any search. */
async function timeline(
  store: Store,
  utterance: string,
  intent: Intent,
  question: Question,
): Promise<DirectPath | null> {
  const range = intent.timeRange;
  if (!range || !asksOnlyAboutDays(utterance, intent.spans)) return null;
  const within = narrow(question.filter, range);
  const journal = isWanted(question, 'note')
    ? (await store.listUnits({ ...within, kinds: ['note'] }, { limit: MOST_UNITS })).filter(isJournal)
    : [];
  const units =
    journal.length > 0 || !isWanted(question, 'episode')
      ? journal
      : await store.listUnits({ ...within, kinds: ['episode'] }, { limit: MOST_UNITS });
  return units.length === 0 ? null : { path: 'timeline', target: range.words, units };
}

/** Whether it asks what was, and no word is left when the time and the words of asking are taken out. */
export function asksOnlyAboutDays(utterance: string, spans: readonly { readonly words: string }[]): boolean {
  if (utterance.length > LONGEST_ABOUT_DAYS) return false;
  const rest = spans.reduce((text, { words }) => text.replace(words, ' '), utterance);
  return ASKS_WHAT_WAS.test(rest) && !/[\p{L}\p{N}]/u.test(rest.replace(ABOUT_DAYS, ' '));
}

function isJournal(unit: Unit): boolean {
  return unit.kind === 'note' && unit.payload.uri.startsWith('journal/');
}

function isWanted(question: Question, kind: Unit['kind']): boolean {
  return question.filter.kinds?.includes(kind) ?? true;
}
