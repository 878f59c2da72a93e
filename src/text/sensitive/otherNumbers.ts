/** Names, directly before a number, of numbers that are not personal. */
const OTHERWISE =
  /(?:注文|オーダー|伝票|追跡|受付|予約|会員|商品|型番|管理|問い合わせ|お客様|整理|订单|单号|快递|编号|货号|会员|工号|序列|order|tracking|invoice|serial|ticket|case|ref(?:erence)?|model|item|part|isbn|sku|receipt|booking|confirmation|flight|version|build|member|\bid)[^\n。.!?]{0,14}$/iu;

/** @param before the text before the number */
export function isNamedOtherwise(before: string): boolean {
  return OTHERWISE.test(before.slice(-24));
}
