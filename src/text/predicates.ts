/** How the standard predicates of facts are said, and asked for, in three languages. */
import { keysOf } from '../model/model.ts';
import type { Language } from './language.ts';

/** Wordings in English; Japanese; Chinese, the preferred one first; and the words with which people ask for such a fact. */
const PREDICATES = {
  name: 'is called|name is|is named|name; 名前|氏名|本名; 名字|姓名|叫; name 名前 氏名 名字 姓名',
  nickname:
    'goes by|nickname|nickname is; 呼び名|あだ名|ニックネーム; 昵称|称呼|外号; nickname あだ名 呼び名 昵称 外号',
  age: 'is aged|age|age is; 年齢; 年龄|岁数; age old 年齢 何歳 歳 年龄 几岁 多大',
  birthday:
    'has a birthday on|birthday|birthday is|was born on; 誕生日|生年月日; 生日|出生日期; birthday born 誕生日 生まれ 生日 出生',
  home: 'lives in|live in|lives at|resides in|residence|home|moved to; 住まい|居住地|住所|住んでいる場所; 住在|居住地|住处|现居; live home address 住む 住んで 住所 家 住 住址 家',
  origin:
    'is from|comes from|hometown|grew up in|was born in; 出身|出身地|故郷|地元; 来自|老家|家乡|出生地; from hometown 出身 故郷 地元 老家 家乡 来自',
  job: 'works as|job|job is|occupation|profession; 仕事|職業|職種; 职业|工作|职位|工作是|职业是; job work occupation profession 仕事 職業 工作 职业',
  formerJob:
    'used to work as|former job|former occupation; 以前の仕事|前職; 以前的职业|以前做; former job work 前職 前の仕事 以前的工作',
  workplace:
    'works at|works for|employer|workplace; 勤務先|職場|会社; 工作单位|就职于|公司|在哪里工作; work job company employer 勤務先 職場 会社 仕事 工作 公司 单位',
  school:
    'studies at|goes to school at|school|university; 学校|通学先|大学; 就读于|学校|大学; school university college 学校 大学 学校 大学',
  studies:
    'studies|major|majors in; 専攻|勉強していること|学んでいること; 专业|正在学习|所学专业; study major 専攻 勉強 专业 学习',
  marriage:
    'marital status|relationship status; 婚姻状況|結婚; 婚姻状况|感情状况; married marriage 結婚 结婚 婚姻',
  likes:
    'likes|like|loves|enjoys|is fond of|is a fan of; 好きなもの|好きなこと|好き|好物; 喜欢|热爱|爱吃|很喜欢; like favourite 好き 喜欢',
  dislikes:
    'dislikes|hates|does not like|cannot stand; 苦手なもの|嫌いなもの|嫌い|苦手; 不喜欢|讨厌|不爱吃; dislike hate 嫌い 苦手 不喜欢 讨厌',
  favourite: 'favourite; 一番好き; 最喜欢; favourite favorite like 一番好き 最喜欢',
  allergy:
    'is allergic to|allergy|has an allergy to; アレルギー; 过敏原|对…过敏|过敏; allergy allergic アレルギー 过敏',
  health:
    'has the health condition|health|health condition|was diagnosed with; 持病|健康|健康状態|病気; 健康状况|健康|病史; health illness condition 健康 病気 持病 健康 生病',
  avoids:
    'avoids|does not eat|cannot eat; 食べられないもの|食べないもの; 不吃|不能吃; avoid eat 食べない 食べられない 不吃 不能吃',
  diet: 'follows the diet|diet|diet is; 食生活; 饮食习惯; diet eat 食生活 食事 饮食',
  pet: 'has as a pet|has a pet|pet; ペット|飼っている動物; 养了|宠物|养; pet animal ペット 飼う 飼って 宠物 养',
  family: 'has family:|has in the family|family; 家族|兄弟姉妹|子ども; 家人|家庭成员; family 家族 家人 家庭',
  knows:
    'knows|friend|colleague; 知り合い|友人|同僚; 认识|朋友|同事; know friend colleague 知り合い 友人 友達 同僚 认识 朋友 同事',
  hobby: 'has the hobby|hobby|hobby is|hobbies; 趣味; 爱好是|兴趣|业余爱好; hobby 趣味 爱好 兴趣',
  plays: 'plays; 演奏する楽器|するスポーツ; 会弹|会打|演奏; play instrument 楽器 演奏 乐器 演奏',
  owns: 'owns|bought|possesses; 持ち物|所有; 拥有|买了; own have 持ち物 持って 拥有',
  speaks: 'speaks; 話せる言語; 会说; speak language 話せる 言語 会说 语言',
  bloodType: 'has the blood type|blood type; 血液型; 血型; blood type 血液型 血型',
  plansToMove:
    'plans to move to|is moving to; 引っ越し予定先|引っ越し先; 打算搬去|准备搬到; move 引っ越し 搬家 搬去',
} as const satisfies Record<string, string>;

export type PredicateName = keyof typeof PREDICATES;

export const PREDICATE_NAMES = keysOf(PREDICATES);

type Wordings = Readonly<Record<Language, readonly string[]>> & { readonly asked: string };

function wordingsOf(name: PredicateName): Wordings {
  const [en = '', ja = '', zh = '', asked = ''] = PREDICATES[name].split('; ');
  return { en: en.split('|'), ja: ja.split('|'), zh: zh.split('|'), asked };
}

/** The wording of a predicate. @param of for `favourite`: favourite what */
export function predicateWording(name: PredicateName, language: Language, of?: string): string {
  const [wording = name] = wordingsOf(name)[language];
  if (name !== 'favourite' || of === undefined) return wording;
  return { en: `has as favourite ${of}`, ja: `一番好きな${of}`, zh: `最喜欢的${of}` }[language];
}

const FAVOURITE =
  /^(?:has (?:as )?)?(?:(?:a |their )?favou?rite (?<en>.+?)(?: is)?|一番好きな(?<ja>.+)|最喜欢的(?<zh>.+))$/;

const BY_WORDING = new Map(
  PREDICATE_NAMES.flatMap((name) => {
    const { en, ja, zh } = wordingsOf(name);
    return [...en, ...ja, ...zh].map((wording) => [wording, name] as const);
  }),
);

/**
 * The key of a predicate, whatever its wording: a standard name (`home`, `favourite:food`), or else the folded
 * wording.
 */
export function predicateKey(wording: string): string {
  const folded = wording.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();
  const name = BY_WORDING.get(folded);
  if (name) return name;
  const favourite = FAVOURITE.exec(folded)?.groups;
  const of = favourite?.['en'] ?? favourite?.['ja'] ?? favourite?.['zh'];
  return of === undefined ? folded : `favourite:${of.replace(/^an? /, '')}`;
}

/** The standard predicate of a key; undefined for other keys. */
export function predicateNameOf(key: string): PredicateName | undefined {
  const name = key.startsWith('favourite:') ? 'favourite' : key;
  return PREDICATE_NAMES.find((one) => one === name);
}

/** Words with which people ask for facts with this predicate; empty for predicates of a user's own. */
export function wordsAskingFor(predicate: string): string {
  const name = predicateNameOf(predicateKey(predicate));
  return name === undefined ? '' : wordingsOf(name).asked;
}
