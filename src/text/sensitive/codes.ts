/** PINs and codes of locks: some digits near the name of what they open. */
import type { SensitiveSpan } from '../../model/model.ts';
import { isOtherNumber } from './otherNumbers.ts';

/** 4471, C4471, 7702#, 8-2-6-1, 31-07-88, 4 4 7 1 */
const DIGITS =
  /(?<![\w.,:/$€£¥#+-])(?:\d(?: \d){3,7}(?! ?\d)|[A-Z]?\d{3,8}[#*]?|\d{1,2}(?:-\d{1,2}){2,4})(?![\w%:/]|[.,]\d|-\d)/g;
const BEFORE = 72;
const AFTER = 36;
/** What follows numbers that are counted, or are a date. */
const COUNTED =
  /^ ?(?:年|月|日|时|時|分|回|文字|桁|個|个|枚|块|元|円|人|位|次|号室|番(?!号)|階|キロ|グラム|コイン|本|台|小时|時間|characters?|chars?|digits?|days?|hours?|minutes?|seconds?|times|points?|dollars?|pounds?|euros?|photos?|met(?:re|er)s?|feet|ft|k?m|kg|miles?|lines?|pages?|%)(?![a-z])/iu;

export function isCounted(after: string): boolean {
  return COUNTED.test(after);
}

const BOX = '(?:lock ?box|key ?box|key ?safe|keypad|key pad|padlock)';
const LOCK = `(?:locks?|locker|safe|alarm|combination|combo|${BOX})`;
const THING = `(?:doors?|gate|garage|entry|entrance|building|shed|cottage|flat|house|intercom|buzzer|voice ?mail|sim|debit|credit|bank|joint|card|phone|tablet|ipad|laptop|suitcase|luggage|mailbox|bike|gym|boat|office|${LOCK})`;
const OTHER_CODE =
  '(?<!\\b(?:area|post|postal|zip|country|error|promo|discount|source|dress|qr|bar|sort|status|http|exit|class|team|colou?r|booking|confirmation) ?)';
/** “… is”, “now it’s”, “: ”, “, ”, or nothing. */
const LINK =
  "(?:[^.!?\\n\\d]{0,24}?(?:\\b(?:is|was|to|as|it's|'s)(?: (?:now|still|always|just))? |[:=,(“\"-] ?))|(?:’|')s |[ #:]{0,2}";

const NAMED = new RegExp(
  [
    // The code for the garage changed, now it's …; gym locker combo: …
    `\\b${THING}(?:'s)?(?: [a-z']+){0,2} ${OTHER_CODE}(?:code|pin|combo|combination|passcode|keypad)\\b(?:${LINK})$`,
    `${OTHER_CODE}\\b(?:code|pin|combo|combination|passcode|keypad)(?: [a-z']+){0,4} ${THING}\\b(?:${LINK})$`,
    `\\b(?:pin|passcode)\\b(?:${LINK})$`,
    `\\b${THING}\\b[^.!?\\n\\d]{0,24}?[ ,]${OTHER_CODE}(?:code|pin|combo|combination|passcode),? (?:(?:is|was) )?$`,
    // The PIN was 1234, now it's …
    `${OTHER_CODE}\\b(?:pin|code|passcode|combination)\\b[^.!?\\n]{0,24}[ ,](?:now|changed)\\b[^.!?\\n\\d]{0,8} $`,
    // The alarm is …, the lock opens with …
    `\\b${LOCK}(?: [a-z]+){0,3}(?: (?:is|was)(?: (?:now|still|always))?|:|'s|’s) $`,
    `\\b(?:${BOX}|alarm (?:pad|panel|box))(?: [a-z]+){0,4}[ ,:]{1,2}$`,
    `\\b${LOCK}(?: [a-z]+){0,3} (?:wants|needs|takes|expects|accepts) $`,
    `\\b(?:${BOX}|safe|locks?|locker|combination)\\b[^.!?\\n\\d]{0,28} (?:set|changed|reset|switched) to $`,
    `\\b${THING}(?: [a-z]+){0,3} (?:opens?|unlocks?|is unlocked|is opened) (?:with|by|using) $`,
  ].join('|'),
  'iu',
);
/** Some words after a name that says clearly what the number is. */
const FAR_NAMED = new RegExp(
  `${OTHER_CODE}\\b(?:pin(?: (?:code|number))?|passcode|(?:${THING}|access|security|unlock(?:ing)?) (?:code|combo|combination))\\b[^.!?\\n\\d]{0,48}[ (“"':#]$`,
  'iu',
);
const FAR_NAMED_JA =
  /(?:暗証(?:番号|コード)?|パスコード|\bPIN(?![a-z])(?:コード|番号)?|解除(?:番号|コード))[^。\n\d]{0,18}$/iu;
/** Directly before other numbers. */
const OTHER_WORD =
  /(?:\b(?:at|by|on|until|till|since|in|before|after|around|about|for|of|than|over|under|page|level|line|room|number|no\.?|terminal|machine|atm|branch|counter|desk|flight|train|bus|platform|unit|costs?|paid|past)|[時分年月日円約第]|残り|あと) ?#?$/iu;
/** Type … on the keypad. */
const TYPED = /\b(?:type|enter|punch|key|dial|press|buzz|put)(?: in)? $/iu;
const TYPED_AT = new RegExp(
  `^,? (?:on|at|into|in|for|to) (?:the |my |our )?(?:[a-z]+ ){0,2}${THING}\\b`,
  'iu',
);
/** … is the combination, … opens the gate */
const OPENS = new RegExp(
  `^ (?:(?:is|was|to be|as|be) )?(?:the|my|our|his|her|your|a) (?:[a-z]+ ){0,2}(?:code|combo|combination|pin|passcode)\\b|^ (?:opens|unlocks) (?:the|my|our) (?:[a-z]+ ){0,2}${THING}\\b`,
  'iu',
);
const NAMED_LOCK = new RegExp(`\\b${LOCK}\\b`, 'iu');

const LOCK_JA =
  '(?:鍵|錠|ロック|ロッカー|警報|セキュリティ|金庫|オートロック|キーパッド|キーボックス|インターホン|宅配ボックス|ポスト|ダイヤル|門|玄関|裏口|勝手口|通用口|ドア|ゲート|シャッター|入口|倉庫|物置)';
const THING_JA = `(?:${LOCK_JA}|タブレット|スマホ|携帯|端末|パソコン|iPad|iPhone|SIM)`;
/** Other numbers are not codes: 予約番号 */
const NUMBER_JA =
  '(?<!登録|電話|会員|予約|注文|受付|整理|郵便|部屋|製品|機種|製造|口座|車両|追跡|合わせ|カード|管理|商品|社員|学籍)(?:番号|コード|ナンバー|数字)';
/** 今日から, 今月は, 月曜から */
const TIME_JA = '(?:[今来先毎][日月週年夜朝]|今|[月火水木金土日]曜日?)(?:から|は|まで)?、?';
const LINK_JA = `[^。\\n\\d]{0,10}?(?:[はがをで、:→=（(「『]|って|も|${TIME_JA}) ?$`;
const NAMED_JA = new RegExp(
  [
    `(?:暗証(?:番号|コード)?|パスコード|\\bPIN(?![a-z])(?:コード|番号)?|解除(?:番号|コード))(?:${LINK_JA}|$)`,
    `${LOCK_JA}[^。\\n\\d]{0,8}?${NUMBER_JA}(?:${LINK_JA}|$)`,
    `(?:(?:鍵|錠|ダイヤルロック)(?:は|が|も|、|を)?|ダイヤル[はがもを、])(?:${TIME_JA})? ?$`,
  ].join('|'),
  'iu',
);
/** インターホンで…って押すと */
const AT_THING_JA = new RegExp(`${THING_JA}[^。\\n\\d]{0,8}?[はがにでをも、] ?$`, 'iu');
/** ダイヤルは…に合わせて */
const SET_JA = /(?:鍵|錠|ロック|金庫|キーボックス|キーパッド|ダイヤル)[^。\n\d]{0,8}?[はがをも、] ?$/iu;
const SET_TO_JA = /^[」』]?に(?:合わせ|セット|設定|変え|変更|回)/u;
const OPENS_JA =
  /^[」』]? ?(?:って|と|で|を|の順に?)[、 ]?(?:開|解|切れ|入れ|押|打|入力|ログイン|回|ロック)/u;

export function findCodes(text: string): SensitiveSpan[] {
  return [...text.matchAll(DIGITS)].flatMap((match) => {
    const to = match.index + match[0].length;
    const before = text.slice(Math.max(0, match.index - BEFORE), match.index);
    const after = text.slice(to, to + AFTER);
    if (isCounted(after) || !isCode(match[0], before, after)) return [];
    return [{ kind: 'password' as const, from: match.index, to }];
  });
}

function isCode(digits: string, before: string, after: string): boolean {
  // Only locks have codes that look like a date.
  if (
    /^\d{1,2}-\d{1,2}-\d{1,2}$/.test(digits) &&
    !NAMED_LOCK.test(before + after) &&
    !/[錠鍵]|金庫|ダイヤル/u.test(before)
  )
    return false;
  const isYear = /^(?:19|20)\d\d$/.test(digits);
  return (
    (NAMED.test(before) && !isYear) ||
    (TYPED.test(before) && TYPED_AT.test(after)) ||
    OPENS.test(after) ||
    (NAMED_JA.test(before) && !isYear) ||
    (!isYear && isFarNamed(before)) ||
    (SET_JA.test(before) && SET_TO_JA.test(after)) ||
    (AT_THING_JA.test(before) && OPENS_JA.test(after))
  );
}

function isFarNamed(before: string): boolean {
  return (
    (FAR_NAMED.test(before) || FAR_NAMED_JA.test(before)) &&
    !OTHER_WORD.test(before) &&
    !isOtherNumber(before)
  );
}
