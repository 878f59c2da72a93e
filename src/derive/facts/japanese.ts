/** What Japanese sentences say of their speaker, who mostly goes unnamed. */
import { LIKELY, type Reader, type Rule } from './rule.ts';

const KIN =
  '母|父|お母さん|お父さん|ママ|パパ|両親|兄|弟|姉|妹|お兄ちゃん|お姉ちゃん|兄貴|姉貴|夫|妻|旦那|嫁|奥さん|主人|彼氏|彼女|息子|娘|長男|次男|長女|次女|子供|子ども|孫|祖母|祖父|おばあちゃん|おじいちゃん|叔父|叔母|おじさん|おばさん|いとこ|甥|姪|上司|同僚|親友|友達|友人|婚約者|犬|猫|愛犬|愛猫|うさぎ|ウサギ|ハムスター|インコ|亀|カメ';
const I = '(?:私|わたし|わたくし|あたし|僕|ぼく|ボク|俺|おれ|オレ|自分|うち)';
const ANIMALS =
  '犬|猫|いぬ|ねこ|イヌ|ネコ|子犬|子猫|うさぎ|ウサギ|兎|ハムスター|インコ|オウム|文鳥|鳥|亀|カメ|金魚|熱帯魚|メダカ|フェレット|モルモット|ハリネズミ|トカゲ|ヘビ|爬虫類|馬|ヤギ';
const RELATIVES = '兄|弟|姉|妹|兄弟|姉妹|息子|娘|子供|子ども|孫|双子|いとこ|甥|姪|旦那|夫|妻';
const JOBS =
  '会社員|公務員|教師|教員|先生|看護師|医師|医者|歯科医|薬剤師|介護士|保育士|栄養士|弁護士|税理士|会計士|建築士|消防士|美容師|理容師|調理師|料理人|シェフ|パティシエ|エンジニア|プログラマー|デザイナー|イラストレーター|漫画家|作家|小説家|画家|写真家|カメラマン|記者|編集者|ライター|翻訳家|通訳|研究者|学者|教授|講師|警察官|警備員|自衛官|運転手|ドライバー|パイロット|整備士|大工|農家|漁師|営業|事務|経理|店長|店員|販売員|バリスタ|コンサルタント|経営者|社長|自営業|フリーランス|フリーター|主婦|専業主婦|主夫|大学生|大学院生|専門学生|浪人生|歌手|俳優|女優|声優|ミュージシャン|ピアニスト|ダンサー|モデル|配信者|ユーチューバー|トレーナー|コーチ|インストラクター|カウンセラー|司書|僧侶|秘書|受付|派遣社員|契約社員|パート';
const DURABLES =
  '車|自動車|バイク|自転車|家|マイホーム|マンション|アパート|別荘|ギター|ピアノ|バイオリン|カメラ|パソコン|ノートパソコン|タブレット|望遠鏡|ゲーム機|ミシン';

/** Who a sentence is about: the speaker, unnamed or not, or somebody of the speaker's. */
const WHO = `(?:${I}の)?(?:(?<whose>${KIN})(?:は|も|が|って)|${I}(?:は|も|って)?|)`;
/** As WHO, for what only the speaker says of itself. */
const ME = `(?:${I}(?:は|も|って)?|)`;
const OF = `(?:(?:${I}の|うちの)?(?<whose>${KIN})の|${I}の|)`;
const HOW =
  '(?:今は?|いまは?|現在は?|普段は?|実は|ずっと|もともと|元々|昔から|最近は?|やっぱり|一応|本当に|すごく|とても|特に|結構|けっこう|かなり|ちょっと|とにかく|何より|あと|ちなみに|まだ)*';
const OBJECT = '(?<object>[^、。…]{1,24}?)';
/** Since when, before what happened. */
const SINCE =
  '(?:(?:先々月|先月|先週|先日|去年|今年|昨日|一昨日|おととい|今日|今週|今月|最近|週末|この前|この[春夏秋冬]|[春夏秋冬]|\\d+月|\\d{4}年)(?:から|に)?は?)*';
/** Why one moves: 転勤で, 結婚して. */
const BECAUSE =
  '(?:[^、。はがも]{1,12}(?:の都合で|の関係で|のため(?:に)?|[勤職学婚校]で|[てで](?=\\p{Script=Han})))?';
/** How a statement ends: not in the past, not as a question, not as what others say. */
const END =
  '(?:な(?:ん|の)(?:です|だ)?|です(?!か)|だ(?!った|ろう|って|そう|と|か)|で(?=$|す))?(?:よ|ね|な(?!い|く|ん)|わ|の|さ|ー|〜|♪)*(?=$|が|けど|けれど|し|から|ので|もん|って)';
const HAS_CALLED =
  '(?:です(?!か)|だ(?!った|ろう)|といいます|と言います|っていいます|っていうの|っていうんだ|って名前|と申します)?(?:よ|ね|の|ー)*$';

function clause(words: string): RegExp {
  return new RegExp(`^${words}`, 'u');
}

const NO_THING =
  /^(?:間|方|事|物|前|後|上|中|所|時|それ.*|これ.*|あれ.*|どれ.*|そういう.*|こういう.*|ああいう.*|.*[うくぐすつぬぶむる](?:ほう|方)|そこ|ここ|あそこ|どこ|そう|こう|そんな.*|こんな.*|あんな.*|その.*|この.*|あの.*|何.*|なに.*|誰.*|どっち.*|どの.*|の|こと|もの|ん|方|ほう|あなた.*|君.*|きみ.*|お前.*|おまえ.*|彼|彼ら|彼女|みんな|皆|人|全部|両方|どちらも?|一番|大|やっぱり|私|僕|俺|自分|いる|ある)$|^[とにへやのをがで]|[はがも、](?!の|み)|(?:全員|みんな|誰|だれ)|(?:から|ので|けど|って|たら|ても|という[のか]?)|さん$|くん$|ちゃんのこと|です|ます|なら/u;
const NO_PLACE =
  /^(?:ここ|そこ|どこ|あそこ|近く|遠く|田舎|都会|実家|一人|ひとり|一緒|二人|家族|マンション|アパート|寮|家|部屋|社宅|ところ|所|場所|街|町|同じ.*|その.*|この.*|あの.*|今|誰か|みんな|友達|.*さん|.*の(?:家|近く|隣|そば|方|中|上))$|[はがをも]|って|から/u;

const RULES: readonly Rule[] = [
  // What ends comes first: its words hold what begins.
  {
    predicate: 'likes',
    ends: true,
    pattern: clause(
      `${ME}(?:もう|最近は?|今は)${OBJECT}(?:のこと)?[はが](?:もう)?(?:あまり|そんなに|そこまで)?好き(?:では|じゃ)(?:ない|なく|ありません)`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'likes',
    ends: true,
    pattern: clause(`${ME}${OBJECT}[はが](?:もう)好き(?:では|じゃ)(?:ない|なく|ありません)`),
    except: NO_THING,
  },
  {
    predicate: 'likes',
    ends: true,
    pattern: clause(`${ME}${OBJECT}[はが](?:もう|あまり)?好き(?:では|じゃ)なくな`),
    except: NO_THING,
  },
  {
    predicate: 'home',
    ends: true,
    pattern: clause(`${ME}(?:もう)?${OBJECT}には?(?:もう)?住んで(?:い)?(?:ない|ません)`),
    except: NO_PLACE,
  },
  {
    predicate: 'workplace',
    ends: true,
    object: '',
    pattern: clause(
      `${ME}(?:先月|先週|昨日|今日|去年|この前|ついに|もう)?(?:で)?(?:仕事|会社)を(?:辞め|やめ)(?:た|ました)(?!い)`,
    ),
  },
  {
    predicate: 'pet',
    ends: true,
    pattern: clause(`${ME}もう(?<object>${ANIMALS})[はを]飼って(?:い)?(?:ない|ません)`),
  },
  {
    predicate: 'hobby',
    ends: true,
    pattern: clause(
      `${ME}(?:もう)?(?<object>タバコ|煙草|お酒|[ァ-ヴー]{2,12})[はを](?:もう)?(?:完全に)?(?:辞め|やめ)(?:た|ました)(?:よ|ね|んだ|んです)*$`,
    ),
  },

  {
    predicate: 'name',
    pattern: clause(`${OF}(?:名前|本名|氏名|フルネーム)は${OBJECT}${HAS_CALLED}`),
    except: NO_THING,
  },
  {
    predicate: 'name',
    pattern: clause(
      `(?:はじめまして|初めまして|こんにちは)?(?:${I}は)?(?<object>[\\p{Script=Han}\\p{Script=Katakana}ーA-Za-z]{1,10}|[\\p{Script=Hiragana}ー]{2,6})(?:と申します|といいます|と言います|っていいます|って言います)$`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'nickname',
    pattern: clause(
      `${ME}(?:みんな(?:から|に)?は?|友達(?:から|に)?は?|周り(?:から|に)?は?|気軽に)?${OBJECT}(?:って|と)呼(?:んでください|んでね|んで$)`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'birthday',
    pattern: clause(`${OF}(?:お?誕生日|生年月日)は(?<object>[^、。]{2,16}?)${END}`),
    only: /[\d０-９一二三四五六七八九十]月|[\d]\/[\d]/u,
  },
  {
    predicate: 'birthday',
    pattern: clause(
      `${ME}(?<object>(?:\\d{4}年)?[\\d一二三四五六七八九十]{1,2}月[\\d一二三四五六七八九十]{1,3}日)(?:生まれ|に生まれ)`,
    ),
  },
  {
    predicate: 'age',
    pattern: clause(
      `${WHO}${HOW}(?:今年で?|もうすぐ)?(?<object>[\\d０-９]{1,3}|[一二三四五六七八九十百]{1,4})(?:歳|才)(?:${END}|に?なりました|に?なった)`,
    ),
  },
  { predicate: 'bloodType', pattern: clause(`${OF}血液型は(?<object>(?:A|B|O|AB)型?)${END}`) },

  {
    predicate: 'plansToMove',
    pattern: clause(
      `${ME}${HOW}(?:(?:来月|来週|来年|今度|春に?は?|夏に?は?|秋に?は?|冬に?は?|\\d+月に?)(?:から)?)?${BECAUSE}${OBJECT}[にへ](?:引っ越す|引越す|引っ越し(?:する)?|引越し(?:する)?|移住する|転居する)(?:こと|予定|つもり|んだ|んです|$)`,
    ),
    except: NO_PLACE,
  },
  {
    predicate: 'home',
    begins: true,
    pattern: clause(
      `${WHO}${HOW}${SINCE}${BECAUSE}${OBJECT}[にへ](?:引っ越し|引越し|引っ越|移住し|転居し)(?:て(?:き|来)?)?(?:まし)?た(?!い|ら)`,
    ),
    except: NO_PLACE,
  },
  {
    predicate: 'home',
    begins: true,
    pattern: clause(
      `${WHO}${HOW}${SINCE}${OBJECT}(?:に|で)(?:ずっと)?(?:住んで(?:い)?(?:る|ます)|住んでて|暮らして(?:い)?(?:る|ます)|一人暮らし(?:して|です|だ|中|$))(?!人|の|方|と思)`,
    ),
    except: NO_PLACE,
  },
  { predicate: 'home', pattern: clause(`${WHO}${HOW}${OBJECT}(?:在住|住み)${END}`), except: NO_PLACE },
  {
    predicate: 'origin',
    pattern: clause(`${WHO}${HOW}${OBJECT}の?(?:出身|生まれ|育ち)${END}`),
    except: /[はがをも]|年|月|日|代|平成|昭和|令和|どこ|同じ/u,
  },
  { predicate: 'origin', pattern: clause(`${OF}(?:出身|地元|故郷|実家)は${OBJECT}${END}`), except: NO_THING },
  {
    predicate: 'job',
    begins: true,
    pattern: clause(
      `${WHO}${HOW}(?<object>(?:[^、。はがをにでと]{0,10})(?<![ァ-ヴー])(?:${JOBS}))(?:(?:を|として)(?:働いて|して|やって|勤めて)(?:い)?(?:る|ます|て)|${END}|になりました|になった)`,
    ),
    except: /の$|^(?:い|良|よ|優)|どんな|この|その|あの|人|方/u,
  },
  {
    predicate: 'job',
    begins: true,
    pattern: clause(
      `${OF}(?:お?仕事|職業)は${OBJECT}(?:を?(?:して|やって)(?:い)?(?:る|ます)|関係|関連)?${END}`,
    ),
    only: new RegExp(`(?:${JOBS}|職|師|士|業|家|員|系|関係)$`, 'u'),
  },
  {
    predicate: 'workplace',
    begins: true,
    pattern: clause(
      `${WHO}${HOW}${OBJECT}(?:で(?:ずっと)?(?:働いて|勤務して|仕事をして|仕事して|バイトして|アルバイトして)|に(?:勤めて|勤務して))(?:い)?(?:る|ます|て)(?!人|方|の)`,
    ),
    except:
      /[はがをも]|^(?:ここ|そこ|どこ|一人|家|うち|在宅|リモート|夜|みんな|同じ.*|フルタイム|パート|遅くま|今日.*|昨日.*)$/u,
  },
  {
    predicate: 'workplace',
    begins: true,
    pattern: clause(`${WHO}${HOW}${OBJECT}に(?:就職|転職|入社)(?:しました|した|が決ま)`),
    except: /[はがをも]|^(?:ここ|そこ|無事|ついに|会社|新しい.*)$/u,
  },
  {
    predicate: 'school',
    begins: true,
    pattern: clause(
      `${WHO}${HOW}(?<object>[^、。はがをにで]{1,14}(?:大学|大|高校|中学|小学校|専門学校|高専|学院))(?:に通って|で学んで|で勉強して|に在学|に在籍)`,
    ),
  },
  {
    predicate: 'studies',
    begins: true,
    pattern: clause(`(?:${OF}専攻は|${ME}${HOW}大学で)${OBJECT}(?:を(?:専攻|勉強|研究|学んで)|${END})`),
    except: NO_THING,
  },
  {
    predicate: 'marriage',
    object: '結婚している',
    pattern: clause(`${WHO}${HOW}(?:結婚して(?:い)?(?:る|ます)|既婚(?:です|だ|者))`),
  },
  {
    predicate: 'marriage',
    object: '結婚している',
    begins: true,
    pattern: clause(`${ME}${HOW}(?:先月|先週|去年|今年|昨日|最近|このたび|この度)に?結婚(?:しました|した)`),
  },
  { predicate: 'marriage', object: '独身', pattern: clause(`${WHO}${HOW}(?:独身|未婚|シングル)${END}`) },
  {
    predicate: 'marriage',
    object: '離婚した',
    begins: true,
    pattern: clause(
      `${WHO}${HOW}(?:(?:先月|去年|今年|最近)に?)?離婚(?:しました|した(?!い|ら)|して(?:い)?(?:る|ます))`,
    ),
  },

  {
    predicate: 'allergy',
    pattern: clause(
      `${WHO}${HOW}${OBJECT}(?:の)?アレルギー(?:${END}|が(?:ある|あります|あって)|持ち|を持って)`,
    ),
    except: /[はがをも]|何|その|ひどい|の$/u,
  },
  {
    predicate: 'allergy',
    pattern: clause(`${WHO}${HOW}${OBJECT}にアレルギーが?(?:ある|あります|あって)`),
    except: /[はがをも]|何|その/u,
  },
  {
    predicate: 'avoids',
    pattern: clause(
      `${ME}${HOW}${OBJECT}(?:は|が)(?:全く|一切|どうしても)?(?:食べられ|飲め)(?:ない|ません|なく)(?![\\p{Script=Han}\\p{Script=Katakana}もの])`,
    ),
    except:
      /^(?:あまり|何も|それ.*|これ.*|一人.*|一度.*|そんなに|今日.*|全部|もう|朝.*|まだ.*)$|[はが、]|ないと/u,
  },
  {
    predicate: 'favourite',
    pattern: clause(
      `(?:${I}(?:が|の))?(?:一番|いちばん|大)?(?:好きな|お気に入りの)(?<of>[^、。はが]{1,10})は(?:やっぱり|やはり|断然|もちろん)?${OBJECT}${END}`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'likes',
    confidence: LIKELY,
    pattern: clause(`${ME}${HOW}${OBJECT}(?:は|が)(?:${I}の)?大好物${END}`),
    except: NO_THING,
  },
  {
    predicate: 'likes',
    confidence: LIKELY,
    pattern: clause(`${ME}大?好物は${OBJECT}${END}`),
    except: NO_THING,
  },
  {
    predicate: 'dislikes',
    confidence: LIKELY,
    pattern: clause(
      `${WHO}${HOW}${OBJECT}(?:が|は)(?:ちょっと|少し|どうも|昔から|すごく|本当に|あまり|大の)?(?:大嫌い|嫌い|苦手)(?!な(?!ん|の(?!は|も|が|を))|では|じゃ|でし|だっ)`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'dislikes',
    confidence: LIKELY,
    pattern: clause(
      `${WHO}${HOW}${OBJECT}(?:が|は)(?:あまり|あんまり|そんなに)好き(?:では|じゃ)(?:ない|ありません)(?!か)`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'likes',
    confidence: LIKELY,
    pattern: clause(
      `${WHO}${HOW}${OBJECT}(?:の(?:ほう|方))?(?:が|も|は)(?:本当に|すごく|とても|一番|昔から|ずっと|めっちゃ|かなり|結構|けっこう|特に)?(?:大好き|好き)(?:になりました|になった|${END})`,
    ),
    except: NO_THING,
  },
  {
    predicate: 'likes',
    confidence: LIKELY,
    pattern: clause(
      `${ME}(?:最近は?)?${OBJECT}に(?:最近)?(?:ハマって|はまって|夢中)(?:い)?(?:る|ます|て|で|です|なん)`,
    ),
    except: NO_THING,
  },
  { predicate: 'hobby', pattern: clause(`${OF}趣味は${OBJECT}${END}`), except: NO_THING },
  {
    predicate: 'plays',
    pattern: clause(
      `${ME}${HOW}(?<object>ピアノ|ギター|ベース|バイオリン|ドラム|フルート|チェロ|サックス|ウクレレ|三味線|琴)を(?:弾い|やっ|習っ|叩い|吹い)て(?:い)?(?:る|ます)`,
    ),
  },
  {
    predicate: 'speaks',
    pattern: clause(
      `${WHO}${HOW}(?<object>[^、。はがをに]{1,6}語)(?:が|を)(?:話せ|喋れ|しゃべれ)(?:る|ます)(?![\\p{Script=Han}\\p{Script=Katakana}か])`,
    ),
  },
  {
    predicate: 'pet',
    pattern: clause(
      `(?:${I}(?:は|も)|うち(?:で|に)?は|家で|実家で)?${HOW}(?<object>(?:[^、。はがを]{0,12}(?:という|っていう)(?:名前の)?)?(?:[^、。はがを]{0,8})(?:${ANIMALS}))を(?:[\\d一二三四五]+[匹羽頭]?)?飼って(?:い)?(?:る|ます|て)(?!人|の|方)`,
    ),
  },
  {
    predicate: 'pet',
    pattern: clause(
      `(?:${I}(?:は|も|に)|うちに?は|家に)(?<object>(?:${ANIMALS}))が(?:[\\d一二三四五]+[匹羽頭]?)?い(?:る|ます)`,
    ),
  },
  {
    predicate: 'family',
    pattern: clause(
      `${ME}(?:に)?(?:は)?${HOW}(?:[\\d一二三四五]+(?:歳|つ)(?:年)?[上下]?の)?(?<object>(?:${RELATIVES})(?:と(?:${RELATIVES}))?)が(?<count>[\\d一二三四五]+人)?(?:い(?:る|ます|て)|おり)(?!人|方)`,
    ),
  },
  {
    predicate: 'owns',
    confidence: LIKELY,
    begins: true,
    pattern: clause(
      `${ME}${HOW}(?:(?:先月|先週|昨日|今日|去年|ついに|やっと)に?)?(?<object>(?:[^、。はがをに]{0,10})(?:${DURABLES}))を(?:買いました|買った(?!ら|ほう)|買っちゃ|購入し(?:た|ました)|持って(?:い)?(?:る|ます))`,
    ),
    except: /^(?:その|この|あの|同じ)/u,
  },
];

const OPENING =
  /^(?:(?:はい|うん|ええ|いや|いいえ|ううん|ああ?|あー|え|へえ|ねえ|ねぇ|まあ|まぁ)(?=[、，\s！!。〜ー])[、，\s！!。〜ー]*|(?:えっと|えーと|ええと|そうですね|そうだね|そうそう|そうです|実は|ちなみに|あと|それから|それに|でも|だけど|けど|だから|なので|なるほど|ありがとう(?:ございます)?|こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして|初めまして)[、，\s！!。〜ー]*)+/u;
/** A mark after which nothing that is read together goes on; not the one after a topic. */
const SEAM = /(?<![はも])[、，]|[\s\u3000]+|(?<=けど|けれども?|ですが|ますが|ので)(?=[^、，。\sも])/u;
const HEARSAY =
  /(?:って|と)(?:言って|言った|言われ|聞い|思われ)|らしい|そうです|そうだよ|んだって|だそう|ということです|歌詞|セリフ|小説|あらすじ/u;
const QUOTED = /「[^」]*」|『[^』]*』/g;

export const japanese: Reader = {
  language: 'ja',
  rules: RULES,
  clauses: (text) =>
    text
      .normalize('NFKC')
      .replaceAll(QUOTED, (quoted) => (quoted.length <= 14 ? quoted.slice(1, -1) : ' '))
      .replace(/[。．!！…~〜\s]+$/u, '')
      .split(SEAM)
      .map((part) =>
        part
          .replace(OPENING, '')
          .replaceAll(/([はも])[、，]/gu, '$1')
          .trim(),
      ),
  isHearsay: (text) => HEARSAY.test(text),
  tidy(words) {
    const object = words
      .trim()
      .replace(/^(?:やっぱり|やはり|特に|とにかく|あと|もう|断然|最近は?)+/u, '')
      .replace(/(?:のこと|など|とか|なんか)$/u, '');
    // 走るのが好き: what is liked is the running.
    const named = object.replace(/(?<=[うくぐすつぬぶむる])の$/u, 'こと').replace(/(?<=い)の$/u, 'もの');
    return named === '' ? null : named;
  },
};
