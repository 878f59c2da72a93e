/** Subjects of facts, however they are named: the user by name or not, and the user's sister, 妹, 妹妹. */
import type { UnitOf } from '../../model/model.ts';
import type { Language } from '../../text/text.ts';
import { predicateKey } from '../../text/text.ts';

/** The speaker of a chat. */
const USER = 'user';
/** Words by which a speaker refers to themselves. */
const SELF_WORDS = new Set(['i', 'me', 'myself', 'my', '私', '僕', '俺', '自分', '我', '本人']);
const USER_WORDS = new Set([USER, 'the user', 'ユーザー', 'ユーザ', '用户', '使用者', ...SELF_WORDS]);
/** Words for the same relation. If another language distinguishes two relations, they are separate. */
const RELATIONS = new Map(
  `mother mom mum 母 お母さん ママ 妈妈 母亲 老妈
father dad 父 お父さん パパ 爸爸 父亲 老爸
husband 夫 旦那 主人 老公 丈夫
wife 妻 嫁 奥さん 老婆 妻子
son 息子 儿子
daughter 娘 女儿
child kid 子供 子ども 孩子
girlfriend 彼女 女朋友 女友
boyfriend 彼氏 男朋友 男友
grandmother grandma 祖母 おばあちゃん
grandfather grandpa 祖父 おじいちゃん
older-sister 姉 お姉ちゃん 姉貴 姐姐
younger-sister little-sister 妹 妹妹
older-brother big-brother 兄 お兄ちゃん 兄貴 哥哥
younger-brother little-brother 弟 弟弟
dog puppy 犬 愛犬 狗 小狗 狗狗
cat kitten 猫 愛猫 小猫 猫咪 猫猫`
    .split('\n')
    .flatMap((line) => {
      const [first = '', ...others] = line.split(' ');
      return [first, ...others].map((word) => [word.replace('-', ' '), first] as const);
    }),
);
const RELATED = /^(?<owner>.+?)(?:'s |’s |の|的)(?<relation>.+)$/u;

/** The known names of the user. */
export interface UserNames {
  /** The name to write, or `user`. */
  readonly shown: string;
  readonly keys: ReadonlySet<string>;
}

/** Reads the user's names from known facts. */
export function userNames(facts: readonly UnitOf<'fact'>[]): UserNames {
  const named = facts.filter(({ payload }) => predicateKey(payload.predicate) === 'name');
  const keys = new Set(USER_WORDS);
  let shown = USER;
  // A name may be given under an earlier name, so this repeats until none is added.
  for (let before = 0; before !== keys.size;) {
    before = keys.size;
    for (const { payload } of named) {
      if (!keys.has(fold(payload.subject))) continue;
      keys.add(fold(payload.object));
      if (payload.validTo === null && !USER_WORDS.has(fold(payload.object))) shown = payload.object;
    }
  }
  return { shown, keys };
}

/** The key of a subject. */
export function subjectKey(subject: string, user: UserNames): string {
  const folded = fold(subject);
  if (user.keys.has(folded)) return USER;
  const { owner, relation } = RELATED.exec(folded)?.groups ?? {};
  if (owner === undefined || relation === undefined) return folded;
  return `${subjectKey(owner, user)}/${RELATIONS.get(relation) ?? relation}`;
}

/** The written form of a subject. @param whose the relation, in the sentence's words; null: the speaker */
export function writeSubject(
  speaker: string,
  whose: string | null,
  user: UserNames,
  language: Language,
): string {
  const owner = speaker === USER ? user.shown : speaker;
  if (whose === null) return owner;
  return { en: `${owner}'s ${whose.toLowerCase()}`, ja: `${owner}の${whose}`, zh: `${owner}的${whose}` }[
    language
  ];
}

/** The stored form of a subject from a model: `I` is the speaker, and the user is written by name. */
export function tidySubject(subject: string, speaker: string, user: UserNames): string {
  const named = subject.trim();
  const { owner = named, rest = '' } =
    /^(?<owner>.+?)(?<rest>(?:'s |’s |の|的).+)$/u.exec(named)?.groups ?? {};
  for (const [whole, tail] of [
    [named, ''],
    [owner, rest],
  ] as const) {
    if (speaker !== USER && SELF_WORDS.has(fold(whole))) return `${speaker}${tail}`;
    if (user.keys.has(fold(whole))) return `${user.shown}${tail}`;
  }
  return named;
}

function fold(words: string): string {
  return words.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();
}
