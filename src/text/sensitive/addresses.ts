import type { SensitiveSpan } from '../../model/model.ts';

const HAN = '\\p{Script=Han}';
/** Kana that occur within names of towns. */
const JOINING = 'ヶケノのツー々る';
const SEPARATOR = '(?:-|の(?=\\d))';
/** メゾン桜 201, ハイツ桜203号室 */
const BUILDING = `[ \\u3000](?=[\\p{Script=Katakana}${HAN}])[\\p{Script=Katakana}${HAN}ー・]{2,16}(?:[ \\u3000]?\\d{1,4}(?:号室?)?)?`;
const NUMBER = '(?:\\d{1,4}|[一二三四五六七八九十]{1,3})';

/** 東京都千代田区丸の内1-2-3, 大阪市北区梅田三丁目1番3号 */
const JAPANESE = new RegExp(
  `(?:〒?\\d{3}-\\d{4}[ \\u3000]{0,2})?(?:${HAN}{2,3}[都道府県])?(?:${HAN}{1,5}|さいたま|つくば|いわき|ひたちなか)[市区郡町村](?:${HAN}{1,4}[区町村])?[${HAN}${JOINING}]{1,16}?${NUMBER}(?:(?:丁目|番地|番|${SEPARATOR}\\d{1,4})(?:${SEPARATOR}?\\d{1,4}(?:番地|番|号)?){0,3}|(?<=町\\d{1,4})(?![\\d年月日円人回歳分時個名キkm.]))(?:${BUILDING})?|〒\\d{3}-\\d{4}`,
  'gu',
);
/** 富山県砺波市太郎丸80: after the prefecture a number alone. */
const WITH_PREFECTURE = new RegExp(
  `(?:東京都|北海道|京都府|大阪府|${HAN}{2,3}県)${HAN}{1,5}[市区郡町村][${HAN}${JOINING}]{1,12}?\\d{1,5}(?![\\d,.:年月日円人回歳分時個名件万億か%年度号キk-]|m)`,
  'gu',
);
/** 高円寺北2-14-7: without a town, three numbers need a word that says what they are. */
const PLACE = `(?!令和|平成|昭和)(?:${HAN}|[ヶケノツー々]){2,8}[1-9]\\d?-\\d{1,3}-\\d{1,4}(?![\\d-])`;
const WITHOUT_TOWN = new RegExp(
  `(?<=(?:住所|実家|自宅|新居|宛先|送り先|届け先|引っ越し先)[はが:、]? ?)${PLACE}(?:${BUILDING})?|${PLACE}(?:${BUILDING}|(?=(?:に|へ|まで)(?:住|引っ越|送|届|来)|宛))`,
  'gu',
);
const HAS_JAPANESE = /丁目|番地|番|\d[-の]\d|町\d|〒|県|東京都|北海道|[京大][都阪]府/u;
/** 12号楼, 3幢, 2单元, B座, 18层, 501室, and at the end a number alone: 501 */
const ROOMS =
  '(?:[A-Z0-9一二三四五六七八九十]{1,4}(?:号楼|號樓|号院|號院|栋|棟|幢|座|单元|單元|室|层|層|楼|樓|户)){1,4}(?:-?\\d{3,4}(?![\\d元块点月日号年度人公米万个]))?';
const COMPOUND =
  '(?:小区|社区|花园|花園|家园|苑|园|新村|公寓|大厦|大廈|广场|廣場|中心|国际|山庄|产业园|宿舍|大院|城|里|湾|府|庭|山)';
const SECTION = '(?:[东西南北]?[一二三四五六七八九十\\d]{1,2}[区期])?';
const ADMIN = `(?:${HAN}{2,4}省)?(?:${HAN}{2,8}?[市州])?(?:${HAN}{1,6}?[区县區縣旗])?(?:${HAN}{1,6}?(?:街道|镇|鎮|乡|鄉))?`;
const ROAD = `${HAN}{1,7}?(?:大道|大街|胡同|路|街|巷|弄|里|道|村|庄)(?:[东西南北上中下]段?|[一二三四五六七八九十]{1,2}[段巷])?`;
/** 北京市朝阳区建国路88号, 上海市浦东新区世纪大道100号2幢501室, 忠孝東路四段216巷27弄5號3樓 */
const CHINESE = new RegExp(
  `${ADMIN}${ROAD}[甲乙丙]?\\d{1,5}(?:(?:巷|弄)\\d{1,4}){0,2}[号號](?:院|楼|樓)?(?:${HAN}{2,10}?${COMPOUND}(?=[A-Z\\d])${SECTION})?(?:${ROOMS})?`,
  'gu',
);
/** 幸福小区6栋1单元302室: without a road, a building is needed; a floor alone is that of a shop or an office. */
const CHINESE_COMPOUND = new RegExp(
  `${ADMIN}${HAN}{1,8}?${COMPOUND}${SECTION}(?=[A-Z\\d]{1,4}(?:号楼|號樓|栋|棟|幢|单元|單元|室|号院))${ROOMS}`,
  'gu',
);
/** The patterns are tried on these only: in a long text, on every character, they take long. */
const CHINESE_CLAUSE = /[\p{Script=Han}\dA-Z-]{4,}/gu;
const HAS_CHINESE = /[\dA-Z](?:[号號栋棟幢座室层層楼樓]|单元|單元|巷)/u;
/** Words of a sentence before a place name, of which the last counts. */
const BEFORE_PLACE =
  /(?:地[址点點][是为為在]?|在|到|是|住|寄|送|于|至|从|往|去|给|向|写|叫|搬|存入|缴纳|[我你他她它]们?家)(?=.{2})/gu;
/** No compound has such a name: 我们小区3号楼 */
const ANY_COMPOUND = /^(?:我们|咱们|他们|你们|这个|那个|这|那|哪个|本|该|隔壁|旁边|整个|同一个|一个|每个)/u;
/** Town, state and post code, in English. */
const TOWN =
  "(?:, [A-Z][a-z.'’-]+(?: [A-Z][a-z.'’-]+){0,2}){0,2}(?:,? [A-Z]{2}(?![A-Za-z\\d]))?(?:,? (?:\\d{5}(?:-\\d{4})?|[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2})\\b)?";
const ROOM = '(?:,? (?:Apt|Apartment|Unit|Suite|Flat|#)\\.? ?[\\dA-Z-]{1,6})?';
/** 12 Acacia Avenue, 45 W 34th St, P.O. Box 12, 3 rue Lepic, 75018 Paris */
const ENGLISH = new RegExp(
  `(?<![\\d.,$£€-])(?:(?:Flat|Apt|Unit|Suite) \\d{1,4}[A-Z]?,? )?\\d{1,5}[A-Za-z]?,? (?:(?:N|S|E|W|NE|NW|SE|SW)\\.? )?(?:[A-Z][A-Za-z'’]{1,20} |\\d{1,3}(?:st|nd|rd|th) ){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Place|Pl|Way|Terrace|Square|Sq|Close|Crescent|Parkway|Pkwy|Highway|Hwy)\\b${ROOM}${TOWN}|\\bP\\.? ?O\\.? Box \\d{1,6}${TOWN}|(?<![\\d.,$£€-])\\d{1,4},? (?:rue|avenue|boulevard|place) (?:[a-z]{2,3} ){0,2}[A-Z][\\p{L}'’-]{1,20}(?:, \\d{5} [A-Z][\\p{L}'’-]{1,20})?`,
  'gu',
);

/** Postal addresses that include the house number. */
export function findAddresses(text: string): SensitiveSpan[] {
  return [
    ...(HAS_JAPANESE.test(text)
      ? [JAPANESE, WITHOUT_TOWN, WITH_PREFECTURE].flatMap((pattern) => find(text, pattern))
      : []),
    ...(HAS_CHINESE.test(text) ? findChinese(text) : []),
    ...find(text, ENGLISH),
  ];
}

function find(text: string, pattern: RegExp): SensitiveSpan[] {
  return [...text.matchAll(pattern)].map((match) => ({
    kind: 'address',
    from: match.index,
    to: match.index + match[0].length,
  }));
}

/** A pattern also takes Han characters of the sentence before the place: they end at a word such as 在 or 寄到. */
function findChinese(text: string): SensitiveSpan[] {
  return [...text.matchAll(CHINESE_CLAUSE)]
    .filter(([clause]) => HAS_CHINESE.test(clause))
    .flatMap(({ 0: clause, index }) =>
      [CHINESE, CHINESE_COMPOUND]
        .flatMap((pattern) => find(clause, pattern))
        .flatMap(({ kind, from, to }) => {
          const [words = ''] = /^[^\dA-Z]*/u.exec(clause.slice(from, to)) ?? [];
          const last = [...words.matchAll(BEFORE_PLACE)].at(-1);
          const before = last ? last.index + last[0].length : 0;
          if (ANY_COMPOUND.test(words.slice(before))) return [];
          return [{ kind, from: index + from + before, to: index + to }];
        }),
    );
}
