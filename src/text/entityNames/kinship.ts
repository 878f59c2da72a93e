/** Words for relations between people, and the relation of an edge for each. */
import type { Entity } from '../../model/model.ts';

const KIN = `
mother: mother mom mum mommy | 母 母親 お母さん | 妈妈 母亲 老妈
father: father dad daddy | 父 父親 お父さん | 爸爸 父亲 老爸
older sister: | 姉 お姉ちゃん お姉さん | 姐姐 表姐 堂姐
younger sister: | 妹 | 妹妹 表妹 堂妹
sister: sister | 姉妹 | 姐妹
older brother: | 兄 お兄ちゃん お兄さん | 哥哥 表哥 堂哥
younger brother: | 弟 | 弟弟 表弟 堂弟
brother: brother | 兄弟 | 兄弟
daughter: daughter | 娘 長女 次女 | 女儿
son: son | 息子 長男 次男 | 儿子
wife: wife | 妻 嫁 家内 | 老婆 妻子 太太 媳妇
husband: husband | 夫 旦那 主人 | 老公 丈夫 先生
girlfriend: girlfriend | 彼女 | 女朋友 女友
boyfriend: boyfriend | 彼氏 | 男朋友 男友
partner: partner fiancé fiancée fiance fiancee | 婚約者 パートナー | 对象 未婚妻 未婚夫
grandmother: grandmother grandma granny | 祖母 おばあちゃん | 奶奶 外婆 姥姥
grandfather: grandfather grandpa | 祖父 おじいちゃん | 爷爷 外公 姥爷
aunt: aunt auntie | 叔母 伯母 おばさん | 阿姨 姑姑 舅妈
uncle: uncle | 叔父 伯父 おじさん | 叔叔 舅舅 姑父
cousin: cousin | いとこ 従兄弟 従姉妹 従兄 従妹 |
nephew: nephew | 甥 甥っ子 | 侄子 外甥
niece: niece | 姪 姪っ子 | 侄女 外甥女
grandchild: grandson granddaughter | 孫 | 孙子 孙女
friend: friend buddy bestie | 友達 友だち 友人 親友 幼馴染 | 朋友 好友 闺蜜 哥们 发小
classmate: classmate | 同級生 クラスメイト クラスメート | 同学
colleague: colleague coworker co-worker teammate | 同僚 部下 後輩 先輩 | 同事 搭档
boss: boss manager | 上司 | 老板 上司 领导
teacher: teacher coach tutor mentor professor | 先生 恩師 担任 コーチ | 老师 教练 导师
roommate: roommate housemate | ルームメイト | 室友
neighbour: neighbor neighbour | 隣人 | 邻居
pet: dog puppy pup cat kitten pet hamster rabbit bunny parrot turtle | 犬 愛犬 猫 愛猫 ペット うさぎ ハムスター インコ | 狗 小狗 狗狗 猫 小猫 猫咪 宠物 兔子 仓鼠`;

const RELATIONS = new Map<string, string>();
const words: Record<'en' | 'ja' | 'zh', string[]> = { en: [], ja: [], zh: [] };
for (const row of KIN.trim().split('\n')) {
  const [relation = '', lists = ''] = row.split(':');
  for (const [i, list] of lists.split('|').entries()) {
    for (const word of list.trim().split(/\s+/).filter(Boolean)) {
      RELATIONS.set(word, relation);
      words[(['en', 'ja', 'zh'] as const)[i] ?? 'en'].push(word);
    }
  }
}

/** The words of a language for relatives, companions and pets, as alternatives of a pattern, the longest first. */
export function kinPattern(language: 'en' | 'ja' | 'zh'): string {
  return words[language].toSorted((a, b) => b.length - a.length).join('|');
}

/** The relation of an edge for such a word: the named entity is the speaker's `relation`. */
export function relationOf(word: string): string | null {
  return RELATIONS.get(word.toLowerCase()) ?? null;
}

export function typeOfKin(relation: string | null): Entity['type'] {
  return relation === 'pet' ? 'animal' : 'person';
}
