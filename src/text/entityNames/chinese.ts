/**
 * Names in Chinese, by titles, by 小 and 老 before a surname, by words for relatives, and by surnames where a name is
 * likely.
 *
 *     我妹妹小红和|王老师|在清华大学见了陈建国
 *       └ kin     └ title   └ ending   └ surname and given name
 */
import { famous, likely, perhaps, sure, withoutOverlaps, type NameCandidate } from './candidates.ts';
import { wellKnown, wellKnownIn } from './gazetteer.ts';
import { latinNames, MAX_GUESSES } from './japanese.ts';
import { kinPattern, relationOf, typeOfKin } from './kinship.ts';
import { CHINESE_SURNAMES, PLAIN_CHINESE_SURNAMES } from './knownNames.ts';

const HAN = String.raw`\p{Script=Han}`;
/** Characters with which a given name neither begins nor ends. */
const NO_NAME =
  '的了是在和跟与與也都就又还還不没沒有会會能要去来來到说說问問给給把被让讓从從对對向为為吗嗎呢吧啊呀哦嗯很太好真这這那哪什么麼我你您他她它们們个個先姐哥叔总總经經师師生女士老家里裡上下中后後前时時候过過得着著之以及等或而但因所如果虽雖然同学學医醫授导導校部长長任警官局处處店员員公司今昨年月日号號天晚早午点點半起吃喝看听聽想做打买買找用叫请請帮幫陪送约約聊发發收回带帶接住走跑坐开開关關刚剛已正将將最更越较較只每各另某几幾多少';
const GIVEN = `[^${NO_NAME}\\P{Script=Han}]`;
const PLAIN_GIVEN =
  '[明红紅丽麗芳华華强強军軍静靜敏燕玲娟霞琴宇杰傑涛濤浩鹏鵬辉輝亮刚剛峰勇斌磊倩婷欣怡佳琪娜萌莉]';

/** @param text without markup */
export function chineseCandidates(text: string): NameCandidate[] {
  const words = [...SEGMENTER.segment(text)].map(({ segment, index }) => ({ word: segment, at: index }));
  return withoutOverlaps([
    ...works(text),
    ...kin(text),
    ...titled(text),
    ...familiar(text),
    ...organizations(words),
    ...places(text, words),
    ...fullNames(text, words),
    ...latinNames(text),
    ...maybeKnown(text, words),
  ]);
}

/** 《三体》: the title of a work. */
function works(text: string): NameCandidate[] {
  return [...text.matchAll(/《(?<name>[^《》\n：:]{2,16})》/gu)].map((match) =>
    likely({ at: match.index + 1, surface: match.groups?.['name'] ?? '', type: 'thing' }),
  );
}

const FAMILIAR = String.raw`(?:[小阿](?:[${PLAIN_CHINESE_SURNAMES}]|${PLAIN_GIVEN})|老[${PLAIN_CHINESE_SURNAMES}])`;
/** Words that begin with a character that is also a surname. */
const NO_SURNAME =
  '(?!关于|于是|任何|何时|何况|何必|高兴|高中|高考|方便|方面|方式|安全|安静|安排|成功|成为|程序|程度|黄金|金额|白天|马上|马路|江湖|温柔|温暖|温度|常常|时候|文化|易于|向来|田野|石头|雷雨|龙头|万一|夏天|毛病|史上|汤圆|康复|施工|单位|包括|包子|宁静|舒服|舒适|梅花|童年|祝福|左右|金融|钱包|许多|谢谢|韩国|曾经|严重|严格|莫名|顾客|陶瓷|全部|全家|全天|计划|水平|应该|章节|孙子|孙女|余额|范围|叶子|林地|段时)';
const FULL = String.raw`${NO_SURNAME}(?:${CHINESE_SURNAMES})${GIVEN}{1,2}`;
const KIN = new RegExp(
  String.raw`(?<whose>我们?(?:家)?的?|(?<![的\p{Script=Han}]))(?<kin>${kinPattern('zh')})(?:叫|名叫|，叫)?(?<name>${FAMILIAR}|(?:${CHINESE_SURNAMES})${GIVEN}{2}|(?:${CHINESE_SURNAMES})${GIVEN}|(?<twice>${GIVEN})\k<twice>|\p{Lu}\p{Ll}+)(?![${HAN}]{0}的(?:时候|那))`,
  'gu',
);
const AFTER_NAME =
  /^(?:$|[\s，。！？、,.!?；;：:（(）)「”"'’]|[和跟与同说說问問去来來在的也都就又是有给給把让讓想要会會喜要今昨明刚剛已正还還很最不没沒从從对對告教送带帶陪约約请請做买買打过過下上一两兩搬住写寫学學考工生病结結毕畢出养養叫])/u;

/** 我妹妹小红, 我朋友李雷: relatives of the speaker, or without a possessor. */
function kin(text: string): NameCandidate[] {
  return [...text.matchAll(KIN)].flatMap((match) => {
    const { whose = '', kin = '', name = '' } = match.groups ?? {};
    const after = text.slice(match.index + match[0].length);
    const isFamiliar = new RegExp(`^${FAMILIAR}$`, 'u').test(name);
    if (!isFamiliar && (whose === '' || !AFTER_NAME.test(after))) return [];
    const relation = relationOf(kin);
    const at = match.index + match[0].length - name.length;
    return [sure({ at, surface: name, type: typeOfKin(relation), relation: whose === '' ? null : relation })];
  });
}

const TITLES =
  '(?:老师|老師|先生|女士|小姐|太太|阿姨|叔叔|大爷|大妈|教授|医生|醫生|大夫|护士|经理|經理|总监|主任|同学|同學|师傅|師傅|教练|教練|导演|校长|律师|警官|老板|姐|哥|叔|婶|姨|总|總|导|工)';
const TITLED = new RegExp(
  String.raw`(?<name>${NO_SURNAME}(?:${CHINESE_SURNAMES})${GIVEN}{1,2}|(?:${CHINESE_SURNAMES})|${FAMILIAR})(?<title>${TITLES})(?!妹|们|部|部门|办|科)`,
  'gu',
);
/** Contexts that exclude names: 对于老师, 任何老师, 担任老师, 当时; 表哥 and 大姐 have no surname. */
const NO_TITLED_BEFORE =
  /(?:对|對|由|关|關|至|等|属|屬|担|擔|不|当|當|方|大|表|堂|白|高|金|从|從|曾|连|連|万|龙|龍|成|时|時|向|常|段|任)$/u;
const AMBIGUOUS_SURNAME = /^[于任向万方高白金石叶马龙黄江雷段田夏程付常温安易文时成毛尹申甘包宁舒梅季]$/u;

function titled(text: string): NameCandidate[] {
  return [...text.matchAll(TITLED)].flatMap((match) => {
    const { name = '', title = '' } = match.groups ?? {};
    const before = text.slice(Math.max(0, match.index - 2), match.index);
    const isShort = /^(?:姐|哥|叔|婶|姨|总|總|导|工)$/u.test(title);
    if (name.length === 1 && AMBIGUOUS_SURNAME.test(name) && (isShort || /\p{Script=Han}$/u.test(before)))
      return [];
    if (name.length === 1 && NO_TITLED_BEFORE.test(before)) return [];
    if (/^(?:总|總|导|工)$/u.test(title) && !new RegExp(`^[${PLAIN_CHINESE_SURNAMES}]`, 'u').test(name))
      return [];
    if (isShort && !AFTER_NAME.test(text.slice(match.index + match[0].length))) return [];
    if (isShort && name.length === 2 && !/^[小阿老]/u.test(name)) return [];
    const surface = match[0];
    // A surname alone is not a name; with a title it is: 王老师.
    const isWhole = name.length > 1;
    return [
      sure({
        at: match.index,
        surface,
        name: isWhole ? name : surface,
        aliases: isWhole ? [surface] : [],
        type: 'person',
      }),
    ];
  });
}

const FAMILIAR_ALONE = new RegExp(
  String.raw`(?<![大胆膽从從缩縮最矮多渺弱窄细細幼瘦${'一二三四五六七八九十'}])${FAMILIAR}(?!${'[孩说時时吃区區心学學姐哥妹弟老师]'}{1}(?:们|子|朋))`,
  'gu',
);

/** 小红, 老王. */
function familiar(text: string): NameCandidate[] {
  return [...text.matchAll(FAMILIAR_ALONE)].flatMap((match) => {
    const after = text.slice(match.index + match[0].length);
    if (!AFTER_NAME.test(after)) return [];
    return [likely({ at: match.index, surface: match[0], type: 'person', confidence: 0.5 })];
  });
}

const SEGMENTER = new Intl.Segmenter('zh', { granularity: 'word' });
/** The words that an ending belongs to, as far to the left as they can be part of a name. */
const ORGANIZATION =
  /(?:大学|大學|中学|中學|小学|小學|公司|集团|集團|银行|銀行|医院|醫院|研究院|研究所|出版社)$/u;
const PLACE =
  /(?:省|市|县|縣|区|區|镇|鎮|村|路|街|大道|广场|廣場|公园|公園|机场|機場|火车站|高铁站|地铁站|博物馆|美术馆|图书馆|体育馆|动物园|植物园|景区|古镇|古城|寺|湖|山)$/u;
const GENERIC =
  /^(?:一|两|兩|这|這|那|哪|某|各|每|本|贵|貴|全|同|大|小|新|老|旧|好|名牌|重点|普通|本地|外地|国内|国外|综合|附近|人民|中心|第一|第二|私立|公立|省|市|县|区|社区|社區|我们|我們|你们|他们|自己|家|所|个|間|间|座|条|條|在|去|到|从|從|读|念|上|考|考上|进|進|找|来|來|回|是|的|了|有|和|跟|与|住|离|離|逛|爬|登|游|过|過|开|開|办|辦|当地|城|乡|郊|住宅|商业|商務|有限|股份|责任|开发|工业|园|步行|大型|小型|外贸|贸易|科技|互联网|国企|上市|保险|物流|游戏|建筑|装修|广告|旅游|旅行|分|总|母|子|专科|儿童|宠物|妇幼|口腔|中医|国际|高速|公|马|道|铁|下|雪|火|高|深|青|远|登)$/u;

function organizations(words: readonly Word[]): NameCandidate[] {
  return ended(words, ORGANIZATION).map(({ at, name }) =>
    likely({ at, surface: name, type: 'organization', confidence: 0.5 }),
  );
}

/** A word of the segmenter, with its position. */
interface Word {
  readonly word: string;
  readonly at: number;
}

/** Names with such an ending: one word, or an ending after a word that is a name. */
function ended(words: readonly Word[], ending: RegExp): { at: number; name: string }[] {
  return words.flatMap(({ word, at }, i) => {
    if (!ending.test(word)) return [];
    const bare = word.replace(ending, '');
    if (bare.length >= 2) return GENERIC.test(bare) ? [] : [{ at, name: word }];
    const before = words[i - 1];
    const isName =
      before !== undefined && (wellKnown(before.word) !== undefined || /^\p{Lu}/u.test(before.word));
    return bare === '' && isName ? [{ at: before.at, name: before.word + word }] : [];
  });
}

function places(text: string, words: readonly Word[]): NameCandidate[] {
  const known = wellKnownIn(text).flatMap(({ name, at }) => {
    const place = wellKnown(name);
    const after = text.slice(at + name.length, at + name.length + 3);
    // 日光, 高松 and 四国 are also words and names; 【天津地铁】 is a sender.
    if (
      !place ||
      text[at - 1] === '【' ||
      /^(?:日光|高松|四国|九州|河内|奈良|青森)$/.test(name) ||
      /^(?:人|菜|话|語|语|红|紅)/u.test(after)
    )
      return [];
    return [famous(at, name, place)];
  });
  const others = ended(words, PLACE).filter(({ name }) => !NO_PLACE.test(name));
  return [
    ...others.map(({ at, name }) => likely({ at, surface: name, type: 'place', confidence: 0.5 })),
    ...known,
  ];
}

const NO_PLACE =
  /^(?:登山|爬山|下山|上山|高山|火山|雪山|深山|江湖|回路|道路|马路|公路|铁路|网路|思路|出路|走路|迷路|一路|半路|套路|线路|逛街|上街|大街|街区|小区|校区|市区|郊区|地区|社区|园区|城区|山区|景区|农村|乡村|新村|超市|城市|都市|门市|股市|上市|夜市|菜市)$/u;

const SAID_BEFORE =
  /(?:和|跟|与|與|同|找|约|約|帮|幫|问|問|叫|请|請|给|給|让|讓|告诉|告訴|遇到|见到|見到|碰到|认识|認識|陪|是|名叫|名字是|[、，,：:（(]|^|\s)$/u;
const SAID_AFTER =
  /^(?:说|說|问|問|告诉|告訴|发来|發來|打来|打電話|回复|约|約|请|請|和|跟|与|與|、|的|在|去|来|來|一起|也|老师|先生|[：:，,。！!？?）)\s]|$)/u;
const FULL_NAME = new RegExp(
  String.raw`(?<![小老阿])${NO_SURNAME}(?:${CHINESE_SURNAMES})${GIVEN}{1,2}`,
  'gu',
);

/** 陈建国, 王芳: with word boundaries on both sides, and no word between them. */
function fullNames(text: string, words: readonly Word[]): NameCandidate[] {
  const starts = new Map(words.map(({ word, at }) => [at, word]));
  return [...text.matchAll(FULL_NAME)].flatMap((match) => {
    const name = [match[0], match[0].slice(0, -1)].find(
      (form) => form.length >= 2 && isName(text, match.index, form, starts),
    );
    return name === undefined ? [] : [likely({ at: match.index, surface: name, type: 'person' })];
  });
}

/** Whether the name does not cut a known word, and its context suggests a name. */
function isName(text: string, at: number, name: string, words: ReadonlyMap<number, string>): boolean {
  const first = words.get(at);
  const surname = new RegExp(`^(?:${CHINESE_SURNAMES})`, 'u').exec(name)?.[0] ?? '';
  const parts = first === surname ? partsOf(words, at + surname.length, at + name.length) : null;
  // 高强度 consists of a surname and also of a word.
  const isParted =
    parts !== null && (!AMBIGUOUS_SURNAME.test(surname) || parts.every((part) => part.length === 1));
  if (!isParted || PLACE_END.test(name)) return false;
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + name.length, at + name.length + 3);
  return SAID_BEFORE.test(before) && SAID_AFTER.test(after);
}

const PLACE_END = /[山湖河寺村镇县市区路街岛站店馆院园楼厅社团队组部]$/u;

/** The words that exactly fill the range; null when one crosses its end. */
function partsOf(words: ReadonlyMap<number, string>, from: number, to: number): string[] | null {
  const parts: string[] = [];
  let at = from;
  while (at < to) {
    const word = words.get(at);
    if (word === undefined) return null;
    parts.push(word);
    at += word.length;
  }
  return at === to ? parts : null;
}

/** Ranges that count only if they are known names: words, and surnames with the following characters. */
function maybeKnown(text: string, words: readonly Word[]): NameCandidate[] {
  const names = [...text.matchAll(new RegExp(`(?:${CHINESE_SURNAMES}|[小老阿])${HAN}{1,2}`, 'gu'))].flatMap(
    (match) =>
      [match[0], match[0].slice(0, -1)]
        .filter((form) => form.length >= 2)
        .map((surface) => perhaps({ at: match.index, surface })),
  );
  const others = words
    .filter(({ word }) => /^\p{Script=Han}{2,5}$/u.test(word))
    .map(({ word, at }) => perhaps({ at, surface: word }));
  return [...names, ...others].slice(0, 2 * MAX_GUESSES);
}

/** The name that the speaker gives for themselves. */
export function chineseSelfName(text: string): string | null {
  const pattern = new RegExp(
    String.raw`(?:我叫|我的名字是|我的名字叫|叫我)(?<name>${FAMILIAR}|${FULL}|\p{Lu}\p{Ll}+)(?=[，。！!,.\s吧就]|$)`,
    'u',
  );
  return pattern.exec(text)?.groups?.['name'] ?? null;
}
