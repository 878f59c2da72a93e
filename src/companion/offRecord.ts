/** Off the record: requested in words, by a flag of the request, or for a whole conversation. */
import type { Memory } from '../engine/engine.ts';
import type { Episode, Turn } from '../model/model.ts';
import { detectLanguage, type Language } from '../text/text.ts';

const LAST = 1;
/** Number of earlier turns that “forget what I just said” refers to: one exchange. */
const EXCHANGE = 2;

const THIS: Readonly<Record<Language, RegExp>> = {
  en: /\boff the record\b|(?<!\b(?:i|we|you|they|he|she|really|just|still|honestly|why)\s)\b(?:do not|don[’']?t|never)\s+(?:remember|memori[sz]e|store|save|record|keep)\s+(?:this|that|it|what i)\b|\bforget (?:that )?(?:what )?i (?:just )?(?:said|told you|mentioned)\b/i,
  ja: /(?:覚え|記憶し|メモし|記録し|保存し)(?:ないで|とかないで|ておかないで|なくていい|ちゃ(?:だめ|ダメ))|オフレコ|(?:今の|いまの|さっきの|この話|これ|それ)(?:は|を|、)?[^。]{0,6}忘れて(?:ください|ね|くれ|ほしい|欲しい)?(?:[。！!]|$)/,
  zh: /(?:别|不要|请勿|不许|不用)(?:记(?!错|恨|仇|挂|得(?:错|吃|喝))|保存|存下|写进)|当我没说/,
};

const BEFORE: Readonly<Record<Language, RegExp>> = {
  en: /\bforget (?:that )?(?:what )?i (?:just )?(?:said|told you|mentioned)\b|\b(?:that was off the record)\b|\b(?:remember|store|save|record|keep) (?:that|what i (?:just )?said)\b/i,
  ja: /今の|いまの|さっきの|それ(?:は|を|、)/,
  zh: /刚才|刚刚|刚说|上一?句|当我没说/,
};

/** What the words ask not to be remembered; null if they ask for nothing. */
export function offRecordIn(text: string): 'this' | 'before' | null {
  const language = detectLanguage(text);
  if (!THIS[language].test(text)) return null;
  return BEFORE[language].test(text) ? 'before' : 'this';
}

/** Whether a conversation is incognito. It stays so until it is changed. */
export async function isIncognito(memory: Memory, conversationId: string): Promise<boolean> {
  const [last] = await memory.conversations.recent(conversationId, LAST);
  return last !== undefined && last.meta['incognito'] === true;
}

/** Archives the exchange before a turn, and what was learnt only from it. */
export async function forgetBefore(memory: Memory, unitId: number): Promise<void> {
  const [around] = await memory.units.neighbours([unitId], { before: EXCHANGE, after: 0 });
  const before = new Set(around?.before ?? []);
  if (before.size === 0) return;
  const derived = await memory.units.list(
    { kinds: ['fact', 'loop'], maxSensitivity: 'secret' },
    { limit: 200 },
  );
  const learnt = derived.filter(
    (unit) =>
      (unit.kind === 'fact' || unit.kind === 'loop') &&
      unit.payload.evidence.length > 0 &&
      unit.payload.evidence.every((id) => before.has(id)),
  );
  for (const id of [...before, ...learnt.map((unit) => unit.id)])
    await memory.units.update({ unitId: id, set: { state: 'archived' }, reason: 'off the record' });
}

/** Of archived episodes, those that were off the record when they were said: they are still part of the conversation. */
export function wasOffRecord(turns: readonly Turn[]): (episode: Episode) => boolean {
  const ids = new Set(turns.filter(({ meta }) => meta['remember'] === false).map(({ id }) => id));
  return ({ payload }) => ids.has(payload.turnId);
}
