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
/** 北京市朝阳区建国路88号, 上海市浦东新区世纪大道100号 */
const CHINESE = new RegExp(
  `(?:${HAN}{2,4}省)?(?:${HAN}{2,8}市)?(?:${HAN}{1,6}?[区县])?${HAN}{1,6}?(?:路|街|大道|巷|弄|胡同|村)(?:[东西南北上中下]段?)?\\d{1,5}(?:弄\\d{1,4})?号(?:院|楼)?(?:\\d{1,4}(?:栋|号楼|单元|室|层)){0,3}`,
  'gu',
);
const HAS_CHINESE = /\d号/u;
/** Words of a sentence before a place name. */
const BEFORE_PLACE = /^.{0,6}?[在到是于至从往](?=.{2})/u;
/** Town, state and post code, in English. */
const TOWN =
  "(?:, [A-Z][a-z.'’-]+(?: [A-Z][a-z.'’-]+){0,2}){0,2}(?:,? [A-Z]{2}(?![A-Za-z]))?(?:,? (?:\\d{5}(?:-\\d{4})?|[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2})\\b)?";
const ROOM = '(?:,? (?:Apt|Apartment|Unit|Suite|Flat|#)\\.? ?[\\dA-Z-]{1,6})?';
/** 12 Acacia Avenue, 45 W 34th St, P.O. Box 12, 3 rue Lepic, 75018 Paris */
const ENGLISH = new RegExp(
  `(?<![\\d.,$£€-])(?:(?:Flat|Apt|Unit|Suite) \\d{1,4}[A-Z]?,? )?\\d{1,5}[A-Za-z]?,? (?:(?:N|S|E|W|NE|NW|SE|SW)\\.? )?(?:[A-Z][A-Za-z'’]{1,20} |\\d{1,3}(?:st|nd|rd|th) ){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Place|Pl|Way|Terrace|Square|Sq|Close|Crescent|Parkway|Pkwy|Highway|Hwy)\\b${ROOM}${TOWN}|\\bP\\.? ?O\\.? Box \\d{1,6}${TOWN}|(?<![\\d.,$£€-])\\d{1,4},? (?:rue|avenue|boulevard|place|via|calle) (?:[a-z]{2,3} ){0,2}[A-Z][\\p{L}'’-]{1,20}(?:, \\d{5} [A-Z][\\p{L}'’-]{1,20})?`,
  'gu',
);

/** Postal addresses that include the house number. */
export function findAddresses(text: string): SensitiveSpan[] {
  return [
    ...(HAS_JAPANESE.test(text)
      ? [JAPANESE, WITHOUT_TOWN, WITH_PREFECTURE].flatMap((pattern) => find(text, pattern))
      : []),
    ...(HAS_CHINESE.test(text) ? find(text, CHINESE) : []),
    ...find(text, ENGLISH),
  ];
}

function find(text: string, pattern: RegExp): SensitiveSpan[] {
  return [...text.matchAll(pattern)].map((match) => {
    const before = pattern === CHINESE ? (BEFORE_PLACE.exec(match[0])?.[0].length ?? 0) : 0;
    return { kind: 'address', from: match.index + before, to: match.index + match[0].length };
  });
}
