/**
 * Tables of what names consist of: the commonest Japanese surnames and given names with their readings, the
 * commonest Chinese surnames with their pinyin, variants of the same character, and titles. Readings may omit long
 * vowels; several readings are separated by slashes.
 */

/** Entries `written reading/reading`, separated by white space. */
type Readings = string;

export const JAPANESE_SURNAMES: Readings = `
佐藤 sato 鈴木 suzuki 高橋 takahashi 田中 tanaka 伊藤 ito 渡辺 watanabe 山本 yamamoto 中村 nakamura 小林 kobayashi
加藤 kato 吉田 yoshida 山田 yamada 佐々木 sasaki 山口 yamaguchi 松本 matsumoto 井上 inoue 木村 kimura 林 hayashi
斎藤 saito 斉藤 saito 清水 shimizu 山崎 yamazaki/yamasaki 森 mori 池田 ikeda 橋本 hashimoto 阿部 abe 石川 ishikawa
山下 yamashita 中島 nakajima/nakashima 石井 ishii 小川 ogawa 前田 maeda 岡田 okada 長谷川 hasegawa 藤田 fujita
後藤 goto 近藤 kondo 村上 murakami 遠藤 endo 青木 aoki 坂本 sakamoto 福田 fukuda 太田 ota 西村 nishimura 藤井 fujii
金子 kaneko 岡本 okamoto 藤原 fujiwara 中野 nakano 三浦 miura 原田 harada 中川 nakagawa 松田 matsuda 竹内 takeuchi
小野 ono 田村 tamura 中山 nakayama 和田 wada 石田 ishida 森田 morita 上田 ueda 原 hara 内田 uchida 柴田 shibata
酒井 sakai 宮崎 miyazaki 横山 yokoyama 高木 takagi 安藤 ando 宮本 miyamoto 大野 ono 小島 kojima 谷口 taniguchi
今井 imai 工藤 kudo 高田 takada/takata 増田 masuda 丸山 maruyama 杉山 sugiyama 村田 murata 大塚 otsuka 新井 arai
小山 koyama/oyama 平野 hirano 藤本 fujimoto 河野 kono/kawano 上野 ueno 野口 noguchi 武田 takeda 松井 matsui
千葉 chiba 菅原 sugawara 岩崎 iwasaki 久保 kubo 木下 kinoshita 佐野 sano 野村 nomura 松尾 matsuo 市川 ichikawa
菊地 kikuchi 菊池 kikuchi 杉本 sugimoto 古川 furukawa 大西 onishi 島田 shimada 水野 mizuno 桜井 sakurai
渡部 watanabe/watabe 高野 takano 吉川 yoshikawa 飯田 iida 山内 yamauchi 西田 nishida 西川 nishikawa 小松 komatsu
安田 yasuda 北村 kitamura 五十嵐 igarashi 中田 nakata/nakada 川口 kawaguchi 平田 hirata 川崎 kawasaki 飯塚 iizuka
本田 honda 久保田 kubota 沢田 sawada 辻 tsuji 関 seki 吉村 yoshimura 石原 ishihara 中西 nakanishi 服部 hattori
樋口 higuchi 福島 fukushima 岩田 iwata 永井 nagai 浅野 asano 秋山 akiyama 川村 kawamura 上原 uehara 松村 matsumura
馬場 baba 大橋 ohashi 川上 kawakami 大島 oshima 内藤 naito 望月 mochizuki 田口 taguchi 星野 hoshino 松下 matsushita
富田 tomita 尾崎 ozaki 荒木 araki 小池 koike 岩本 iwamoto 広瀬 hirose 永田 nagata 土屋 tsuchiya 萩原 hagiwara
早川 hayakawa 栗原 kurihara 鎌田 kamata/kamada 片山 katayama 須藤 sudo/suto 矢野 yano 川田 kawada/kawata
白石 shiraishi 黒田 kuroda 大久保 okubo 熊谷 kumagai 菅野 kanno/sugano 菅 kan/suga 野田 noda 奥村 okumura 小沢 ozawa
松岡 matsuoka 古田 furuta 東 higashi/azuma 本間 honma 松浦 matsuura 堀 hori 田辺 tanabe 森本 morimoto 篠原 shinohara
片岡 kataoka 大森 omori 小西 konishi 横田 yokota 石橋 ishibashi 松永 matsunaga 吉岡 yoshioka 大谷 otani/oya
児玉 kodama 西山 nishiyama 中井 nakai 宮田 miyata 岡崎 okazaki 北川 kitagawa 坂井 sakai 堀内 horiuchi 坂口 sakaguchi
成田 narita 福井 fukui 今村 imamura 八木 yagi 津田 tsuda 吉野 yoshino 小田 oda 榎本 enomoto 大田 ota 岸 kishi
天野 amano 杉浦 sugiura 金井 kanai 福本 fukumoto 柳 yanagi 石塚 ishizuka 森下 morishita 大石 oishi 桑原 kuwabara
関口 sekiguchi 小野寺 onodera 神田 kanda 川島 kawashima 青山 aoyama 平山 hirayama 三宅 miyake 竹田 takeda 岡 oka
河合 kawai 川合 kawai 根本 nemoto 南 minami 甲斐 kai 安部 abe 安倍 abe 阪本 sakamoto 田島 tajima 上村 uemura/kamimura
植田 ueda 黒木 kuroki 荒井 arai 寺田 terada 中本 nakamoto 本多 honda 土井 doi 堀田 hotta 落合 ochiai 会田 aida
相田 aida 長田 nagata/osada 山中 yamanaka 稲垣 inagaki 小泉 koizumi 岸田 kishida 谷 tani 栗田 kurita 武藤 muto
大川 okawa 三好 miyoshi 深沢 fukazawa 梅田 umeda 須田 suda 平井 hirai 長野 nagano 江口 eguchi 稲葉 inaba 小倉 ogura
西 nishi 榊原 sakakibara 河村 kawamura 宮下 miyashita 白井 shirai 中尾 nakao 野崎 nozaki 松原 matsubara 青柳 aoyagi
大竹 otake 前川 maekawa 真田 sanada 島 shima 浜田 hamada 田原 tahara 塚本 tsukamoto 柏木 kashiwagi 佐伯 saeki
小原 ohara/obara 桐生 kiryu 神谷 kamiya 星 hoshi 橘 tachibana 浅井 asai 浅田 asada 荒川 arakawa 滝沢 takizawa
藤川 fujikawa 藤沢 fujisawa 藤村 fujimura 藤岡 fujioka 藤野 fujino 藤森 fujimori 細川 hosokawa 堀江 horie
牧野 makino 丹羽 niwa 三上 mikami 水谷 mizutani 溝口 mizoguchi 村井 murai 村松 muramatsu 村山 murayama
茂木 motegi/mogi 矢島 yajima 柳田 yanagida 柳沢 yanagisawa 山岸 yamagishi 山根 yamane 山村 yamamura 湯浅 yuasa
横井 yokoi 吉井 yoshii 吉原 yoshihara 米田 yoneda 若林 wakabayashi 若松 wakamatsu 高島 takashima 高山 takayama
高瀬 takase 高井 takai 竹中 takenaka 竹下 takeshita 多田 tada 田代 tashiro 戸田 toda 土田 tsuchida
角田 tsunoda/kakuta 手塚 tezuka 徳永 tokunaga 永野 nagano 長尾 nagao 長島 nagashima 中沢 nakazawa
中谷 nakatani/nakaya 中原 nakahara 夏目 natsume 西尾 nishio 西岡 nishioka 西野 nishino 西本 nishimoto 西原 nishihara
野中 nonaka 野沢 nozawa 畠山 hatakeyama 花田 hanada 原口 haraguchi 日高 hidaka 平川 hirakawa 平松 hiramatsu
平岡 hiraoka 広田 hirota 日野 hino 今野 konno 紺野 konno 金田 kaneda 亀井 kamei 川端 kawabata 川本 kawamoto
河原 kawahara 川原 kawahara 神崎 kanzaki 岸本 kishimoto 北野 kitano 北原 kitahara 木原 kihara 桑田 kuwata
黒川 kurokawa 黒沢 kurosawa 小森 komori 小室 komuro 小柳 koyanagi 佐竹 satake 佐久間 sakuma 佐川 sagawa
塩田 shiota 篠田 shinoda 篠崎 shinozaki 柴崎 shibasaki 渋谷 shibuya 島崎 shimazaki 下田 shimoda 下村 shimomura
新田 nitta 杉田 sugita 杉原 sugihara 瀬戸 seto 関根 sekine 相馬 soma 園田 sonoda 伊東 ito 井口 iguchi 池上 ikegami
石黒 ishiguro 石崎 ishizaki 稲田 inada 乾 inui 今泉 imaizumi 岩井 iwai 岩下 iwashita 植木 ueki 植村 uemura
植松 uematsu 臼井 usui 内山 uchiyama 江藤 eto 海老原 ebihara 大内 ouchi 大木 oki 大場 oba 大沢 osawa 大城 oshiro
大山 oyama 大平 ohira 大原 ohara 大村 omura 岡部 okabe 岡村 okamura 岡野 okano 緒方 ogata 奥田 okuda 奥山 okuyama
奥野 okuno 小笠原 ogasawara 荻野 ogino 荻原 ogiwara 織田 oda 加納 kano 狩野 kano/karino 笠原 kasahara 春日 kasuga
片桐 katagiri 金城 kinjo 比嘉 higa 宮城 miyagi 宮里 miyazato 宮川 miyagawa 宮沢 miyazawa 宮原 miyahara 向井 mukai
村瀬 murase 森川 morikawa 森山 moriyama 森岡 morioka 守屋 moriya 安井 yasui 安達 adachi 足立 adachi 相川 aikawa
相沢 aizawa 相原 aihara 赤松 akamatsu 赤木 akagi 秋田 akita 秋元 akimoto 秋本 akimoto 芦田 ashida 麻生 aso
有馬 arima 有田 arita 安西 anzai 飯島 iijima 飯野 iino 三木 miki 三島 mishima 三谷 mitani 水島 mizushima
皆川 minagawa 堀口 horiguchi 堀川 horikawa 細田 hosoda 細谷 hosoya 古賀 koga 古谷 furuya 福永 fukunaga 福原 fukuhara
`;

export const JAPANESE_GIVEN_NAMES: Readings = `
太郎 taro 一郎 ichiro 次郎 jiro 二郎 jiro 三郎 saburo 健太 kenta 健太郎 kentaro 健 ken/takeshi 健一 kenichi 健二 kenji
健司 kenji 賢治 kenji 大輔 daisuke 翔太 shota 翔 sho/kakeru 拓也 takuya 拓海 takumi 匠 takumi 達也 tatsuya 竜也 tatsuya
哲也 tetsuya 和也 kazuya 雅也 masaya 慎也 shinya 真也 shinya 直樹 naoki 直人 naoto 浩 hiroshi 博 hiroshi 弘 hiroshi
浩二 koji 浩一 koichi 隆 takashi 孝 takashi 崇 takashi 誠 makoto 真 makoto/shin 学 manabu 剛 tsuyoshi/takeshi
武 takeshi 豊 yutaka 裕 yutaka/hiroshi 修 osamu 治 osamu 清 kiyoshi 茂 shigeru 進 susumu 勉 tsutomu 稔 minoru
実 minoru 正 tadashi 勝 masaru 悟 satoru 聡 satoshi 智 satoshi/tomo 亮 ryo 涼 ryo 遼 ryo 諒 ryo 亮太 ryota
涼太 ryota 亮介 ryosuke 涼介 ryosuke 蓮 ren 湊 minato 陽翔 haruto 悠真 yuma 悠人 yuto 優斗 yuto 隼人 hayato 勇人 hayato
隼 shun/hayato 駿 shun 俊 shun 俊介 shunsuke 啓介 keisuke 圭介 keisuke 慶太 keita 雄太 yuta 裕太 yuta 優太 yuta
悠太 yuta 祐太 yuta 雄介 yusuke 祐介 yusuke 裕介 yusuke 優 yu 悠 yu 樹 itsuki 大樹 daiki 大地 daichi
大翔 hiroto/haruto 颯太 sota 蒼太 sota 壮太 sota 奏太 sota/kanata 蒼 ao/aoi 葵 aoi 海斗 kaito 陸 riku 空 sora
光 hikaru 晃 akira 明 akira 昭 akira 彰 akira 章 akira 龍之介 ryunosuke 龍 ryu 新 arata 陽太 yota/haruta 陽介 yosuke
洋介 yosuke 洋平 yohei 翔平 shohei 祥平 shohei 恭平 kyohei 純一 junichi 順一 junichi 潤 jun 純 jun 淳 jun/atsushi
篤 atsushi 敦 atsushi 徹 toru 透 toru 渉 wataru 航 wataru/ko 望 nozomi/nozomu 司 tsukasa 薫 kaoru 忍 shinobu
歩 ayumu/ayumi 伸一 shinichi 真一 shinichi 慎一 shinichi 雅人 masato 正人 masato 真人 masato/makoto 雅彦 masahiko
和彦 kazuhiko 和弘 kazuhiro 和夫 kazuo 昭夫 akio 秀樹 hideki 英樹 hideki 秀明 hideaki
美咲 misaki 陽子 yoko 洋子 yoko 葉子 yoko 恵子 keiko 啓子 keiko 圭子 keiko 京子 kyoko 恭子 kyoko 幸子 sachiko/yukiko
和子 kazuko 久美子 kumiko 由美子 yumiko 由美 yumi 裕美 hiromi/yumi 真由美 mayumi 直美 naomi 明美 akemi 智子 tomoko
朋子 tomoko 友子 tomoko 裕子 yuko/hiroko 優子 yuko 祐子 yuko 博子 hiroko 弘子 hiroko 美穂 miho 美香 mika 美佳 mika
真美 mami 麻美 mami/asami 愛 ai 愛子 aiko 彩 aya 綾 aya 彩香 ayaka 彩花 ayaka 綾香 ayaka 彩乃 ayano 綾乃 ayano
綾子 ayako 絵里 eri 絵理 eri 恵理子 eriko 絵美 emi 恵美 emi/megumi 恵 megumi/kei 香織 kaori 香 kaori 佳奈 kana
加奈 kana 香奈 kana 加奈子 kanako 花 hana 華 hana 花子 hanako 春菜 haruna 陽菜 hina/haruna 遥 haruka 春香 haruka
遥香 haruka 美月 mizuki/mitsuki 瑞希 mizuki 瑞穂 mizuho 桃子 momoko 桃花 momoka 萌 moe 舞 mai 麻衣 mai 麻衣子 maiko
真央 mao 真理 mari 麻里 mari 真理子 mariko 真奈 mana 愛美 manami 真奈美 manami 結衣 yui 唯 yui 結 yui 結愛 yua
結菜 yuna 優奈 yuna 友美 tomomi 智美 tomomi 奈々 nana 七海 nanami 菜々子 nanako 奈緒 nao 直子 naoko 尚子 naoko/hisako
奈美 nami 奈津子 natsuko 夏美 natsumi 夏希 natsuki 菜月 natsuki 典子 noriko 紀子 noriko 礼子 reiko 玲子 reiko
里奈 rina 莉奈 rina 理恵 rie 梨花 rika 凛 rin 莉子 riko 涼子 ryoko 良子 yoshiko/ryoko 沙織 saori 桜 sakura 咲 saki
咲希 saki 早紀 saki 里美 satomi 聡美 satomi 静香 shizuka 志保 shiho 詩織 shiori 栞 shiori 翼 tsubasa 千尋 chihiro
千晴 chiharu 千春 chiharu 千佳 chika 千夏 chinatsu 千恵 chie 梓 azusa 杏奈 anna 茜 akane 亜美 ami 明子 akiko
晶子 akiko 亜希子 akiko 麻子 asako 敦子 atsuko 歩美 ayumi 亜由美 ayumi 泉 izumi 梢 kozue 琴音 kotone 小春 koharu
芽衣 mei 美優 miyu 美雪 miyuki 美幸 miyuki 美由紀 miyuki 美和 miwa 美奈 mina 美奈子 minako 光子 mitsuko 緑 midori
芳子 yoshiko 佳子 yoshiko/keiko 百合 yuri 百合子 yuriko 由紀 yuki 由紀子 yukiko 有希 yuki 雪 yuki 由佳 yuka 優香 yuka
`;

export const CHINESE_SURNAMES: Readings = `
王 wang 李 li 张 zhang 刘 liu 陈 chen 杨 yang 黄 huang 赵 zhao 吴 wu 周 zhou 徐 xu 孙 sun 马 ma 朱 zhu 胡 hu 郭 guo 何 he
林 lin 罗 luo 高 gao 郑 zheng 梁 liang 谢 xie 宋 song 唐 tang 许 xu 韩 han 邓 deng 冯 feng 曹 cao 彭 peng 曾 zeng
肖 xiao 萧 xiao 田 tian 董 dong 袁 yuan 潘 pan 于 yu 余 yu 蔡 cai 蒋 jiang 杜 du 叶 ye 程 cheng 苏 su 魏 wei 吕 lu/lyu
丁 ding 任 ren 沈 shen 姚 yao 卢 lu 姜 jiang 崔 cui 钟 zhong 谭 tan 陆 lu 汪 wang 范 fan 金 jin 石 shi 廖 liao 贾 jia
夏 xia 韦 wei 付 fu 傅 fu 方 fang 白 bai 邹 zou 孟 meng 熊 xiong 秦 qin 邱 qiu 江 jiang 尹 yin 薛 xue 闫 yan 阎 yan
段 duan 雷 lei 侯 hou 龙 long 史 shi 陶 tao 黎 li 贺 he 顾 gu 毛 mao 郝 hao 龚 gong 邵 shao 万 wan 钱 qian 严 yan
武 wu 戴 dai 莫 mo 孔 kong 向 xiang 汤 tang 常 chang 温 wen 康 kang 施 shi 文 wen 牛 niu 樊 fan 葛 ge 邢 xing 安 an
齐 qi 易 yi 乔 qiao 伍 wu 庞 pang 颜 yan 倪 ni 庄 zhuang 聂 nie 章 zhang 鲁 lu 岳 yue 翟 zhai 殷 yin 詹 zhan 申 shen
欧 ou 耿 geng 关 guan 兰 lan 焦 jiao 俞 yu 左 zuo 柳 liu 甘 gan 祝 zhu 包 bao 宁 ning 阮 ruan 纪 ji 梅 mei 童 tong
凌 ling 毕 bi 霍 huo 骆 luo 蓝 lan 管 guan 鲍 bao 华 hua
欧阳 ouyang 司马 sima 上官 shangguan 诸葛 zhuge 皇甫 huangfu 公孙 gongsun 慕容 murong 令狐 linghu 夏侯 xiahou 司徒 situ
`;

/** Variants of one character in names: simplified, traditional and Japanese forms. The first represents all. */
export const VARIANTS = `
张張 刘劉 陈陳 杨楊 黄黃 赵趙 吴吳呉 孙孫 马馬 罗羅 郑鄭 谢謝 许許 韩韓 邓鄧 冯馮
蒋蔣 叶葉 苏蘇 吕呂 卢盧 钟鐘鍾 谭譚 陆陸 贾賈 韦韋 邹鄒 闫閆 阎閻 龙龍竜 贺賀
顾顧 龚龔 万萬 钱錢 严嚴厳 汤湯 齐齊斉 乔喬 庞龐 颜顏顔 庄莊荘 聂聶 鲁魯 欧歐
关關関 兰蘭 宁寧 纪紀 毕畢 骆駱 蓝藍 鲍鮑 华華 诸諸 萧蕭 温溫 阳陽 东東 国國 丽麗
伟偉 强強 军軍 红紅 静靜 泽澤沢 边邊邉辺 斋齋斎 滨濱浜 广廣広 樱櫻桜 岛島嶋 崎﨑嵜
高髙 泷瀧滝 渊淵渕 荣榮栄 惠恵 真眞 实實実 宝寶 铁鐵鉄 弥彌 绿綠緑 条條 冈岡 桥橋
涩澁渋 盐鹽塩 会會 乐樂楽 晓曉暁 凉涼 凛凜 遥遙 亚亞亜 奥奧 枫楓 铃鈴 师師 长長
总總総 经經経 医醫 书書 监監 队隊 导導 处處 务務 员員 议議 统統 护護 级級 学學
爷爺 妈媽 爱愛 婶嬸 板闆 听聽 吉𠮷 圣聖 绫綾 织織 绘繪絵 结結 优優 凤鳳 鹤鶴 饭飯
须須 见見 贵貴 贤賢 辉輝 义義 佑祐 黑黒 园園 远遠 后後 宫宮 胜勝 刚剛 笃篤 锅鍋
镰鎌 绪緒 笼籠 筑築 细細 纯純 诚誠 让讓譲 飞飛 颯飒 苍蒼 莲蓮 凑湊 药藥薬
`;

/** Titles after a name in Japanese. */
export const JAPANESE_TITLES = `
さん さま くん ちゃん ちゃま たん どの せんせい せんぱい サン サマ クン チャン 様 君 殿 氏 嬢 先生 先輩 後輩 社長 副社長 会長
部長 課長 係長 次長 店長 班長 隊長 院長 校長 園長 所長 局長 室長 館長 学長 塾長 船長 主任 専務 常務 教授 准教授 講師 博士
医師 弁護士 看護師 監督 コーチ 選手 キャプテン マネージャー 議員 大臣 首相 大統領 知事 市長 夫人 兄さん 姉さん おじさん おばさん
`;

/** Titles after a name in Chinese. */
export const CHINESE_TITLES = `
先生 女士 小姐 太太 夫人 老师 师傅 医生 大夫 护士 教授 博士 经理 总经理 总监 总裁 老板 主任 主席 校长 院长 局长 科长 处长
部长 书记 秘书 律师 警官 队长 班长 同学 同志 叔叔 阿姨 大爷 大妈 大叔 大姐 大哥 大嫂 爷爷 奶奶 伯伯 伯父 伯母 哥哥 姐姐
弟弟 妹妹 嫂子 姑娘 师兄 师姐 学长 学姐 学弟 学妹
`;
/** Chinese titles of one character: only after a surname. */
export const CHINESE_SHORT_TITLES = '哥姐总董工导局处科叔姨婶伯嫂爷';

/** Titles before a name in English, without full stop; not words that begin names of other things (Captain, Sister). */
export const ENGLISH_TITLES = `
mr mrs ms miss mx dr doctor prof professor sir madam madame uncle aunt auntie grandma grandpa rev reverend
officer detective sergeant lieutenant colonel senator
`;
export const ENGLISH_SUFFIXES = 'jr sr phd md esq';
/** Titles after a hyphen, or as a separate word where it cannot be a name. */
export const ROMAJI_TITLES = {
  hyphened: 'san sama kun chan sensei senpai dono',
  free: 'san sama sensei senpai',
};

/** Titles of men and of women: a name with one of each cannot be one person. */
export const TITLES_OF_MEN = `
先生 哥 大哥 哥哥 叔 叔叔 大叔 爷爷 大爷 伯伯 伯父 弟弟 师兄 学弟 兄さん おじさん mr sir uncle grandpa
`;
export const TITLES_OF_WOMEN = `
女士 小姐 太太 夫人 姐 大姐 姐姐 阿姨 姨 婶 嫂 大嫂 嫂子 大妈 奶奶 伯母 妹妹 姑娘 师姐 学姐 学妹 嬢 姉さん おばさん
mrs ms miss madam madame aunt auntie grandma
`;
