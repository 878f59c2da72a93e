/** What `omoide forget` tells a person, in the language of the texts to erase. */
import type { Erased } from '../engine/engine.ts';
import { detectLanguage } from '../text/text.ts';
import { countOf } from './terminal.ts';

type Kind = keyof Erased['counts'];

interface Wording {
  readonly counts: Readonly<Record<Kind, (count: number) => string>>;
  readonly separator: string;
  readonly stop: string;
  readonly wouldGo: string;
  readonly gone: string;
  readonly nothing: string;
  readonly changed: (count: number) => string;
  readonly topics: (count: number) => string;
  readonly note: (uri: string, text: string) => string;
  readonly earlierText: (notes: number) => string;
  readonly afterEditing: (unitIds: readonly number[]) => string;
  readonly head: (hash: string) => string;
  readonly question: string;
}

const commands = (unitIds: readonly number[]) => unitIds.map((id) => `omoide forget --unit ${id}`).join('; ');

const en: Wording = {
  counts: {
    episode: (count) => countOf(count, 'turn'),
    fact: (count) => countOf(count, 'fact'),
    summary: (count) => countOf(count, 'summary', 'summaries'),
    loop: (count) => countOf(count, 'open loop'),
    capsule: (count) => countOf(count, 'capsule'),
    note: (count) => countOf(count, 'note'),
  },
  separator: ', ',
  stop: '.',
  wouldGo: 'Would be erased: ',
  gone: 'Forgotten: ',
  nothing: 'There is nothing to erase.',
  changed: (count) => `${countOf(count, 'unit')} stay, without the part derived from it.`,
  topics: (count) => `${countOf(count, 'topic')} get another title or summary.`,
  note: (uri, text) => `A note with the same content stays: ${uri}: ${text}`,
  earlierText: (notes) => `the earlier text of ${countOf(notes, 'note')}`,
  afterEditing: (ids) => `After you have removed it there, erase what the note said: ${commands(ids)}`,
  head: (hash) => `Chain head before and after: ${hash}`,
  question: 'Erase this permanently?',
};

const ja: Wording = {
  counts: {
    episode: (count) => `発言 ${count} 件`,
    fact: (count) => `事実 ${count} 件`,
    summary: (count) => `要約 ${count} 件`,
    loop: (count) => `未完了の用件 ${count} 件`,
    capsule: (count) => `カプセル ${count} 件`,
    note: (count) => `ノート ${count} 件`,
  },
  separator: '、',
  stop: '。',
  wouldGo: '消えるもの：',
  gone: '忘れました：',
  nothing: '消すものは何もありません。',
  changed: (count) => `記憶 ${count} 件は、そこから得たものを除いて残ります。`,
  topics: (count) => `話題 ${count} 件の名前か要約が変わります。`,
  note: (uri, text) => `同じことを書いたノートは残ります：${uri}：${text}`,
  earlierText: (notes) => `ノート ${notes} 件の以前の内容`,
  afterEditing: (ids) => `ファイルから消したあと、ノートの以前の内容も消してください：${commands(ids)}`,
  head: (hash) => `前と後のチェーンの先頭：${hash}`,
  question: '完全に消しますか。元には戻せません。',
};

const zh: Wording = {
  counts: {
    episode: (count) => `${count} 条发言`,
    fact: (count) => `${count} 条事实`,
    summary: (count) => `${count} 条摘要`,
    loop: (count) => `${count} 件未了的事`,
    capsule: (count) => `${count} 个记忆胶囊`,
    note: (count) => `${count} 条笔记`,
  },
  separator: '、',
  stop: '。',
  wouldGo: '会消失的：',
  gone: '已经忘记：',
  nothing: '没有什么可抹去的。',
  changed: (count) => `${count} 条记忆会留下，但去掉由此得来的部分。`,
  topics: (count) => `${count} 个话题会换标题或摘要。`,
  note: (uri, text) => `写着同样内容的笔记会留下：${uri}：${text}`,
  earlierText: (notes) => `${notes} 条笔记以前的内容`,
  afterEditing: (ids) => `从文件中删去之后，请再抹去笔记以前的内容：${commands(ids)}`,
  head: (hash) => `之前和之后的链头：${hash}`,
  question: '要彻底抹去吗？无法恢复。',
};

/** @param asked the words of the command, which decide where nothing is found */
export function forgetWording({ samples }: Erased, asked: string): Wording {
  return { en, ja, zh }[detectLanguage([...samples.map(({ text }) => text), asked].join('\n'))];
}
