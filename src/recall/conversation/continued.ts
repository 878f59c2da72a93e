/** Recognises utterances that continue an earlier conversation, and ranks conversations for them. */
import type { Document } from '../documents.ts';

/** “Let's continue with the plan we made”, 「前回の続きなんだけど」, “我们上次说到哪了”. */
const CONTINUES = new RegExp(
  [
    /\blast time\b|\bwhere (?:did )?we (?:left|leave|stop(?:ped)?)\b|\bas (?:we|i) (?:said|discussed|agreed|planned)\b/,
    /\bwe(?:'ve| have| had)? (?:just |already |previously |also )?(?:discussed|decided|talked|agreed|created|made|finished|completed|confirmed|identified|outlined|planned|drafted|settled)\b/,
    /\b(?:the|my|our|what(?:'s| is)) next(?: (?:steps?|phase|part|stage|thing))?(?=[?.!,;]|$)|\b(?:the|my|our|any) next (?:steps?|phase|part|stage|thing)\b/,
    /\bi(?:'m| am) back\b|\b(?:can we|let(?:'s| us)|ready to|(?:want|like) to) (?:continue|pick up where|move (?:on|forward)|get back|go back|start (?:on|with)|dive into|finali[sz]e)\b|\bready to\b|\bnow that (?:we|i|the|that)\b/,
    /(?:前回|前に|この前|この間|こないだ|先日|昨日|さっき)の?(?:話した|話して(?:い|た)|相談|続き|件|計画|プラン)|続き(?:を|から|なんだけど|だけど|ですが|をお願い)|例の(?:件|話|計画|プラン)|(?:決めた|立てた|作った|話した|相談した)(?:計画|プラン|予定|通り|とおり|件|やつ)|次(?:は|のステップは?|の段階は?)(?:何|なに|どう|どこ)/,
    /(?:我们|咱们|咱)(?:上次|上回|之前|刚才|昨天)?(?:说好|聊到|说到|谈到|讨论|商量|定下|定好|制定)|(?:上次|上回|之前|昨天)(?:我们|咱们|咱|你)?(?:聊|说到|谈|讨论|商量|制定|给我的)|(?:接着|继续)(?:上次|上回|之前|昨天|我们|聊|说|讲|讨论)|下一步(?:是|该|要|做|怎么|呢|干)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'iu',
);

/** The rank of a conversation, from 0, at which the value reaches 0. */
const LAST_RANK = 31;

/** Whether an utterance continues what was begun in an earlier conversation. */
export function continuesConversation(utterance: string): boolean {
  return CONTINUES.test(utterance.normalize('NFKC').replace(/’/gu, "'"));
}

/**
 * By candidate, 0..1: 1 in the newest conversation of all candidates, 0 from the thirty-second on. Between, each
 * doubling of the rank takes away the same.
 */
export function newnessOfConversations(candidates: readonly Document[]): Float64Array {
  const ends = new Map<string | number, number>();
  for (const candidate of candidates) {
    const key = keyOf(candidate);
    ends.set(key, Math.max(ends.get(key) ?? -Infinity, candidate.occurredAt));
  }
  const newestFirst = [...ends].toSorted(([, a], [, b]) => b - a);
  const ranks = new Map(newestFirst.map(([key], rank) => [key, Math.min(rank, LAST_RANK)]));
  return Float64Array.from(
    candidates,
    (candidate) => 1 - Math.log2(1 + (ranks.get(keyOf(candidate)) ?? LAST_RANK)) / Math.log2(1 + LAST_RANK),
  );
}

/** A unit without a conversation is one of its own. */
function keyOf({ conversationId, unitId }: Document): string | number {
  return conversationId ?? unitId;
}
