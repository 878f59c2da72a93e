import type { Unit } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { terms } from '../text/text.ts';
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

/** Units read for a direct answer; the budget decides how many are shown. */
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
const AROUND = '[\\s?？!！。.,、を は って に ついて的は何ですか呢吗啊]*';

function names(uriNames: string): RegExp {
  return new RegExp(
    `^${AROUND}(?:(?:${ASKING})${AROUND})*(?:(?:${OWNER})${AROUND})*(?:${uriNames})${AROUND}(?:(?:${ASKING})${AROUND})*$`,
    'iu',
  );
}

const FILE_QUERIES = FILES.map(([uri, name]) => ({ uri, pattern: names(name) }));

/** Words that ask about days without asking for anything on them. */
const ABOUT_DAYS =
  /\b(?:what|did|do|does|have|has|had|been|was|were|is|are|we|i|you|us|me|my|our|talk(?:ed|ing)?|speak|spoke|discuss(?:ed)?|chat(?:ted)?|say|said|happen(?:ed|ing)?|about|up to|going on|on|in|the|over|past|few|days?|recap|summarize|summary of|tell|anything|everything)\b|何|なに|話し?(?:を|た|ま|て)*|した|しました|しましたか|あった|ありました|出来事|どう(?:だった|でした)?|どんな|こと|教えて|まとめて?|(?:我们|我|你|咱们)?(?:都)?(?:聊|说|谈|讲|做|干|发生)了?(?:些|过)?(?:什么|啥)?|怎么样|事情?|有(?:什么|哪些)|总结(?:一下)?|什么|一下|[ぁ-ん]/giu;

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
  if (!range || !asksOnlyAboutDays(utterance, range.words)) return null;
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

/** Whether nothing is left of the utterance when the time and the words of asking are taken out. */
export function asksOnlyAboutDays(utterance: string, timeWords: string): boolean {
  const rest = timeWords.split(' … ').reduce((text, words) => text.replace(words, ' '), utterance);
  return terms(rest.replace(ABOUT_DAYS, ' ')).length === 0;
}

function isJournal(unit: Unit): boolean {
  return unit.kind === 'note' && unit.payload.uri.startsWith('journal/');
}

function isWanted(question: Question, kind: Unit['kind']): boolean {
  return question.filter.kinds?.includes(kind) ?? true;
}
