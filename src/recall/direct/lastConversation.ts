/** Utterances that continue the last conversation and name no topic (“Where were we?”), and its last turns. */
import { unitsOfKind, type Episode } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { detectLanguage } from '../../text/text.ts';
import { readAddress } from '../address.ts';
import { isAssistant } from '../roles.ts';
import type { Intent } from '../intent.ts';
import { narrow } from '../search.ts';
import type { Question, TimeRange } from '../types.ts';

/** “Last time”, without a day. */
const LAST_TIME =
  /\b(?:last time|the other day|before|earlier|previously|(?:last|previous) (?=(?:conversation|chat|talk|session|discussion)\b))|前回|この前|この間|こないだ|先日|さっき|先ほど|前の(?=話|会話|続)|最後(?:に|の)|上次|上回|上一次|之前|刚才|刚刚/giu;

/** Asks where a conversation stopped. */
const ASKS_WHERE =
  /\bwhere (?:did|had|have) (?:we|i) (?:leave|left|stop|get|got)|\bwhere we (?:left|stopped|were)\b|\b(?:left|leave) off\b|\bhow far (?:did|had|have) we (?:get|got)\b|\bwhat were we (?:talking|saying|discussing)|どこまで(?=.*(?:話|言|進|しゃべ))|(?:聊|说|谈|讲|讨论|进行)到(?:了)?(?:哪|什么)/iu;
/** The same, unless a day is named: “Where was I on Tuesday?” asks for a place. */
const ASKS_WHERE_WE_WERE = /\bwhere (?:were|was|are|am) (?:we|i)\b|どこまで/iu;
/** Continues a conversation. */
const CONTINUES = /\b(?:continue|carry on|resume|pick(?:ing)? up|(?:get|go) back to)\b|続き|接着|继续/iu;
/** Asks what was said. */
const ASKS_WHAT = new RegExp(
  [
    String.raw`\bwhat (?:did|have|had) (?:we|i|you)\b.*\b(?:talk(?:ed)?|discuss(?:ed)?|chat(?:ted)?|say|said|tell|told)\b|\bwhat (?:we|i|you)(?: had| have)? (?:were |was )?(?:talk|discuss|chatt?|said|say|told)|\bwhat (?:was|were) (?:our|the|my) (?:last|previous)\b`,
    String.raw`\b(?:remember|remind me|recap|summari[sz]e)\b.*\b(?:last|previous|conversation|session|discussion)\b`,
    '(?:何|なに|どんな).*(?:話|言|しゃべ).*(?:た(?!い)|だっけ)|(?:話|会話).*(?:覚え|思い出|まとめ|教え|何|なに)',
    '(?:聊|说|谈|讲|讨论)(?:了|过|的)(?:些|是)?(?:什么|啥|哪)|上(?:次|回|一次).*(?:聊|说|谈|讲)些?(?:什么|啥)|(?:对话|聊天|话题|聊的).*(?:记得|什么|总结|回顾)|(?:记得|总结|回顾).*(?:聊|对话)',
  ].join('|'),
  'iu',
);
/** The words of such an utterance that name no topic. */
const NAMES_NO_TOPIC = new RegExp(
  [
    String.raw`\b(?:where|what|how|far|were|was|are|is|did|do|does|have|has|had|can|could|should|shall|will|would|let|us|we|i|you|me|my|our|your|it|that|this|the|s|m|d|ve|re|ll|left|leave|off|stop(?:ped)?|get|got|go|back|to|about|of|in|at|on|up|from|with|talk(?:ed|ing)?|discuss(?:ed|ing)?|chat(?:ted|ting)?|say(?:ing)?|said|tell|told|conversation|session|discussion|continue|carry|resume|pick(?:ing)?|remember|remind|recap|summari[sz]e|again|now|please|just|so|ok(?:ay)?|well|right|and|hi|hello|hey|good (?:morning|afternoon|evening)|like|want)\b`,
    '続き|続け|話題|会話|話|何|言|覚え|思い出|教え|進ん|終わ|止ま|始め|再開|行|私|僕|俺|達|内容|願い',
    'おはよう|こんにち[はわ]|こんばん[はわ]|ございます|ただいま|どこ|なに|どんな|まとめ|しゃべ|なんだけど|なのですが|なんですが|だけど|けど|ですが|でした|だった|っけ|ました|ましょう|ます|です|しよう|して|した|したい|たい|よう|から|まで|いた|いる|って|さん|ください|くれる|わたし|ぼく|おれ|たち|[おやいしったてだのはがをにでともかねよなんろうそる]',
    '你好|早上好|晚上好|我们|咱们|咱|我|你|您|聊天|聊|说|谈|讲|讨论|对话|话题|话|到|哪里|哪儿|哪|什么地方|什么|啥|些|是|了|过|的|接着|继续|记得|还|都|和|跟|一下|总结|回顾|告诉|提醒|请|吗|呢|吧|呀|啊|啦|来着|往下|去|那|就|从|开始|嗨|进行|可以|能|想',
  ].join('|'),
  'giu',
);
/** A longer utterance, in UTF-16 units, names something. */
const MAX_LENGTH = 80;
/** After more lines than a greeting and its answer, “Where were we?” is about the present conversation. */
const MAX_CONTEXT = 2;
/** A pause that ends a talk, also where a client keeps everything in one conversation. */
const PAUSE_MS = 4 * 3_600_000;
/** Number of newest turns among which the last talk is searched. */
const MAX_READ = 200;

/** Whether an utterance continues the last conversation or asks about it, and names no topic. */
export function asksForLastConversation(
  utterance: string,
  spans: readonly { readonly words: string }[],
  contextLines: number,
): boolean {
  if (utterance.length > MAX_LENGTH || !isLast(utterance, spans, contextLines)) return false;
  const rest = spans.reduce((text, { words }) => text.replace(words, ' '), utterance.normalize('NFKC'));
  return !/[\p{L}\p{N}]/u.test(rest.replace(LAST_TIME, ' ').replace(NAMES_NO_TOPIC, ' '));
}

/** Whether it asks about a conversation that is not the present one. “What did we do yesterday?” asks for all of the day. */
function isLast(
  utterance: string,
  spans: readonly { readonly words: string }[],
  contextLines: number,
): boolean {
  const namesADay = spans.some(namesDay);
  const asksWhere = ASKS_WHERE.test(utterance) || (!namesADay && ASKS_WHERE_WE_WERE.test(utterance));
  const goesOn = asksWhere || CONTINUES.test(utterance);
  if (!goesOn && !ASKS_WHAT.test(utterance)) return false;
  if (namesADay) return goesOn;
  return namesLastTime(utterance) || contextLines <= (asksWhere ? MAX_CONTEXT : 0);
}

const namesLastTime = (text: string) => text.search(LAST_TIME) >= 0;
/** “The other day” names none. */
const namesDay = ({ words }: { readonly words: string }) => !namesLastTime(words);

/** Consecutive turns of one conversation without a long pause, newest first. */
type Talk = readonly [Episode, ...Episode[]];

/** The last turns of the last conversation, newest first; empty when there is none, or the prompt contains them already. */
export async function lastConversation(
  store: Store,
  { spans }: Intent,
  question: Question,
): Promise<readonly Episode[]> {
  const { exceptUnitIds = [], ...filter } = question.filter;
  const inPrompt = new Set(exceptUnitIds);
  const newest = await store.units.list(
    { ...filter, ...narrowToDay(filter, spans), kinds: ['episode'] },
    { limit: MAX_READ },
  );
  const talks = talksOf(unitsOfKind('episode', newest));
  const present = talks.find((talk) => isPresent(talk, inPrompt, question));
  const last = talks.find((talk) => talk !== present && !isIdle(talk));
  return !last || inPrompt.has(last[0].id) ? [] : last.filter(({ id }) => !inPrompt.has(id));
}

/** Restricts the filter to the day that the utterance names. */
function narrowToDay(filter: Question['filter'], spans: readonly TimeRange[]): Question['filter'] {
  const day = spans.find(namesDay);
  return day ? narrow(filter, day) : filter;
}

/** @param episodes newest first */
function talksOf(episodes: readonly Episode[]): Talk[] {
  const talks: [Episode, ...Episode[]][] = [];
  const latest = new Map<string, [Episode, ...Episode[]]>();
  for (const episode of episodes) {
    const { conversationId } = episode.payload;
    const talk = latest.get(conversationId);
    const next = talk?.at(-1);
    if (talk && next && next.occurredAt - episode.occurredAt <= PAUSE_MS) {
      talk.push(episode);
      continue;
    }
    const begun: [Episode] = [episode];
    latest.set(conversationId, begun);
    talks.push(begun);
  }
  return talks;
}

/** Whether the utterance belongs to the talk: it has just been going on, and the prompt contains some of it. */
function isPresent(
  talk: Talk,
  inPrompt: ReadonlySet<number>,
  { now, utterance, context }: Question,
): boolean {
  if (now - talk[0].occurredAt > PAUSE_MS) return false;
  const texts = new Set([utterance, ...context.map(({ text }) => text)]);
  return talk.some(({ id, payload }) => inPrompt.has(id) || texts.has(payload.text));
}

/** Whether people said nothing in it but greetings and questions where they were. */
function isIdle(talk: Talk): boolean {
  return talk.every(({ payload: { speaker, text } }) => {
    if (isAssistant(speaker)) return true;
    return readAddress(text, detectLanguage(text)) === 'small_talk' || asksForLastConversation(text, [], 0);
  });
}
