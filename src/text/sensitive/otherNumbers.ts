/** Names, directly before a number, of numbers that are not personal. */
const OTHER_NAMES =
  /(?:注文|オーダー|伝票|追跡|受付|予約|会員|商品|型番|品番|社員|受験|診察|証券|取件码|流水|运单|账单|发票|保单|病历|学号|申请|会议|条码|meeting|confirmation|barcode|warranty|policy|patient|student|请求|請求|シリアル|管理|問い合わせ|お客様|整理|订单|单号|快递|编号|货号|会员|工号|序列|order|tracking|invoice|serial|ticket|case|ref(?:erence)?|model|item|part|isbn|sku|receipt|booking|confirmation|flight|version|build|member|\bid)(?:no\.|[^\n。.!?]){0,14}$/iu;

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
