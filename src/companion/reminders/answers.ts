/** Recognises answers to a reminder: done, no longer relevant, or later. */
import { detectLanguage, type Language } from '../../text/text.ts';
import type { LoopChange } from '../loopChange.ts';

/** Longer messages have other content too; their effect on loops is learnt in the background. */
const MAX_LENGTH = 60;

type Action = 'dropped' | 'later' | 'done';

/** The first match counts: “not done yet, later” is not “done”. */
const ANSWERS: Readonly<Record<Language, Readonly<Record<Action, RegExp>>>> = {
  en: {
    dropped: /\b(?:cancel(?:led)?(?: it)?|never ?mind|drop it|not needed any ?more|it'?s off)\b/i,
    later:
      /\b(?:later|not (?:now|yet)|snooze|postpone|remind me (?:again|in|at|on|tomorrow)|in (?:an?|\d+|two|three) (?:minutes?|hours?|days?))\b/i,
    done: /^(?:(?:ok(?:ay)?|yes|yep|yeah|thanks|thank you|already|it'?s|i'?m|i|all)[,.! ]+)*(?:done|did (?:it|that)|finished(?: it)?|handled(?: it)?|taken care of)\b(?![^.!]*\?)/i,
  },
  ja: {
    dropped: /やめた|やめました|やめとく|キャンセル|中止|もういい|なくなった|行かないことにした/,
    later:
      /(?:あと|後)で|後にして|まだ|延期|スヌーズ|もう一度(?:言って|教えて)|(?:分|時間|明日|今夜)(?:後|に|また)?.{0,6}(?:リマインド|思い出させて|言って|教えて|して)/,
    done: /^(?:うん|はい|もう|さっき|ありがとう|、|。|！|\s)*(?:終わった|終わりました|済んだ|済みました|済ませた|済ませました|やった|やりました|完了|できた|できました|行ってきた|行ってきました|出した|出しました)(?!.*[?？])/,
  },
  zh: {
    dropped: /取消了?|不去了|算了|不用了|不做了/,
    later: /晚点|晚些|等会|待会|稍后|一会儿|过会|推迟|改天|还没|再提醒|再说/,
    done: /^(?:嗯|好的|已经|刚刚?|都|谢谢|，|。|！|\s)*(?:做完了|完成了|搞定了?|办好了|办完了|弄好了|去过了|做了|交了)(?!.*[?？吗])/,
  },
};

/** The action in the words; null if they are not a clear answer. */
export function answerIn(text: string): LoopChange['action'] | null {
  const words = text.trim();
  if (words.length > MAX_LENGTH) return null;
  const answers = ANSWERS[detectLanguage(words)];
  return (['dropped', 'later', 'done'] as const).find((action) => answers[action].test(words)) ?? null;
}
