/** Common given names. */

const GIVEN = `
James John Robert Michael William David Richard Joseph Thomas Charles Chris Christopher Daniel Matthew Anthony Donald Steven
Paul Andrew Joshua Kenneth Kevin Brian George Edward Ronald Tim Timothy Jason Jeffrey Ryan Jacob Gary Nick Nicholas Eric Jonathan
Stephen Larry Justin Scott Brandon Ben Benjamin Sam Samuel Greg Frank Alex Alexander Patrick Dennis Jerry Tyler Aaron Jose
Adam Nathan Henry Peter Kyle Noah Ethan Liam Oliver Lucas Leo Tom Bob Jim Joe Mike Dave Steve Matt Dan Tony Luke Carl Simon Martin
Ivan Omar Ali Ahmed Mohammed Carlos Juan Luis Miguel Diego Marco Raj Arjun Ravi Tim Sean Ian Keith Neil Oscar
Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Sara Karen Lisa Nancy Betty Sandra Margaret Ashley Kim Kimberly
Emily Donna Michelle Carol Amanda Melissa Deborah Stephanie Rebecca Laura Helen Sharon Cynthia Kathy Kathleen Amy Angela Anna Anne Ann
Ruth Brenda Nicole Samantha Katherine Kate Katie Emma Christine Catherine Rachel Maria Heather Diane Julie Julia Joyce Olivia
Victoria Kelly Lauren Christina Joan Evelyn Judith Megan Andrea Cheryl Hannah Jane Janet Alice Sophia Sophie Chloe Mia Ella Lily Zoe
Claire Lucy Molly Eva Elena Nina Rosa Ana Fatima Aisha Priya Yuki Hana Mei Sakura Kenji
Hiroshi Akira Yuko Naoko Takashi Kenta Haruto Yumi Satoshi Daisuke Wei Ming Xiao`;

const GIVEN_NAMES: ReadonlySet<string> = new Set(GIVEN.trim().split(/\s+/));

/** Whether a word in Latin letters is a common given name. */
export function isGivenName(word: string): boolean {
  return GIVEN_NAMES.has(word);
}

/** Frequent Japanese surnames that rarely mean anything else when they occur alone. */
const SURNAMES_JA =
  '佐藤 鈴木 高橋 田中 渡辺 渡邊 伊藤 山本 中村 小林 加藤 吉田 山田 佐々木 松本 井上 木村 清水 斎藤 斉藤 山崎 阿部 池田 橋本 石井 小川 前田 岡田 藤田 後藤 近藤 村上 遠藤 青木 坂本 藤井 西村 福田 太田 三浦 藤原 岡本 松田 中島 中野 原田 小野 田村 竹内 和田 中山 石田 森田 上田 柴田 酒井 宮本 内田 高木 安藤 谷口 大野 今井 高田 丸山 河野 藤本 村田 武田 上野 杉山 増田 平野 大塚 久保 小島 千田 菅原 市川 松井 岩崎 野口 木下 野村 松尾 菊地 菊池 佐野 杉本 古川 新井 水野 桜井 小松 島田 飯田 五十嵐 服部 熊谷 大西 川口 辻本 荒木 矢野 本田 星野 堀内 永井 黒田 須藤 片山 関口 吉川 馬場 安田 小池 中田 東野 成田 岩田 平田 川上 西田 辻村 土屋 篠原 長谷川 大久保 小山田';
const SURNAMES: ReadonlySet<string> = new Set(SURNAMES_JA.split(' '));

export function isJapaneseSurname(word: string): boolean {
  return SURNAMES.has(word);
}

export const JAPANESE_SURNAMES: string = [...SURNAMES].sort((a, b) => b.length - a.length).join('|');

/** Endings of Japanese given names in kanji, and words with the same endings. */
const GIVEN_JA =
  /^[\p{Script=Han}]{1,2}(?:子|美|香|奈|菜|恵|郎|太|介|助|樹|輝|也|斗|平|彦|雄|吾|乃|穂|沙|紀|莉|翔|代|江|衣|希|絵|佳|久|司|志|哉|朗|之)$/u;
const NO_NAME_JA = new Set(
  '様子 調子 帽子 椅子 菓子 女子 男子 弟子 息子 双子 餃子 電子 格子 障子 利子 団子 王子 親子 迷子 骨子 原子 分子 拍子 冊子 野郎 新郎 時代 世代 年代 古代 現代 近代 交代 太平 公平 不平 水平 和平 紹介 仲介 厄介 魚介 司会 上司 寿司 行司 希望 意志 同志 有志 闘志 丸太 衣類 浴衣 永久 持久 援助 救助 補助 果樹 植樹'.split(
    ' ',
  ),
);

/** Whether a word in kanji looks like a Japanese given name: 花子, 健太, 結衣. */
export function looksLikeJapaneseGivenName(word: string): boolean {
  return GIVEN_JA.test(word) && !NO_NAME_JA.has(word);
}

/** The frequent Chinese surnames, of one character and of two, simplified and traditional. */
export const CHINESE_SURNAMES =
  '欧阳|司马|上官|诸葛|夏侯|皇甫|慕容|司徒|歐陽|諸葛|[王李张張刘劉陈陳杨楊黄黃赵趙周吴吳徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖蕭萧田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鐘谭譚陆陸汪范石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万钱錢严嚴覃武戴莫孔向汤湯温康施牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁舒阮柯纪梅童凌毕裴霍涂骆穆]';

/** Surnames that are almost always names before 小 or 老 or a title. */
export const PLAIN_CHINESE_SURNAMES =
  '王李张張刘劉陈陳杨楊赵趙周吴吳徐孙孫朱胡郭何林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖蕭萧董袁潘蒋蔣蔡杜苏蘇魏吕呂丁沈姚卢盧姜崔谭譚陆陸汪范廖贾賈韦韋邹鄒孟秦邱薛侯陶黎贺賀顾顧郝龚龔邵钱錢严嚴覃戴莫孔汤湯';
