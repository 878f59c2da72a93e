/** The texts that describe a plan, in three languages. */
import { keysOf } from '../model/model.ts';
import { detectLanguage, type Language } from '../text/text.ts';

/** The language of most of the texts. */
export function languageOf(texts: readonly string[], fallback: Language = 'en'): Language {
  const counts = { ja: 0, zh: 0, en: 0 };
  // A title of two characters may be Chinese or Japanese: then the language of the others decides.
  const all = detectLanguage(texts.join('\n'), fallback);
  for (const text of texts) counts[detectLanguage(text, all)] += 1;
  const max = Math.max(...Object.values(counts));
  return max === 0 || counts[all] === max ? all : (keysOf(counts).find((one) => counts[one] === max) ?? all);
}

interface Wording {
  readonly reasons: {
    readonly crowded: (members: number) => string;
    readonly incoherent: string;
    readonly surrounding: string;
    readonly similar: string;
    readonly same: string;
    readonly nearAndSimilar: string;
    readonly saysTheSame: string;
    readonly expired: string;
    readonly faded: string;
  };
  readonly quote: (words: string) => string;
  /** A topic by title, number and turns. */
  readonly topic: (title: string, id: number, members: number) => string;
  readonly title: (at: string, by: string) => string;
  readonly byRules: string;
  readonly nothing: string;
  readonly split: (topic: string) => string;
  readonly part: (title: string, count: number, period: string) => string;
  readonly stay: (count: number) => string;
  readonly merge: (topics: string, into: string) => string;
  readonly rename: (title: string) => string;
  readonly newParent: (parent: string, count: number) => string;
  readonly parent: (parent: string, count: number) => string;
  readonly mergeUnits: (into: string, count: number) => string;
  readonly archiveUnits: (count: number) => string;
  readonly more: (count: number) => string;
  readonly because: (reason: string) => string;
  readonly refresh: (count: number) => string;
}

const en: Wording = {
  reasons: {
    crowded: (members) => `${members} turns are too many for one topic`,
    incoherent: 'its parts have no more in common than two unrelated conversations',
    surrounding: 'it comes in the middle of that conversation',
    similar: 'it is small, and fits there as well as the other turns',
    same: 'they are about the same thing',
    nearAndSimilar: 'close in time and similar',
    saysTheSame: 'says the same',
    expired: 'it has expired',
    faded: 'old, unimportant, uncertain, and never recalled',
  },
  quote: (words) => `“${words}”`,
  topic: (title, id, members) => `“${title}” (#${id}, ${members})`,
  title: (at, by) => `Reorganisation of ${at}, proposed by ${by}`,
  byRules: 'rules',
  nothing: 'Nothing to reorganise.',
  split: (topic) => `Split ${topic} into:`,
  part: (title, count, period) => `${title}: ${turns(count)}, ${period}`,
  stay: (count) =>
    `${turns(count)} ${count === 1 ? 'stays' : 'stay'} where ${count === 1 ? 'it is' : 'they are'}`,
  merge: (topics, into) => `Merge ${topics} into ${into}`,
  rename: (title) => `renamed ${title}`,
  newParent: (parent, count) => `New topic ${parent} above ${count}:`,
  parent: (parent, count) => `Put ${count} under ${parent}:`,
  mergeUnits: (into, count) => `Merge ${count} that ${count === 1 ? 'says' : 'say'} the same into ${into}:`,
  archiveUnits: (count) => `Archive ${count}:`,
  more: (count) => `and ${count} more`,
  because: (reason) => `because: ${reason}`,
  refresh: (count) => `Recompute strength, centre and feeling of ${count} topic${count === 1 ? '' : 's'}`,
};

function turns(count: number): string {
  return count === 1 ? '1 turn' : `${count} turns`;
}

const ja: Wording = {
  reasons: {
    crowded: (members) => `発言が${members}件あり、一つの話題には多すぎる`,
    incoherent: '内容の共通点が、無関係な会話どうしと同じくらい少ない',
    surrounding: 'その会話の途中で出た話題',
    similar: '小さく、統合先の内容とよく合う',
    same: '同じことについての話題',
    nearAndSimilar: '時期が近く、内容が似ている',
    saysTheSame: '同じことを言っている',
    expired: '期限が過ぎた',
    faded: '古く、重要さも確かさも低く、一度も思い出されていない',
  },
  quote: (words) => `「${words}」`,
  topic: (title, id, members) => `「${title}」（#${id}、${members}件）`,
  title: (at, by) => `${at} の整理案（作成：${by}）`,
  byRules: '規則',
  nothing: '整理することはありません。',
  split: (topic) => `${topic}を分ける：`,
  part: (title, count, period) => `${title}：${count}件、${period}`,
  stay: (count) => `${count}件はそのまま`,
  merge: (topics, into) => `${topics}を${into}にまとめる`,
  rename: (title) => `新しい名前は${title}`,
  newParent: (parent, count) => `${count}件の話題の上に${parent}を作る：`,
  parent: (parent, count) => `${count}件の話題を${parent}の下に置く：`,
  mergeUnits: (into, count) => `${into}に、同じことを言うもの${count}件をまとめる：`,
  archiveUnits: (count) => `${count}件をアーカイブする：`,
  more: (count) => `ほか${count}件`,
  because: (reason) => `理由：${reason}`,
  refresh: (count) => `話題${count}件の強さ・中心・気持ちを計算し直す`,
};

const zh: Wording = {
  reasons: {
    crowded: (members) => `有${members}条发言，一个话题装不下`,
    incoherent: '各部分的共同点不比两次无关的对话多',
    surrounding: '它出现在那次对话的中间',
    similar: '它很小，与那里的内容很接近',
    same: '说的是同一件事',
    nearAndSimilar: '时间相近，内容相似',
    saysTheSame: '说的内容相同',
    expired: '已经过期',
    faded: '时间久远，不重要也不确定，从未被想起',
  },
  quote: (words) => `“${words}”`,
  topic: (title, id, members) => `“${title}”（#${id}，${members}条）`,
  title: (at, by) => `${at} 的整理方案（提出者：${by}）`,
  byRules: '规则',
  nothing: '没有需要整理的。',
  split: (topic) => `把${topic}分为：`,
  part: (title, count, period) => `${title}：${count}条，${period}`,
  stay: (count) => `${count}条保持不动`,
  merge: (topics, into) => `把${topics}并入${into}`,
  rename: (title) => `改名为${title}`,
  newParent: (parent, count) => `在${count}个话题之上新建${parent}：`,
  parent: (parent, count) => `把${count}个话题放到${parent}之下：`,
  mergeUnits: (into, count) => `把内容相同的${count}条并入${into}：`,
  archiveUnits: (count) => `归档${count}条：`,
  more: (count) => `另有${count}条`,
  because: (reason) => `原因：${reason}`,
  refresh: (count) => `重新计算${count}个话题的强度、中心和情感`,
};

export const WORDING: Readonly<Record<Language, Wording>> = { en, ja, zh };
