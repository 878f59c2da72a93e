/**
 * Names in Japanese, by the text after them: titles, particles after a surname, endings of places and companies.
 *
 *     昨日、妹の花子と|田中さんと|渋谷駅で会った
 *           └ kin    └ title   └ ending
 */
import type { Entity } from '../../model/model.ts';
import { famous, likely, perhaps, sure, withoutOverlaps, type NameCandidate } from './candidates.ts';
import { wellKnown, wellKnownIn } from './gazetteer.ts';
import { kinPattern, relationOf, typeOfKin } from './kinship.ts';
import {
  isGivenName,
  isJapaneseSurname,
  JAPANESE_SURNAMES,
  looksLikeJapaneseGivenName,
} from './knownNames.ts';

const HAN = String.raw`[\p{Script=Han}々ヶ]`;
const KATAKANA = '[ァ-ヴー]';
const HIRAGANA = '[ぁ-ん]';
const LATIN = String.raw`\p{Lu}[\p{Script=Latin}'’]+`;
const TITLES = '(?:さん|ちゃん|くん|君|様|さま|先生|先輩|教授|社長|部長|課長|係長|店長|監督|選手|氏)';

/** @param text without markup */
export function japaneseCandidates(text: string): NameCandidate[] {
  return withoutOverlaps([
    ...works(text),
    ...companies(text),
    ...kin(text),
    ...called(text),
    ...titled(text),
    ...places(text),
    ...surnames(text),
    ...latinNames(text),
    ...maybeKnown(text),
  ]);
}

/** 『こころ』: the title of a work, unless it is a quotation. */
function works(text: string): NameCandidate[] {
  return [...text.matchAll(/『(?<name>[^『』\n。！？!?]{2,24})』/gu)].map((match) =>
    likely({ at: match.index + 1, surface: match.groups?.['name'] ?? '', type: 'thing' }),
  );
}

const COMPANY = new RegExp(
  String.raw`(?:株式会社|有限会社|合同会社|\(株\)|（株）)(?<after>(?:${HAN}|${KATAKANA}|[\p{Lu}\p{Ll}\p{N}&])+)|(?<before>(?:${HAN}|${KATAKANA}|[\p{Lu}\p{Ll}\p{N}&]){2,12})(?:株式会社|有限会社|\(株\)|（株）)`,
  'gu',
);

function companies(text: string): NameCandidate[] {
  return [...text.matchAll(COMPANY)].map((match) => {
    const name = match.groups?.['after'] ?? match.groups?.['before'] ?? match[0];
    return sure({ at: match.index, surface: match[0], name, aliases: [match[0]], type: 'organization' });
  });
}

const KIN = new RegExp(
  String.raw`(?<![の\p{Script=Han}])(?<kin>${kinPattern('ja')})の(?<name>${HAN}{1,4}|${KATAKANA}{2,8}|${HIRAGANA}{2,4}?|${LATIN})(?<title>${TITLES})?(?=[とがはにをもへ、。！？!?\s]|って|から|$)`,
  'gu',
);

/** A katakana word after a word for a pet is its name, unless it is a product or activity for pets. */
const PET_NAME =
  /^(?!エサ|フード|トイレ|ケージ|ゲージ|リード|グッズ|ブログ|カフェ|シャンプー|オモチャ|ウンチ|ベッド|ショップ|ホテル|サロン|ワクチン|マナー|ハーネス|ブラッシング|シッター|コーナー|動画|オヤツ|トリミング|シーツ|タワー|ゴハン|ケガ|ボール|エリア|トリマー)[ァ-ヴー]{2,6}$/u;

/** 妹の花子, 犬のポチ: without a title only words that look like a name, unlike 妹の結婚. */
function kin(text: string): NameCandidate[] {
  return [...text.matchAll(KIN)].flatMap((match) => {
    const { kin = '', name = '', title = '' } = match.groups ?? {};
    const isPet = relationOf(kin) === 'pet' && PET_NAME.test(name);
    const isName =
      title !== '' ||
      isPet ||
      looksLikeJapaneseGivenName(name) ||
      isJapaneseSurname(name) ||
      isGivenName(name);
    if (!isName || isCommon(name)) return [];
    const relation = relationOf(kin);
    const at = match.index + kin.length + 1;
    return [
      sure({ at, surface: name + title, name, ...aliased(name, title), type: typeOfKin(relation), relation }),
    ];
  });
}

const CALLED = new RegExp(
  String.raw`(?<name>${HAN}{2,6}|${KATAKANA}{2,12}|${LATIN})(?:という|っていう|って名前の|という名前の)(?<what>人|子(?!供)|友達|友人|犬|猫|会社|店|お店|町|街|村|場所|駅|バンド|映画|本|小説|ゲーム|漫画|アニメ)`,
  'gu',
);
const CALLED_TYPES: Readonly<Record<string, Entity['type']>> = {
  ...Object.fromEntries(['人', '子', '友達', '友人'].map((what) => [what, 'person' as const])),
  ...Object.fromEntries(['犬', '猫'].map((what) => [what, 'animal' as const])),
  ...Object.fromEntries(['会社', 'バンド'].map((what) => [what, 'organization' as const])),
  ...Object.fromEntries(
    ['店', 'お店', '町', '街', '村', '場所', '駅'].map((what) => [what, 'place' as const]),
  ),
};

function called(text: string): NameCandidate[] {
  return [...text.matchAll(CALLED)].flatMap((match) => {
    const { name = '', what = '' } = match.groups ?? {};
    return isCommon(name)
      ? []
      : [likely({ at: match.index, surface: name, type: CALLED_TYPES[what] ?? 'thing' })];
  });
}

const TITLED = new RegExp(
  String.raw`(?<name>${HAN}{1,6}|${KATAKANA}{2,10}(?:・${KATAKANA}{2,10})?|${HIRAGANA}{2,8}|${LATIN}(?: ${LATIN})?) ?(?<title>${TITLES})(?!様|付け|々)`,
  'gu',
);
/** Words that take a title but are not names: occupations, roles, relations. */
const NO_PERSON =
  /^(?:皆|みな|客|お客|奥|嬢|孫|婿|嫁|娘|息子|赤|坊|神|仏|王|殿|旦那|主人|主婦|大家|女将|友|姉|兄|妹|弟|母|父|祖母|祖父|叔父|叔母|伯父|伯母|親御|子|患者|業者|職人|芸人|本人|新人|老人|友人|知人|外人|名人|達人|軍人|素人|大人|成人|同人|個人|学生|生徒|先|次|何|某|貴|校|大学|高校|中学|小学|塾|担任|顧問|主治医|獣医|歯医者|医者|専門|学校|現場|元|新|旧|副|前|全|各|現|本|子供|幼稚園|保育園|保育|病院|日本|諸|課|部|店|社|会|たく|おじ|おば|おじい|おばあ|お?(?:にい|ねえ|とう|かあ)|あか|おまわり|おひめ|お巡り|お姫|お母|お父|お兄|お姉|お嬢|お医者|お坊|お孫|お子|お婆|お爺|ご主人|スタッフ|オーナー|マネージャー|マスター|ママ|パパ|ファン|リスナー|ドライバー|シェフ|コーチ|ヘルパー|ガイド|メンバー|ユーザー|モデル|アイドル|サンタ|ワン|ニャン|ネコ|イヌ|ペット|タレント|ライバル|ピアノ|ヨガ|ダンス|サッカー|バイト|ベテラン|プロ|アナウンサー|ゲスト|カメラマン)$|(?:屋|員|手|者|師|士|官|生|長|会社|家族|業|店|局|方|達|たち)$|^(?:彼|僕|俺|お前|あいつ)ら$/u;
const NAMES_IN_YA = /^(?:土|守|古|関|深|板|熊|水|大|神|中|刈|紙|松|染|長|岩|小|林|森|芦|鍛|米)屋$/u;
/** Words that may precede a name in one run of kanji: 昨日田中さん. */
const BEFORE_NAME =
  /^(?:一昨日|昨日|今日|明日|昨夜|今朝|今夜|今晩|毎日|毎朝|毎週|先日|先週|今週|来週|先月|今月|来月|去年|今年|来年|最近|当時|今回|前回|結局|多分|勿論|一応|全然|実際|普段|時々|突然|早速|早朝|午前|午後|夕方|同僚|友人|上司|部下|隣人|店主|担当|担任|主演|監督|作家|歌手|俳優|女優|議員|首相|知事|市長)/u;

function titled(text: string): NameCandidate[] {
  return [...text.matchAll(TITLED)].flatMap((match) => {
    const { name: run = '', title = '' } = match.groups ?? {};
    const before = text[match.index - 1] ?? '';
    const name = personIn(run, title, before);
    // お相撲さん, and ちゃんと, which is another word.
    const isOther =
      /[おご]/.test(before) ||
      (/^[ぁ-ん]/.test(run) && title === 'ちゃん' && text.startsWith('と', match.index + match[0].length));
    if (name === null || isOther) return [];
    const at = match.index + run.length - name.length;
    const surface = text.slice(at, match.index + match[0].length);
    // ばあちゃん is called so as a whole.
    if (/^(?:ばあ|じい)$/.test(name)) return [sure({ at, surface, name: surface, type: 'person' })];
    return [sure({ at, surface, name, ...aliased(name, title), type: 'person' })];
  });
}

/** The name at the end of a run of one script, or null when there is none. */
function personIn(run: string, title: string, before: string): string | null {
  if (new RegExp(`^${HIRAGANA}`, 'u').test(run)) return hiraganaName(run, title, before);
  let name = run.replace(BEFORE_NAME, '');
  if (name.length > 4 && new RegExp(`^${HAN}+$`, 'u').test(name)) return null;
  if (name === '' || (NO_PERSON.test(name) && !NAMES_IN_YA.test(name) && !looksLikeJapaneseGivenName(name)))
    return null;
  if (title !== '' && name.length === 1 && !/^[\p{Script=Han}]$/u.test(name)) return null;
  // 「時君は」 means “then, you …”; a single character before a title of office is rarely a name either.
  if (name.length === 1 && !/^(?:さん|先生|様|氏)$/.test(title)) return null;
  if (name.length === 1 && !SINGLE_SURNAME.test(name)) return null;
  if (title === '様' && !isJapaneseSurname(name)) return null;
  if (title === '君' && /^(?:今|時|日|僕|私|俺|夜|朝|名|暴|諸|主|明|幼)$|[日時今夜]$/u.test(name))
    return null;
  return name;
}

const SINGLE_SURNAME =
  /^[林森原東西南北関堀谷辻星泉岡島沢滝秦菅乾畑浜柴桂旭梶堤峰楠榊岸杉柳宮境城牧向金李王張陳劉楊朴崔呉]$/u;

/** Hiragana is not separated from the words before it; a name needs a boundary on its left. */
function hiraganaName(run: string, title: string, before: string): string | null {
  if (title !== 'ちゃん' && title !== 'くん' && title !== 'さん') return null;
  const parts = /^(?:.*[のはがともやをに])?(?<name>[ぁ-ん]{2,4})$/u.exec(run);
  const name = parts?.groups?.['name'] ?? '';
  if (name === '') return null;
  const isCut = name !== run || before === '' || /[\s、。！？!?「（(・…]/u.test(before);
  // さん also ends many other words in hiragana: たくさん, みなさん, おつかれさん.
  if (!isCut || NO_PERSON.test(name) || NO_PERSON.test(run) || /^[おごみ]/.test(name) || title === 'さん')
    return null;
  return /[はがをにへとでものってっぜ]$/u.test(name) ? null : name;
}

function aliased(name: string, title: string): { aliases: string[] } {
  return { aliases: title === '' ? [] : [name + title] };
}

const PLACE_RUN = new RegExp(
  String.raw`(?<![\p{Script=Han}々ァ-ヴー])(?<name>(?:${HAN}{1,5}|${KATAKANA}{2,10}|${LATIN})(?<ending>駅|空港|県|(?<!政|幕)府(?!中)|市(?![場民内役販長])|区(?![間民別内役域])|町(?![内中長])|村(?![長人民])|大学(?!生|院|病|時)|高校(?!生|時)|神社|温泉(?!街|旅)|公園|寺(?!院)|動物園|水族館|美術館|博物館|ランド|タワー|島(?!国)))(?![\p{Script=Han}々ァ-ヴー])`,
  'gu',
);
/** Words with such an ending that are not names. */
const NO_PLACE =
  /^(?:各|最寄|終着|始発|隣|次|同|他|全|都|当|両|本|毎|某|新|旧|元|国立|私立|公立|市立|県立|都立|府立|女子|有名|名門|地元|近所|近く|田舎|下|港|城下|故郷|無人|半|列|離|小|大|国際|国内|自然|国立自然|児童|遊園|森林|日帰|天然|露天|混浴|有名|総合|短期|第一志望|志望|一流|母|この|その|出身|農|漁|山|海|選挙|地|学)(?:り)?(?:駅|空港|県|府|市|区|町|村|大学|高校|神社|温泉|公園|寺|動物園|水族館|美術館|博物館|島|ランド|タワー)$/u;

function places(text: string): NameCandidate[] {
  const known = wellKnownIn(text).flatMap(({ name, at }) => {
    const [before = '', after = ''] = [text[at - 1], text[at + name.length]];
    const rest = text.slice(at + name.length);
    const isPart =
      (/^[ァ-ヴー]/.test(name) && (/[ァ-ヴー]/.test(before) || /[ァ-ヴー]/.test(after))) ||
      TITLED_AFTER.test(rest) ||
      NO_PLACE_AFTER.test(rest) ||
      /[東西南北央]/.test(before);
    const place = wellKnown(name);
    // タイ is also a tie and a fish; 四国 and similar are not split.
    if (
      isPart ||
      !place ||
      (name.length === 2 && /^[ァ-ヴー]+$/.test(name) && !/^[にでへのはが]/.test(after))
    )
      return [];
    return [famous(at, name, place)];
  });
  const ending = [...text.matchAll(PLACE_RUN)].flatMap((match) => {
    const { name = '', ending = '' } = match.groups ?? {};
    if (
      name === '都道府県' ||
      NO_PLACE.test(name) ||
      /(?:高校|中学|大学|専門).+/u.test(name) ||
      /^[\p{N}一二三四五六七八九十何]+/u.test(name) ||
      BEFORE_NAME.test(name)
    )
      return [];
    const type = ending === '大学' || ending === '高校' ? 'organization' : 'place';
    return [likely({ at: match.index, surface: name, type, confidence: 0.5 })];
  });
  return [...ending, ...known];
}

/** アメリカ人, 日本風: derived from the place, but not the place. */
const NO_PLACE_AFTER =
  /^(?:人|政府|語|風|製|料理|代表|系|史|海|酒|産|式|文学|文化|映画|ドラマ|食|茶|円|社会|経済)/u;
const TITLED_AFTER = new RegExp(`^(?:${HAN}{0,2})${TITLES}`, 'u');
const SURNAME = new RegExp(
  String.raw`(?<![\p{Script=Han}々ァ-ヴー])(?<name>(?:${JAPANESE_SURNAMES})(?:${HAN}{1,3})?)(?=[はがともにをへの、。！？!?\s]|って|から|$)`,
  'gu',
);

/** A surname alone (田中が来た), or with a possible given name (田中花子). */
function surnames(text: string): NameCandidate[] {
  return [...text.matchAll(SURNAME)].flatMap((match) => {
    const name = match.groups?.['name'] ?? '';
    const surname = isJapaneseSurname(name) ? name : '';
    const given = JAPANESE_SURNAMES.split('|').find((one) => name.startsWith(one));
    const isFull = given !== undefined && looksLikeJapaneseGivenName(name.slice(given.length));
    return surname !== '' || isFull ? [likely({ at: match.index, surface: name, type: 'person' })] : [];
  });
}

const NO_LATIN =
  /^(?:OK|PC|TV|DVD|CD|SNS|AI|IT|PDF|URL|ID|GW|BGM|CM|DM|LINE|Wi-?Fi|No|Yes|OL|Web|WEB|Hi|Hello|App|APP|VIP|KTV|PPT|Excel|Word|Email)$/i;

/** Names in Latin letters inside Japanese or Chinese. */
export function latinNames(text: string): NameCandidate[] {
  const pattern =
    /(?<![\p{Script=Latin}\p{N}_])\p{Lu}[\p{Script=Latin}'’-]+(?: \p{Lu}[\p{Script=Latin}'’-]+){0,3}(?![\p{Script=Latin}\p{N}_])/gu;
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [name] = match;
    if (NO_LATIN.test(name)) return [];
    const known = wellKnown(name);
    const given = { at: match.index, surface: name };
    if (known) return [famous(match.index, name, known)];
    const rest = text.slice(match.index + name.length);
    if (isGivenName(name.split(' ')[0] ?? '') || SPEAKS.test(rest))
      return [likely({ ...given, type: 'person' })];
    return [/\p{Ll}/u.test(name) ? likely({ ...given, type: 'other', confidence: 0.4 }) : perhaps(given)];
  });
}

/** Verbs of people, after a name in Latin letters. */
const SPEAKS = /^(?:说|說|问|問|觉得|覺得|感到|告诉|告訴|同学|同學|老师|老師|は言|が言|って言)/u;

/** Runs that count only if they are known names. */
function maybeKnown(text: string): NameCandidate[] {
  const pattern = new RegExp(String.raw`${HAN}{2,5}|${KATAKANA}{2,12}`, 'gu');
  return [...text.matchAll(pattern)]
    .slice(0, MAX_GUESSES)
    .map((match) => perhaps({ at: match.index, surface: match[0] }));
}

/** The most runs looked up in the memory for one text. */
export const MAX_GUESSES = 40;

function isCommon(name: string): boolean {
  return NO_PERSON.test(name) && !NAMES_IN_YA.test(name) && !looksLikeJapaneseGivenName(name);
}

/** The name that the speaker gives for themselves. */
export function japaneseSelfName(text: string): string | null {
  const pattern = new RegExp(
    String.raw`(?:^|[。、！!\s]|私は|僕は|俺は|名前は)(?<name>${HAN}{2,5}|${KATAKANA}{2,10}|${LATIN})(?:と申します|といいます|と言います|って言います|っていいます|と呼んで)`,
    'u',
  );
  return pattern.exec(text)?.groups?.['name'] ?? null;
}
