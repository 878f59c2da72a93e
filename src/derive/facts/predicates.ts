/** The standard predicates of facts, each with wordings in three languages. */
import type { Language } from '../../text/text.ts';

interface Predicate {
  /** Whether a subject has only one such fact at a time: another closes it. */
  readonly isExclusive: boolean;
  /** Salience of such a fact, 0 to 1. */
  readonly salience: number;
  /** The preferred wording first, then synonyms. Subject, wording and object make a sentence, or columns. */
  readonly wordings: Readonly<Record<Language, readonly string[]>>;
}

function one(salience: number, en: string, ja: string, zh: string): Predicate {
  return { isExclusive: true, salience, wordings: wordingsOf(en, ja, zh) };
}

function many(salience: number, en: string, ja: string, zh: string): Predicate {
  return { isExclusive: false, salience, wordings: wordingsOf(en, ja, zh) };
}

function wordingsOf(en: string, ja: string, zh: string): Predicate['wordings'] {
  return { en: en.split('|'), ja: ja.split('|'), zh: zh.split('|') };
}

const PREDICATES = {
  name: one(0.9, 'is called|name is|is named|name', '名前|氏名|本名', '名字|姓名|叫'),
  nickname: many(0.7, 'goes by|nickname|nickname is', '呼び名|あだ名|ニックネーム', '昵称|称呼|外号'),
  age: one(0.6, 'is aged|age|age is', '年齢', '年龄|岁数'),
  birthday: one(
    0.9,
    'has a birthday on|birthday|birthday is|was born on',
    '誕生日|生年月日',
    '生日|出生日期',
  ),
  home: one(
    0.8,
    'lives in|live in|lives at|resides in|residence|home|moved to',
    '住まい|居住地|住所|住んでいる場所',
    '住在|居住地|住处|现居',
  ),
  origin: one(
    0.6,
    'is from|comes from|hometown|grew up in|was born in',
    '出身|出身地|故郷|地元',
    '来自|老家|家乡|出生地',
  ),
  job: one(
    0.7,
    'works as|job|job is|occupation|profession',
    '仕事|職業|職種',
    '职业|工作|职位|工作是|职业是',
  ),
  formerJob: many(
    0.5,
    'used to work as|former job|former occupation',
    '以前の仕事|前職',
    '以前的职业|以前做',
  ),
  workplace: one(
    0.6,
    'works at|works for|employer|workplace',
    '勤務先|職場|会社',
    '工作单位|就职于|公司|在哪里工作',
  ),
  school: one(0.6, 'studies at|goes to school at|school|university', '学校|通学先|大学', '就读于|学校|大学'),
  studies: many(
    0.5,
    'studies|major|majors in',
    '専攻|勉強していること|学んでいること',
    '专业|正在学习|所学专业',
  ),
  marriage: one(0.7, 'marital status|relationship status', '婚姻状況|結婚', '婚姻状况|感情状况'),
  likes: many(
    0.5,
    'likes|like|loves|enjoys|is fond of|is a fan of',
    '好きなもの|好きなこと|好き|好物',
    '喜欢|热爱|爱吃|很喜欢',
  ),
  dislikes: many(
    0.5,
    'dislikes|hates|does not like|cannot stand',
    '苦手なもの|嫌いなもの|嫌い|苦手',
    '不喜欢|讨厌|不爱吃',
  ),
  favourite: one(0.6, 'favourite', '一番好き', '最喜欢'),
  allergy: many(0.9, 'is allergic to|allergy|has an allergy to', 'アレルギー', '过敏原|对…过敏|过敏'),
  health: many(
    0.8,
    'has the health condition|health|health condition|was diagnosed with',
    '持病|健康|健康状態|病気',
    '健康状况|健康|病史',
  ),
  avoids: many(0.7, 'avoids|does not eat|cannot eat', '食べられないもの|食べないもの', '不吃|不能吃'),
  diet: one(0.7, 'follows the diet|diet|diet is', '食生活', '饮食习惯'),
  pet: many(0.6, 'has as a pet|has a pet|pet', 'ペット|飼っている動物', '养了|宠物|养'),
  family: many(0.6, 'has in the family|family', '家族|兄弟姉妹|子ども', '家人|家庭成员'),
  knows: many(0.5, 'knows|friend|colleague', '知り合い|友人|同僚', '认识|朋友|同事'),
  hobby: many(0.5, 'has the hobby|hobby|hobby is|hobbies', '趣味', '爱好是|兴趣|业余爱好'),
  plays: many(0.5, 'plays', '演奏する楽器|するスポーツ', '会弹|会打|演奏'),
  owns: many(0.4, 'owns|bought|possesses', '持ち物|所有', '拥有|买了'),
  speaks: many(0.5, 'speaks', '話せる言語', '会说'),
  bloodType: one(0.4, 'has the blood type|blood type', '血液型', '血型'),
  plansToMove: one(0.6, 'plans to move to|is moving to', '引っ越し予定先|引っ越し先', '打算搬去|准备搬到'),
} as const satisfies Record<string, Predicate>;

export type PredicateName = keyof typeof PREDICATES;

export const PREDICATE_NAMES = Object.keys(PREDICATES) as PredicateName[];

/** The wording of a predicate. @param of for `favourite`: favourite what */
export function wordingOf(name: PredicateName, language: Language, of?: string): string {
  const [wording = name] = PREDICATES[name].wordings[language];
  if (name !== 'favourite' || of === undefined) return wording;
  return { en: `has as favourite ${of}`, ja: `一番好きな${of}`, zh: `最喜欢的${of}` }[language];
}

const FAVOURITE =
  /^(?:has (?:as )?)?(?:(?:a |their )?favou?rite (?<en>.+?)(?: is)?|一番好きな(?<ja>.+)|最喜欢的(?<zh>.+))$/;

const BY_WORDING = new Map(
  PREDICATE_NAMES.flatMap((name) =>
    Object.values(PREDICATES[name].wordings)
      .flat()
      .map((wording) => [wording, name] as const),
  ),
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

export function isExclusive(key: string): boolean {
  return predicateOf(key)?.isExclusive ?? false;
}

/** Salience of a fact with this predicate, 0 to 1. */
export function salienceOf(key: string): number {
  return predicateOf(key)?.salience ?? 0.5;
}

/** The predicate that this one excludes for the same object: dislikes and likes, moved there and plans to. */
export function oppositeOf(key: string): string | null {
  return OPPOSITES[key] ?? null;
}

const OPPOSITES: Readonly<Record<string, string>> = {
  likes: 'dislikes',
  dislikes: 'likes',
  home: 'plansToMove',
};

function predicateOf(key: string): Predicate | undefined {
  const name = key.startsWith('favourite:') ? 'favourite' : key;
  return name in PREDICATES ? PREDICATES[name as PredicateName] : undefined;
}
