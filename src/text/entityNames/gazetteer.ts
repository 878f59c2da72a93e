/** Well-known places and days in English, Japanese and Chinese: the names in all languages are one entity. */
import type { Entity } from '../../model/model.ts';

const PLACES = `
Japan,日本,日本; Tokyo,東京,东京; Osaka,大阪,大阪; Kyoto,京都,京都; Nara,奈良,奈良; Kobe,神戸,神户; Nagoya,名古屋,名古屋; Yokohama,横浜,横滨;
Sapporo,札幌,札幌; Fukuoka,福岡,福冈; Hiroshima,広島,广岛; Sendai,仙台,仙台; Okinawa,沖縄,冲绳; Hokkaido,北海道,北海道; Kyushu,九州,九州;
Shikoku,四国,四国; Kanazawa,金沢,金泽; Nagasaki,長崎,长崎; Hakone,箱根,箱根; Kamakura,鎌倉,镰仓; Nikko,日光,日光; Karuizawa,軽井沢,轻井泽;
Nasu,那須,那须; Nasushiobara,那須塩原,那须盐原; Atami,熱海,热海; Saitama,埼玉,埼玉; Shizuoka,静岡,静冈; Niigata,新潟,新潟; Kumamoto,熊本,熊本; Kagoshima,鹿児島,鹿儿岛;
Okayama,岡山,冈山; Takamatsu,高松,高松; Ibaraki,茨城,茨城; Aomori,青森,青森; Shinjuku,新宿,新宿; Ikebukuro,池袋,池袋; Ginza,銀座,银座;
Akihabara,秋葉原,秋叶原; Asakusa,浅草,浅草; Roppongi,六本木,六本木; Harajuku,原宿,原宿; Mount Fuji,富士山,富士山;
China,中国,中国; Beijing,北京,北京; Shanghai,上海,上海; Guangzhou,広州,广州; Shenzhen,深圳,深圳; Hangzhou,杭州,杭州; Nanjing,南京,南京;
Suzhou,蘇州,苏州; Chengdu,成都,成都; Chongqing,重慶,重庆; Wuhan,武漢,武汉; Xi'an,西安,西安; Tianjin,天津,天津; Qingdao,青島,青岛;
Xiamen,アモイ,厦门; Kunming,昆明,昆明; Lijiang,麗江,丽江; Harbin,ハルビン,哈尔滨; Dalian,大連,大连; Changsha,長沙,长沙; Zhengzhou,鄭州,郑州;
Hefei,合肥,合肥; Sanya,三亜,三亚; Guilin,桂林,桂林; Shenyang,瀋陽,沈阳; Huangshan,黄山,黄山; Taishan,泰山,泰山; West Lake,西湖,西湖; Great Wall,万里の長城,长城; Ningbo,寧波,宁波; Wuxi,無錫,无锡; Guiyang,貴陽,贵阳;
Hong Kong,香港,香港; Macau,マカオ,澳门; Taiwan,台湾,台湾; Taipei,台北,台北; Tibet,チベット,西藏; Lhasa,ラサ,拉萨; Xinjiang,新疆,新疆;
Yunnan,雲南,云南; Sichuan,四川,四川; Guangdong,広東,广东; Zhejiang,浙江,浙江; Jiangsu,江蘇,江苏; Fujian,福建,福建; Hainan,海南,海南;
Shandong,山東,山东; Hunan,湖南,湖南; Hubei,湖北,湖北; Henan,河南,河南; Hebei,河北,河北; Liaoning,遼寧,辽宁; Inner Mongolia,内モンゴル,内蒙古;
United States,アメリカ,美国; Canada,カナダ,加拿大; Mexico,メキシコ,墨西哥; Brazil,ブラジル,巴西; Argentina,アルゼンチン,阿根廷; Peru,ペルー,秘鲁;
Cuba,キューバ,古巴; Colombia,コロンビア,哥伦比亚; England,イングランド,英格兰; United Kingdom,イギリス,英国; Scotland,スコットランド,苏格兰;
Ireland,アイルランド,爱尔兰; France,フランス,法国; Germany,ドイツ,德国; Italy,イタリア,意大利; Spain,スペイン,西班牙; Portugal,ポルトガル,葡萄牙;
Netherlands,オランダ,荷兰; Belgium,ベルギー,比利时; Switzerland,スイス,瑞士; Austria,オーストリア,奥地利; Greece,ギリシャ,希腊; Turkey,トルコ,土耳其;
Russia,ロシア,俄罗斯; Ukraine,ウクライナ,乌克兰; Poland,ポーランド,波兰; Sweden,スウェーデン,瑞典; Norway,ノルウェー,挪威; Finland,フィンランド,芬兰;
Denmark,デンマーク,丹麦; Iceland,アイスランド,冰岛; Australia,オーストラリア,澳大利亚; New Zealand,ニュージーランド,新西兰; Korea,韓国,韩国;
India,インド,印度; Thailand,タイ,泰国; Vietnam,ベトナム,越南; Indonesia,インドネシア,印度尼西亚; Malaysia,マレーシア,马来西亚;
Singapore,シンガポール,新加坡; Philippines,フィリピン,菲律宾; Cambodia,カンボジア,柬埔寨; Nepal,ネパール,尼泊尔; Mongolia,モンゴル,蒙古;
Egypt,エジプト,埃及; Morocco,モロッコ,摩洛哥; Kenya,ケニア,肯尼亚; Nigeria,ナイジェリア,尼日利亚; South Africa,南アフリカ,南非;
Israel,イスラエル,以色列; Iran,イラン,伊朗; Dubai,ドバイ,迪拜; Hawaii,ハワイ,夏威夷; Guam,グアム,关岛; Bali,バリ島,巴厘岛; Alaska,アラスカ,阿拉斯加;
New York,ニューヨーク,纽约; Los Angeles,ロサンゼルス,洛杉矶; San Francisco,サンフランシスコ,旧金山; Chicago,シカゴ,芝加哥; Boston,ボストン,波士顿;
Seattle,シアトル,西雅图; Las Vegas,ラスベガス,拉斯维加斯; Miami,マイアミ,迈阿密; California,カリフォルニア,加利福尼亚; Texas,テキサス,得克萨斯;
Florida,フロリダ,佛罗里达; Toronto,トロント,多伦多; Vancouver,バンクーバー,温哥华; London,ロンドン,伦敦; Paris,パリ,巴黎; Rome,ローマ,罗马;
Milan,ミラノ,米兰; Venice,ベネチア,威尼斯; Barcelona,バルセロナ,巴塞罗那; Madrid,マドリード,马德里; Lisbon,リスボン,里斯本; Berlin,ベルリン,柏林;
Munich,ミュンヘン,慕尼黑; Vienna,ウィーン,维也纳; Prague,プラハ,布拉格; Amsterdam,アムステルダム,阿姆斯特丹; Stockholm,ストックホルム,斯德哥尔摩;
Copenhagen,コペンハーゲン,哥本哈根; Helsinki,ヘルシンキ,赫尔辛基; Athens,アテネ,雅典; Istanbul,イスタンブール,伊斯坦布尔; Moscow,モスクワ,莫斯科;
Melbourne,メルボルン,墨尔本; Seoul,ソウル,首尔; Busan,釜山,釜山; Bangkok,バンコク,曼谷; Hanoi,ハノイ,河内; Mumbai,ムンバイ,孟买; Delhi,デリー,德里;
Jakarta,ジャカルタ,雅加达; Manila,マニラ,马尼拉; Cairo,カイロ,开罗; Europe,ヨーロッパ,欧洲; Asia,アジア,亚洲; Africa,アフリカ,非洲`;

const EVENTS = `
Christmas,クリスマス,圣诞节; Halloween,ハロウィン,万圣节; Thanksgiving,感謝祭,感恩节; Easter,イースター,复活节; Valentine's Day,バレンタイン,情人节;
New Year's Day,お正月,元旦; Chinese New Year,春節,春节; Mid-Autumn Festival,中秋節,中秋节; Dragon Boat Festival,端午節,端午节;
Tomb-Sweeping Day,清明節,清明节; Obon,お盆,盂兰盆节; Golden Week,ゴールデンウィーク,黄金周; Diwali,ディワリ,排灯节; Olympics,オリンピック,奥运会; World Cup,ワールドカップ,世界杯`;

export interface WellKnown {
  readonly type: Entity['type'];
  /** English, Japanese, Chinese; without repeats. */
  readonly names: readonly string[];
}

const BY_NAME = new Map<string, WellKnown>();
for (const [type, rows] of [
  ['place', PLACES],
  ['event', EVENTS],
] as const) {
  for (const row of rows.split(';')) {
    const wellKnown = { type, names: [...new Set(row.split(',').map((name) => name.trim()))] };
    for (const name of wellKnown.names) BY_NAME.set(name, wellKnown);
  }
}
for (const [name, same] of [
  ['USA', 'United States'],
  ['America', 'United States'],
  ['Britain', 'United Kingdom'],
  ['South Korea', 'Korea'],
] as const) {
  const wellKnown = BY_NAME.get(same);
  if (wellKnown) BY_NAME.set(name, wellKnown);
}

/** The well-known place or day of exactly this name. */
export function wellKnown(name: string): WellKnown | undefined {
  return BY_NAME.get(name);
}

const CJK_NAMES = [...BY_NAME.keys()].filter((name) => !/\p{Script=Latin}/u.test(name));
const CJK_PATTERN = new RegExp(CJK_NAMES.sort((a, b) => b.length - a.length).join('|'), 'gu');

/** The well-known names in a Japanese or Chinese text, matched by characters only. */
export function wellKnownIn(text: string): { name: string; at: number }[] {
  return [...text.matchAll(CJK_PATTERN)].map((match) => ({ name: match[0], at: match.index }));
}
