/** Names, directly before a number, of numbers that are not personal. */
const OTHER_NAMES =
  /(?:注文|オーダー|伝票|追跡|受付|予約|会員|商品|型番|品番|社員|受験|診察|証券|取件码|流水|运单|账单|发票|保单|病历|学号|申请|会议|条码|meeting|confirmation|barcode|warranty|policy|patient|student|请求|請求|シリアル|管理|問い合わせ|お客様|整理|订单|单号|快递|编号|货号|会员|工号|序列|order|tracking|invoice|serial|ticket|case|ref(?:erence)?|model|item|part|isbn|sku|receipt|booking|confirmation|flight|version|build|member|\bid)(?:no\.|[^\n。.!?]){0,14}$/iu;

/** The name of another thing, and “number” or the like after it: “the lot number on the box: …”. */
const NUMBERED =
  /\b(?:parcel|package|shipment|claim|lot|batch|licen[cs]e|permit|docket|registration|reservation|voucher|coupon|transaction|lottery|winning|catalogue?|article|part|model|product|style|imei|vin|upc|ean|zoom|webinar|account|meter|room|locker|(?:gift|loyalty|library|member(?:ship)?|bonus) card|flyer|insurance|routing|number plate|gate|platform|score|ups|ndc|order|tracking|serial|invoice|reference|case)s?(?: (?:numbers?|no|code|id|ref)\b\.?|s?(?: is)?[ #:]{1,2}$)(?![^\n.!?]*\b(?:phone|call|text|ring|dial|mobile|cell|tel)\b)[^\n.!?]{0,22}$/iu;

/** @param before the text before the number */
export function isOtherNumber(before: string): boolean {
  // “Not the order number, the card number is …”
  return OTHER_NAMES.test(
    before
      .slice(-24)
      .split(/じゃなく|ではなく|不是/u)
      .at(-1) ?? '',
  );
}

/** “For the booking, call …” */
const CALLED = /\b(?:call|phone|ring|dial|text)(?: (?:me|us|him|her|them))?(?: (?:at|on))? $/iu;

/** Whether a number that looks like a telephone number is another number, by the text before it. */
export function isNumberOfThing(before: string): boolean {
  return NUMBERED.test(before) || (isOtherNumber(before.slice(-24)) && !CALLED.test(before));
}
