/** Rules for facts in Japanese sentences about the speaker, who is mostly not mentioned. */
import { isGivenName, isJapaneseSurname, looksLikeJapaneseGivenName, relationOf } from '../../text/text.ts';
import { LIKELY, predicateFor, type Person, type Reader, type Rule } from './rule.ts';

const CLOSE =
  '息子|娘|長男|次男|長女|次女|妻|夫|旦那|嫁|奥さん|孫|兄|弟|姉|妹|お兄ちゃん|お姉ちゃん|彼氏|婚約者';
const KIN = `${CLOSE}|母|父|お母さん|お父さん|おかん|おとん|ママ|パパ|両親|主人|彼女|子供|子ども|祖母|祖父|おばあちゃん|おじいちゃん|ばあちゃん|じいちゃん|叔父|叔母|いとこ|甥|姪|義母|義父`;
const PETS = '犬|猫|愛犬|愛猫|柴犬?|うさぎ|ウサギ|ハムスター|インコ|文鳥|亀|カメ|金魚|フェレット|モルモット';
const FRIENDS =
  '同僚|上司|部下|後輩|先輩|友達|友人|親友|幼馴染|幼なじみ|同級生|ルームメイト|お?隣|となり|委員長|店長|主任';
const I = '(?:私|わたし|わたくし|あたし|僕|ぼく|ボク|俺|おれ|オレ|自分|うち)';
const ANIMALS = `(?:${PETS}|子犬|子猫|いぬ|ねこ|イヌ|ネコ|オウム|メダカ|熱帯魚|トカゲ|ヘビ|ハリネズミ|トイプードル|チワワ|ダックス|コーギー|ポメラニアン|レトリバー)`;
const JOBS =
  '会社員|公務員|教師|教員|(?:学校|[校園塾]|ピアノ|料理|英語)の先生|看護師|看護学生|医師|医者|歯科医|獣医|薬剤師|介護士|介護職|保育士|栄養士|弁護士|税理士|会計士|建築士|消防士|美容師|理容師|調理師|料理人|シェフ|パティシエ|エンジニア|プログラマー|デザイナー|イラストレーター|漫画家|小説家|画家|写真家|カメラマン|記者|編集者|ライター|翻訳家|通訳|研究者|教授|講師|警察官|警備員|自衛官|運転手|ドライバー|パイロット|整備士|大工|農家|漁師|営業|事務|経理|広報|店長|店員|販売員|バリスタ|コンサルタント|経営者|自営業|フリーランス|フリーター|専業主婦|主婦|主夫|大学生|大学院生|専門学生|浪人生|高校生|中学生|声優|ミュージシャン|インストラクター|カウンセラー|司書|秘書|派遣社員|契約社員|パート|品質管理';
const CONDITIONS =
  '糖尿病|(?:痛風|糖尿病)予備軍|高血圧|低血圧|喘息|ぜんそく|うつ病|鬱病|適応障害|パニック障害|不眠症|認知症|アルツハイマー|痛風|貧血|偏頭痛|片頭痛|腰痛|花粉症|アトピー|ヘルニア|緑内障|白内障|[\\p{Script=Han}]{0,2}(?:がん|癌)|ADHD|発達障害|自閉症|てんかん|腎臓病|心臓病|狭心症|リウマチ|メニエール病|乳糖不耐症|バセドウ病|潰瘍性大腸炎';
const DURABLES =
  '(?<!電|馬|列|風)車|軽トラ|自動車|バイク|自転車|マイホーム|マンション|別荘|ギター|ピアノ|バイオリン|カメラ|パソコン|タブレット|望遠鏡|ゲーム機|ミシン|オーブン';

const NAME = '(?:[\\p{Script=Han}々]{1,4}|[ァ-ヴー]{2,8}|[ぁ-ん]{2,4})';
/** Whom a sentence is about: the speaker, mentioned or not, or a person of the speaker. */
const OTHER = `(?:${I}の)?(?<whose>${KIN})(?:の(?<name>${NAME}))?`;
const WHO = `(?:${I}(?:は|も|って)?|${OTHER}(?:は|も|が|って)|)`;
/** Like WHO, for statements that are only made about the speaker. */
const ME = `(?:${I}(?:は|も|って)?|)`;
const OF = `(?:${OTHER}の|${I}の|)`;
const HOW =
  '(?:今(?![年月週日朝晩度])は?|いまは?|現在は?|普段は?|実は|ずっと|もともと|元々|昔から|最近は?|やっぱり|一応|本当に|ほんまに|すごく|とても|特に|結構|けっこう|かなり|めっちゃ|ちょっと|とにかく|何より|あと|ちなみに|まだ|もう)*';
const OBJECT = '(?<object>[^、。…]{1,24}?)';
/** Since when, before what happened: 去年の秋に, 今月から. */
const SINCE =
  '(?:(?:先々月|先月|先週|先日|去年|昨年|今年|一昨年|昨日|一昨日|おととい|今日|今週|今月|最近|週末|この前|こないだ|この[春夏秋冬]|[春夏秋冬]|\\d+月|\\d{4}年|\\d+月\\d+日付?|[\\d一二三四五六七八九十数半]+(?:年|か月|ヶ月|週間)(?:前|ほど前))(?:の(?:[春夏秋冬]|\\d+月|初め|終わり|末|暮れ))?(?:から|に|で)?は?)*';
/** A reason for moving: 転勤で, 結婚して. */
const BECAUSE =
  '(?:[^、。はがも]{1,12}(?:の都合で|の関係で|のため(?:に)?|[勤職学婚校]で|[てで](?=\\p{Script=Han})))?';
/** The ending of a statement: not past, not a question, not hearsay. */
const END =
  '(?:な(?:ん|の)(?:です|だ|や)?|です(?!か)|だ(?!った|ろう|って|そう|と|か(?!ら))|や(?!った|ろ)(?:ねん|で|わ|ん)?|で(?=$|す)|でして)?(?:よ|ね|な(?!い|く|ん)|わ|の|さ|ー|〜|♪|笑)*(?=$|が|けど|けれど|し|から|ので|もん|って)';
/** The continuation of a verb: 住んで|いる. */
const DOING = '(?:い)?(?:る|ます|まして|て|ん)(?!人|の|方|子|友|と思|よう)';

/** The name in an introduction, and its ending. */
const NAMED = `${OBJECT}(?:です|だ|といいます|と言います)?(?:よ|ね|なん)?(?:です|だ)?(?=$|が|けど)`;

function rule(limits: Omit<Rule, 'pattern'>, words: string): Rule {
  return { ...limits, pattern: new RegExp(`^${words}`, 'u') };
}

const NO_THING =
  /^(?:間|方|事|物|前|後|上|中|所|時|それ.*|これ.*|あれ.*|どれ.*|そういう.*|こういう.*|ああいう.*|.*[うくぐすつぬぶむる](?:ほう|方)|そこ|ここ|あそこ|どこ|そう|こう|そんな.*|こんな.*|あんな.*|その.*|この.*|あの.*|何.*|なに.*|誰.*|どっち.*|どの.*|の|こと|もの|ん|方|ほう|あなた.*|君.*|きみ.*|お前.*|おまえ.*|彼|彼ら|彼女|みんな|皆|人(?:それぞれ|達|たち|間)?|全部|両方|どちらも?|一番|大|やっぱり|私|僕|俺|自分|いる|ある|特に.*|今日|明日|昨日|来週|今|ありません|ない)$|^[とにへやのをがで]|[はがも、](?!の|み)|(?:全員|みんな|誰|だれ|ところ|とこ)|(?:から|ので|けど|って|たら|ても|という[のか]?)|さん$|くん$|ちゃんのこと|です|ます|なら/u;
/** Usual characters of place names: no kana that connect words. */
const PLACE =
  /^(?!(?:近く|近所|遠く|田舎|都会|実家|一人|二人|一緒|家族|社宅|部屋|場所|今|誰か|海外|関係|農家|病院|隣|県外|同じ|家|街|町|寮|山|海|店)$)(?:[\p{Script=Han}々ヶ]{2,8}|[ァ-ヴー・]{2,10}|[\p{Script=Han}ァ-ヴーA-Za-z]{2,10}|[\p{Script=Han}]{2,4}の[\p{Script=Han}]{2,4}|[ぁ-ん]{3,5}市?)$/u;
const PERSON =
  /^(?!(?:特に|秘密|内緒|未定|有名|平凡|普通|適当|不明|無し|ない|なし|まだ|まだない|ひみつ|ないしょ|なんでも|あとで|なんとなく|自由|大事|大切|重要|名無し|何|いい|へん|ありがとう)$)(?:[\p{Script=Han}々]{1,6}|[ァ-ヴー・]{2,12}|[ぁ-んー]{2,4}|\p{Lu}\p{L}+)$/u;
const NO_JOB = /の$|^(?:い|良|よ|優)|どんな|この|その|あの|担任|主治医|隣|友達|彼|さん|夢/u;

const RULES: readonly Rule[] = [
  // Endings come first: their patterns contain those of beginnings.
  rule(
    { predicate: 'likes', ends: true, except: NO_THING },
    `${ME}(?:もう|最近は?|今は)?${OBJECT}(?:のこと)?[はが](?:もう|あまり|そんなに|そこまで)?好き(?:(?:では|じゃ)なくな|(?<=もう.*)(?:では|じゃ)(?:ない|なく|ありません))`,
  ),
  rule(
    { predicate: 'home', ends: true, only: PLACE },
    `${ME}(?:もう)?${OBJECT}には?(?:もう)?住んで(?:い)?(?:ない|ません)`,
  ),
  rule(
    { predicate: 'workplace', ends: true, object: '' },
    `${ME}${SINCE}(?:ついに|もう)?(?:仕事|会社)を(?:辞め|やめ)(?:た|ました|てん)(?!い)`,
  ),
  rule(
    { predicate: 'workplace', ends: true, only: /(?:店|社|センター|屋|院|校|所|庁|局|[ァ-ヴー]{3,})$/u },
    `${ME}${SINCE}${OBJECT}を?(?:辞め|退職し)(?:た|ました|てん)(?!い)`,
  ),

  rule(
    { predicate: 'name', only: PERSON },
    `(?:${I}の(?:名前|本名|氏名|フルネーム)|本名|氏名|フルネーム)は${NAMED}`,
  ),
  // 名前は千尋です: whose name it is, is only clear at the beginning of a turn or of an introduction.
  rule(
    {
      predicate: 'name',
      only: PERSON,
      earlier:
        /^$|(?:はじめまして|初めまして|こんにちは|こんばんは|どうも|よろしく|自己紹介.*)[、。！!\s]*$/u,
    },
    `名前は${NAMED}`,
  ),
  rule(
    { predicate: 'name', only: PERSON },
    `(?:${I}は)?${OBJECT}(?:と申します|といいます|と言います|っていいます)$`,
  ),
  rule(
    { predicate: 'nickname', only: PERSON },
    `${ME}(?:みんな(?:から|に)?は?|友達(?:から|に)?は?|気軽に)?${OBJECT}(?:って|と)(?:呼んで(?:ください|ね|$)|呼ばれて)`,
  ),
  rule(
    { predicate: 'birthday', only: /\d月\d|[一二三四五六七八九十]月[一二三四五六七八九十]|\d\/\d/u },
    `${OF}(?:お?誕生日|生年月日)は(?<object>[^、。]{2,16}?)${END}`,
  ),
  rule(
    { predicate: 'birthday' },
    `(?:.*、)?(?<object>(?:\\d{4}年)?\\d{1,2}月\\d{1,2}日)(?:は|が)?(?:${I}の)?(?:(?<whose>${KIN})の)?誕生日${END}`,
  ),
  rule({ predicate: 'birthday' }, `${ME}(?<object>(?:\\d{4}年)?\\d{1,2}月\\d{1,2}日)(?:に)?生まれ`),
  rule(
    { predicate: 'age' },
    `${WHO}${HOW}(?:今年で?|もうすぐ)?(?<object>[1-9]\\d?|[二三四五六七八九]?十[一二三四五六七八九]?)(?:(?:歳|才)(?:${END}|に?なります|に?なりました|に?なった)|(?<=今年で?\\d{2})に(?:なります|なりました))`,
  ),
  rule(
    { predicate: 'home', begins: true, only: PLACE },
    `${WHO}${HOW}${SINCE}${BECAUSE}${OBJECT}[にへ](?:(?:引っ越し|引越し|引っ越|移住し|転居し|越し)(?:て(?:き|来)?)?(?:まし)?た(?!い|ら)|(?:引っ越し|越し)てきたばかり)`,
  ),
  rule(
    { predicate: 'home', begins: true, only: PLACE },
    `${WHO}${HOW}${SINCE}${OBJECT}(?:に|で)(?:ずっと)?(?:住んで|暮らして|(?:一人暮らし|単身赴任|下宿)(?:して)?)(?:${DOING}|(?=です|だ|中|$))`,
  ),
  // 引っ越した。西荻窪から三鷹へ: the verb was said before.
  rule(
    {
      predicate: 'home',
      begins: true,
      only: PLACE,
      earlier: /(?:引っ越し|引越し|転居し)(?:まし)?た[^ら\n]{0,4}$/u,
    },
    `[^、。]{2,10}から${OBJECT}(?:へ|に)$`,
  ),
  rule({ predicate: 'home', only: PLACE }, `${WHO}${HOW}${OBJECT}(?:在住|住み)${END}`),
  rule({ predicate: 'origin', only: PLACE }, `${WHO}${HOW}${OBJECT}の?(?:出身|生まれ|育ち)${END}`),
  rule({ predicate: 'origin', only: PLACE }, `${OF}(?:出身|地元|故郷|実家)は${OBJECT}${END}`),
  rule(
    { predicate: 'formerJob' },
    `${WHO}(?:昔|以前|前|元)は?(?<object>[^、。はがをにでと]{0,10}?(?:${JOBS}))(?:でした|だった|で(?=\\p{Script=Han})|をして(?:い)?(?:た|ました))`,
  ),
  rule(
    { predicate: 'job', begins: true, except: NO_JOB },
    `${WHO}${HOW}${SINCE}(?:フリーランスで)?(?<object>(?:[^、。はがをにでと]{0,10})(?:${JOBS}))(?:として(?:働いて|やって)|を?(?:して|やって)${DOING}|(?:なん)?(?:です(?!か)|だ(?!った|ろう|って|と))(?:よ|ね)*(?=$|が|けど|から|ので)|になりました)`,
  ),
  rule(
    { predicate: 'job', begins: true, only: new RegExp(`(?:${JOBS}|職|師|士|系|関係)$`, 'u') },
    `${OF}(?:お?仕事|職業)は${OBJECT}(?:を?(?:して|やって)(?:い)?(?:る|ます))?${END}`,
  ),
  rule(
    {
      predicate: 'workplace',
      begins: true,
      except:
        /[はがをも]|^(?:ここ|そこ|どこ|一人|家|うち|在宅|リモート|夜|みんな|同じ.*|フルタイム|パート|病院|会社|遅くま|今日.*|昨日.*)$/u,
    },
    `${WHO}${HOW}${SINCE}${OBJECT}(?:で(?:ずっと)?(?:働いて|勤務して|(?:仕事|バイト|アルバイト|パート)を?して)|に(?:勤めて|勤務して))${DOING}`,
  ),
  rule(
    { predicate: 'marriage', object: '結婚している' },
    `${WHO}${HOW}(?:結婚して(?:い)?(?:る|ます)(?=$|よ|ね|が|けど|し)|既婚(?:です|だ|者です))`,
  ),
  rule({ predicate: 'marriage', object: '独身' }, `${WHO}${HOW}(?:独身|未婚)${END}`),
  rule(
    { predicate: 'marriage', object: '離婚した', begins: true },
    `${WHO}${HOW}${SINCE}離婚(?:しました|した(?!い|ら))`,
  ),

  rule(
    { predicate: 'allergy', except: /[はがをも]|何|その|ひどい|の$|[月火水木金土日]曜/u },
    `${WHO}${HOW}${OBJECT}(?:の|に)?アレルギー(?:${END}|で|が(?:ある|あります|あって|出)|持ち|を持って)`,
  ),
  rule(
    {
      predicate: 'avoids',
      except:
        /^(?:あまり|何も|それ.*|これ.*|一人.*|一度.*|そんなに|今日.*|全部|もう|朝.*|夜.*|まだ.*|えび(?=まだ))$|[はが、]|ないと/u,
    },
    `${ME}${HOW}${OBJECT}(?:は|が)(?:全く|一切|どうしても)?(?:食べられ|飲め)(?:ない|ません|なく)(?![\\p{Script=Han}\\p{Script=Katakana}もの]|こと)`,
  ),
  rule({ predicate: 'diet' }, `${WHO}(?<object>ベジタリアン|ビーガン|ヴィーガン|菜食主義)${END}`),
  rule(
    { predicate: 'health' },
    `${WHO}${HOW}${SINCE}(?:健診で|検査で|病院で|医者に)?(?<object>${CONDITIONS})(?:持ち|(?:だ)?(?:と|って)(?:診断され|言われ)|(?:を|に)(?:患って|なりました|かかって)|の薬を?飲|で通院|なんです|です(?!か)|だ(?!った|ろう|から|と)(?=$|よ|ね|し)|だそうです)`,
  ),
  rule({ predicate: 'health' }, `${WHO}${HOW}(?<object>(?:血圧|心臓|甲状腺|糖尿|喘息)の薬)を?(?:飲|のん)`),
  rule(
    { predicate: 'favourite', except: NO_THING },
    `(?:${I}(?:が|の))?(?:一番|いちばん|大)?(?:好きな|お気に入りの)(?<of>(?!の?は|もの|こと|人)[^、。はが]{1,10})は(?:やっぱり|やはり|断然|もちろん)?${OBJECT}${END}`,
  ),
  rule(
    { predicate: 'dislikes', confidence: LIKELY, except: NO_THING },
    `${WHO}${HOW}${OBJECT}(?:(?:が|は)(?:ちょっと|少し|どうも|昔から|すごく|本当に|あまり|大の)?(?:大嫌い|嫌い|苦手)|(?<!はがも)苦手)(?!な(?!ん|の(?!は|も|が|を))|では|じゃ|でし|だっ)`,
  ),
  rule(
    { predicate: 'dislikes', confidence: LIKELY, except: NO_THING },
    `${WHO}${HOW}${OBJECT}だけは(?:無理|ダメ|だめ)${END}`,
  ),
  rule(
    { predicate: 'likes', confidence: LIKELY, except: NO_THING },
    `${WHO}${HOW}${OBJECT}(?:の(?:ほう|方))?(?:が|も|は)?(?:本当に|すごく|とても|一番|いっちゃん|昔から|ずっと|めっちゃ|かなり|結構|けっこう|特に)?(?:大好き|好き)(?:になりました|になった|${END})`,
  ),
  rule(
    { predicate: 'likes', confidence: LIKELY, except: NO_THING },
    `${ME}${HOW}${OBJECT}に(?:最近)?(?:ハマって|はまって|夢中)(?:い)?(?:る|ます|て|で|です|なん)`,
  ),
  rule({ predicate: 'hobby', except: NO_THING }, `${OF}趣味は${OBJECT}${END}`),
  rule(
    { predicate: 'plays' },
    `${WHO}${HOW}(?<object>ピアノ|ギター|ベース|バイオリン|ドラム|フルート|チェロ|サックス|ウクレレ|三味線|琴|太鼓)を(?:弾い|やっ|習っ|叩い|吹い)て${DOING}`,
  ),
  rule(
    { predicate: 'speaks' },
    `${WHO}${HOW}(?<object>[^、。はがをに]{1,5}語(?:と[^、。はがをに]{1,5}語)?)(?:が|を)(?:話せ|喋れ|しゃべれ)(?:る|ます)(?=$|よ(?!う)|ね|けど|が|し)`,
  ),
  rule(
    { predicate: 'pet', except: /^(?:昔|前に|実家|隣|友達)/u },
    `(?:${I}(?:は|も)|うち(?:で|に)?は|家で|実家で)?${HOW}(?<object>(?:[^、。はがを]{0,8}(?:という|っていう)(?:名前の)?)?(?:[^、。はがを]{0,6})${ANIMALS}(?:の${NAME})?)を?(?:[\\d一二三四五]+[匹羽頭]?)?飼(?:って${DOING}|い始め|いだし)`,
  ),
  rule(
    { predicate: 'pet' },
    `(?:${I}(?:は|も|に)|うちに?は|家に)(?<object>${ANIMALS})が(?:[\\d一二三四五]+[匹羽頭]?)?い(?:る|ます)(?=$|よ|ね|が|けど|し)`,
  ),
  rule(
    {
      predicate: 'owns',
      confidence: LIKELY,
      begins: true,
      except: /^(?:その|この|あの|同じ)|救急車|レンタ/u,
    },
    `${ME}${HOW}${SINCE}(?:ついに|やっと)?(?<object>(?:[^、。はがをに]{0,10})(?:${DURABLES}))(?:を(?:買いました|買った(?!ら|ほう)|買っちゃ|購入し(?:た|ました)|持って${DOING})|に乗って${DOING})`,
  ),
];

const OPENING =
  /^(?:(?:はい|うん|ええ|いや|いいえ|ううん|ああ?|あー|え|へえ|ねえ|ねぇ|まあ|まぁ)(?=[、，\s！!。〜ー])[、，\s！!。〜ー]*|(?:えっと|えーと|ええと|そうですね|そうだね|そうそう|そうです|そういえば|実は|ちなみに|あと|それから|それに|でも|だけど|けど|だから|なので|ほんで|ただ|なるほど|ありがとう(?:ございます)?|こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして|初めまして)[、，\s！!。〜ー]*)+/u;
/** A boundary between clauses; a comma after a topic is not one. */
const SEAM = /(?<![はも])[、，]|[\s\u3000]+|…+|(?<=けど|けれども?|ですが|ますが|ので)(?=[^、，。\sも])/u;
/** A clause that reports somebody else's words. */
const HEARSAY =
  /^.*(?:(?:って|と|て)(?:言って|言った|言う|ゆう|聞い|思われ)|と(?:いう|ゆう)(?!の|んは|名|こと|犬|猫|柴)|らしい|(?<![軍病症]だ)そうです|そうだよ|んだって|ねんて|やて|(?<![軍病症])だそう(?!です)|ということです).*$/u;
const QUOTED = /「[^」]*」|『[^』]*』/g;
/** Whom a text is about: a following clause without a subject is probably about the same. */
const TOPIC = new RegExp(
  `(?<kin>${KIN})(?:は|が|も)|(?<=^|\\n)(?:${I}の|うちの)?(?<kin>${KIN})(?=\\n|$|、)|(?<person>${NAME})の誕生日|(?<other>(?:${FRIENDS}|${PETS}|さん|ちゃん|くん|先生|彼|あの人|あの子|友人|人|(?:${KIN})(?:たち)?)(?:は|が|も|、)|(?<=^|\\n)(?<other>${NAME}(?:さん|ちゃん|くん))(?=\\n|$)|(?:${ANIMALS})を?(?:飼|拾))|${I}は|(?<=^|\\n)${I}(?=\\n|$)`,
  'gu',
);
/** Endings of given names that rarely end another word after a relation: 美咲, 大輔, 拓海. */
const GIVEN_NAME =
  /^(?:\p{Script=Han}(?:輔|咲|海|陽|凛|葵|那|馬|雅|弘|宏|宗|隆|彩|織|颯|悠|里|緒|帆|杏)|[蓮翔凛葵翼湊颯悠薫])$/u;

const PARTICLE = '(?=[がはをもにとへの、。！？!?\\s(]|って|から|だけ|です|$)';
const KIN_NAMED = new RegExp(
  `(?:(?<![の\\p{Script=Han}])|(?<=(?:うち|私|僕|俺|わたし)の))(?<kin>${KIN}|${PETS}|${FRIENDS})(?:の名前は|の|は)(?<person>[\\p{Script=Han}々]{1,4}|[ァ-ヴー]{2,8}|[ぁ-ん]{2,4}?)(?<title>さん|ちゃん|くん|君)?${PARTICLE}`,
  'gu',
);
const OWN_CLOSE = new RegExp(
  `(?:(?<![の\\p{Script=Han}])|(?:うち|私|僕|俺|わたし)の)(?<kin>${CLOSE}|(?<=うちの)(?:${PETS}|主人))(?![\\p{Script=Han}ァ-ヴー]|さん|くん|ちゃん|様|の手|に(?:行|い|来)|らしい)(?=[がはもをにとへの、])(?!の${NAME}(?:が|は|も)い)`,
  'gu',
);
/** Words about animals and people in kana that are not names. */
const NO_NAME =
  /^(?:お|ご)|^(?:ため|ほう|こと|とき|ころ|えさ|エサ|しつけ|さんぽ|トイレ|フード|ケージ|せい|おかげ|うち|そば|ところ|みんな|とこ|よう|まま|ケガ|ピアノ|サッカー|バイト|クラス|テスト|プール|スマホ|ゲーム|ランドセル|パート|まだ|もう|すごく|とても|どう|いつ)$/u;

const PET_CALLED = new RegExp(
  `(?<name>[ァ-ヴー]{2,6}|[ぁ-ん]{2,4})(?:という|っていう|って名前の)(?<kin>${PETS})(?=です|を飼|がい|で|$)`,
  'gu',
);
/** 保護猫の女の子で、名前はこむぎ. */
const PET_NAMED = new RegExp(
  `(?<![\\p{Script=Han}の])(?:[\\p{Script=Han}]{0,2})(?<kin>${PETS})[^。、]{0,10}[、でが]{1,2}名前は(?<name>[ァ-ヴー]{2,8}|[ぁ-んー]{2,6}?)(?=です|だ(?!っ)|って|という|$)`,
  'gu',
);

function peopleIn(text: string): Person[] {
  const called = [...text.matchAll(PET_CALLED), ...text.matchAll(PET_NAMED)].map((match): Person => {
    const { name = '', kin = '' } = match.groups ?? {};
    return { relation: kin, name, predicate: 'pet', written: `${kin}の${name}` };
  });
  const named = [...text.matchAll(KIN_NAMED)].flatMap((match): (Person & { at: number })[] => {
    const { kin = '', person = '', title = '' } = match.groups ?? {};
    const predicate = predicateFor(kin, { pets: PETS, friends: FRIENDS });
    const isTold = match[0].includes('の名前は');
    const isName =
      isTold ||
      title !== '' ||
      (predicate === 'pet' &&
        !match[0].startsWith(`${kin}は`) &&
        /^(?:[ァ-ヴー]{2,6}|[ぁ-ん]{2,4})$/u.test(person)) ||
      GIVEN_NAME.test(person) ||
      looksLikeJapaneseGivenName(person) ||
      isJapaneseSurname(person) ||
      isGivenName(person);
    if (!isName || NO_NAME.test(person) || !PERSON.test(person)) return [];
    return [
      { at: match.index, relation: kin, name: person, predicate, written: `${kin}の${person}${title}` },
    ];
  });
  const bare = [...text.matchAll(OWN_CLOSE)].flatMap((match): Person[] => {
    const { kin = '' } = match.groups ?? {};
    const at = match.index + match[0].length - kin.length;
    if (named.some((one) => one.at === at)) return [];
    const predicate = relationOf(kin) === 'pet' ? 'pet' : 'family';
    return [{ relation: kin, name: null, predicate, written: kin }];
  });
  return [...called, ...named, ...bare];
}

export const japanese: Reader = {
  language: 'ja',
  rules: RULES,
  people: peopleIn,
  plain: (sentence) =>
    sentence
      .normalize('NFKC')
      .replaceAll(QUOTED, (quoted) => (quoted.length <= 14 ? quoted.slice(1, -1) : ' '))
      .replace(/[。．!！~〜\s]+$/u, ''),
  clauses: (plain) =>
    plain.split(SEAM).map((part) =>
      part
        .replace(OPENING, '')
        .replaceAll(/([はも])[、，]/gu, '$1')
        .trim()
        .replace(HEARSAY, ''),
    ),
  isHearsay: () => false,
  asOwn: (clause, name) =>
    /^(?:さん|ちゃん|くん)?(?:は|が|も|って|の(?=誕生日|趣味|血))(.+)$/u.exec(
      clause.slice(name.length),
    )?.[1] ?? null,
  topicOf: (text) => {
    const { kin, person, other } = [...text.matchAll(TOPIC)].at(-1)?.groups ?? {};
    return kin ?? person ?? (other === undefined ? null : '');
  },
  tidy(words) {
    const object = words
      .trim()
      .replace(/^(?:やっぱり|やはり|特に|とにかく|あと|もう|断然|最近は?)+/u, '')
      .replace(/(?:のこと|など|とか|なんか)$/u, '');
    // 走るのが好き: the object is the activity.
    const named = object.replace(/(?<=[うくぐすつぬぶむる])の$/u, 'こと').replace(/(?<=い)の$/u, 'もの');
    return named === '' ? null : named;
  },
};
