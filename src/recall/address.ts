/**
 * Classifies an utterance by what it asks of the companion: company, a task, general knowledge, or something that may
 * concern the memory.
 */
import type { Language } from '../text/text.ts';

/**
 * - `small_talk`: only a greeting, thanks, a farewell or an exclamation;
 * - `task`: work on text that the utterance itself contains (“translate this”, “write a poem”);
 * - `knowledge`: general knowledge that anybody could look up (“what does X mean?”);
 * - `open`: everything else. It may concern the memory.
 */
export type Address = 'small_talk' | 'task' | 'knowledge' | 'open';

/**
 * Small-talk phrases. They are removed from the utterance; the length of the rest decides whether it is more than small
 * talk.
 */
const SMALL_TALK: Readonly<Record<Language, RegExp>> = {
  en: /(?<=^\W*)(?:morning|afternoon|evening)\b|\b(?:good (?:morning|afternoon|evening|night|day)|(?:hi|hello|hey|hiya|yo|howdy)(?: there| again| everyone)?|bye(?: bye)?|goodbye|(?:see|talk to|catch) (?:you|ya|u)(?: (?:later|soon|tomorrow|tmrw))?|ttyl|brb|g[mn]|ty(?:sm)?|thx|np|k+|i'm (?:back|here|home|fine|good|great|ok(?:ay)?)|(?:happy|merry) (?:birthday|new year|christmas|easter|holidays|thanksgiving|halloween|weekend|friday|monday)|congrat(?:s|ulations)|(?:love|miss) (?:you|u|it)|(?:that )?makes sense|sounds good|will do|you too|me too|good to know|what's new|omg|yay|aw+|sleep (?:well|tight)|sweet dreams|night night|take care|how (?:are|r) (?:you|u)(?: doing)?(?: today)?|how's it going|what's up|thank(?:s| you)(?: (?:so|very) much| a (?:lot|bunch|ton))?|cheers|much appreciated|you've been (?:a )?(?:\w+ )?(?:help|helpful|great)|(?:a|such a) (?:big|great|huge) help|you're (?:welcome|the best|great)|welcome|nice(?: one)?|great|awesome|cool|perfect|lovely|brilliant|ok(?:ay)?|alright|sure|yes|yeah|yep|no|nope|nah|exactly|indeed|agreed|right|true|so true|good point|fair enough|got it|i see|no worries|my pleasure|please|sorry|lol|lmao|ha(?:ha)+|hehe+|wow|oh|ah|hmm+|well|ai?n'?t that the truth|tell me about it|same here|today|again|then|everyone|all|so|and|have a (?:good|nice|great|lovely) \w+)\b/giu,
  ja: /おはよ[うー〜]*(?:ございます|さん)?|おはよーさん|こんにち[はわ]|こんばん[はわ]|おやすみ(?:なさい)?|ただいま|おかえり(?:なさい)?|(?:い|行)って(?:きます|らっしゃい)|さようなら|じゃあね|またね|また(?:明日|あした|後で|あとで)|バイバイ|ばいばい|(?:(?:お?話|愚痴|相談)(?:[をにも])?)?(?:聞いて|乗って|のって|教えて|答えて|助けて|励まして|慰めて|付き合って|つきあって)(?:くれて|くださって|いただいて|もらって)|(?:本当に|ほんとに?|いつも)?(?:どうも)?ありがと[うー〜]*(?:ございま(?:す|した))?|あざっ?[ー〜]?す|どういたしまして|お?誕生日(?=おめ)|おめでと[うー〜]*(?:ございます)?(?!って)|(?:明けまして|あけまして)(?=おめ)|メリークリスマス|よい(?:お年|週末)を|もしもし|お?(?:久し|ひさし)ぶり|(?:初め|はじめ)まして|いい夢(?:見て)?|やっほ[ーう]?|いえいえ|おっけー?|りょ(?:う|ー)かい|おおきに|サンキュー?|どうも|すみません|ごめん(?:なさい|ね)?|お(?:疲|つか)れ(?:さま|様)?(?:です|でした)?|お世話になります|(?:こちらこそ)?(?:きょう|今日|本日)?も?よろしく(?:お願い(?:いた)?します|お願い|ね)?|助かり(?:ました|ます)|助かった|了解(?:です|しました)?|わかり?ました|わかった|承知(?:しました|です)?|(?<!\p{L})(?:はい|うん|ええ|いいえ|草)+(?!\p{L})|そう(?:です|だ|や|やん)?(?:ね|な|よね|か)?|そうそう|なるほど|確かに|たしかに|ほんま(?:それ|に|や)?|ほんとに?(?:それ|ね)?|本当(?:に|です)?(?:ね|か)?|それな|まじで?|すごい(?:です)?(?:ね|な)?|いいね|いいですね|やった|わあ|えっ?|ええっ|あはは|笑|ｗ+|w+|元気(?:です)?(?:か|\?|？)?|調子はどう(?:です)?か?/gu,
  zh: /早(?:上好|安|啊|呀)?|上午好|中午好|下午好|晚上好|晚安|你好(?:呀|啊)?|您好|哈[喽啰罗]|嗨|嘿|hello|hi|在吗|再见|拜拜|回头见|明天见|谢谢(?:你|您|啦|了)?(?:(?:一直|总是|每次|今天|今晚|这么|愿意|肯)*听我(?:说|讲|倾诉|唠叨)|陪(?:我|着我)(?:聊天?|说话)?|安慰我?|的(?:陪伴|帮助|倾听|安慰)|帮忙)?|多谢|感谢|不用谢|(?:生日|新年|节日|中秋|圣诞|春节|元旦|周末|情人节)快乐|恭喜(?!\p{Script=Han})|恭喜(?:恭喜|你)|好久不见|原来如此|我回来|吃饭了吗|(?:下次|改天|明天)再?聊|么么哒|爱你|8{2,}6*|真不错|笑死我?|加油|辛苦(?:你|您)?(?:了|啦)|麻烦(?:你|您)?了|不客气|没关系|没事(?:儿|的)?|对不起|抱歉|好(?:的|吧|呀|啊|嘞|滴|哒|耶|棒|厉害)?|行(?:吧|啊)?|嗯+|哦+|噢|啊+|哈哈+|嘿嘿|呵呵|是(?:的|啊|呀)?|对(?:的|啊|呀)?|没错|确实(?:是|如此)?|真的(?:吗|假的)?|太(?:好|棒|厉害)(?:了|啦)|真(?:好|棒)|可不是嘛?|就是(?:啊|说)?|知道了|明白(?:了)?|收到|了解|ok|吃了吗|最近(?:怎么样|好吗)|你?怎么样/giu,
};

/** Particles and titles that may stand next to small talk. They say nothing by themselves. */
const PARTICLES: Readonly<Record<Language, RegExp>> = {
  en: /(?!)/u,
  ja: /です|ます|さん|ちゃん|くん|[ねよ]/gu,
  zh: /[了啦呀啊哦呢吧嘛]/gu,
};
/**
 * What the rest says when it is more than a name: a question about something, or a statement of the first person. “Who
 * is Dev?” and “I'm tired” are short, but no small talk.
 */
const SAYS_MORE: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:who|whom|whose|what|where|when|which|why|how)(?:'s)?\b.*\b(?!is\b|are\b|was\b|do\b|you\b|it\b|that\b|this\b)\p{L}{2,}|\b(?:i|i'm|i've|my|we|we're)\b.*\b\p{L}{3,}/iu,
  ja: /(?:いつ|どこ|誰|だれ|何|なに|いくら|いくつ)|[\p{Script=Han}\p{Script=Katakana}ー]{2,}.*[?？]/u,
  zh: /谁|什么|啥|哪|几|多少|\p{Script=Han}{2}.*[?？]/u,
};
/** Without any small talk, a few letters are an exclamation (うわ, hmm), and anything else names something (“passport?”). */
const EXCLAMATION: Readonly<Record<Language, RegExp>> = {
  en: /^\P{L}*\p{L}{0,3}\P{L}*$/u,
  ja: /^[^\p{Script=Han}\p{Script=Katakana}\p{Script=Latin}\p{N}]*$/u,
  zh: /^\P{L}*\p{L}?\P{L}*$/u,
};

/** Maximum length in letters of the rest after small talk is removed: a name, an adverb. */
const MAX_LEFT: Readonly<Record<Language, number>> = { en: 10, ja: 3, zh: 2 };
/** A greeting up to this length (letters), without a question or a statement about the speaker, is small talk. */
const MAX_GREETING: Readonly<Record<Language, number>> = { en: 60, ja: 16, zh: 10 };

/** Requests for work on given text: at the start of an English sentence, at the end of a Japanese one. */
const TASK: Readonly<Record<Language, RegExp>> = {
  en: /^(?:(?:hey|ok|okay|so|now|please|pls|quick)[,!]? )*(?:(?:can|could|would|will) (?:you|u) (?:please |pls )?|please |help me (?:to )?|i (?:need|want) you to )?(?:translate|convert|calculate|compute|solve|balance|define|paraphrase|rephrase|rewrite|reword|proofread|spell|(?:summari[sz]e|count|list|debug|refactor|fix|correct|check|make|improve|shorten) (?:this|these|it|the (?:following|text|article|paragraph|passage|grammar|spelling|sentence|words?|letters?|planets|numbers)|an?|some|all|\d+|three|five|ten)\b|name (?:a|an|some|three|five|ten|\d)|(?:write|draft|compose|generate|code)(?: (?:me|us))?(?: (?:a|an|another|one|two|some|three|five|ten|\d+|this|the following)\b|$)|explain (?:the|what|how|why)|(?:sing|play)(?: (?:me|us))? (?:a|an|some)|roll (?:a|the) dice|flip a coin|set (?:a|an) (?:timer|alarm)|say something|tell me (?:a|another) (?:joke|story|riddle|fun fact)|give me (?:a|an|some|\d+|three|five|ten) (?:\w+ )?(?:joke|synonym|example|idea|name|title|word|line|sentence|caption|recipe)s?)\b|^how do (?:you|i) (?:say|spell|pronounce|write)\b/iu,
  ja: /(?:次|以下|この)の?(?:文|文章|文面|英文|和文|単語|言葉|式|問題|コード|メール).{0,80}(?:して|直して|訳して|教えて|解いて)|」を.{0,20}(?:にして|に?訳して|要約|直して|添削|言い換え|変換|翻訳)|(?:翻訳|和訳|英訳|要約|添削|校正|変換|計算|清書)(?:を)?(?:して|お願い|頼)|(?:詩|俳句|短歌|物語|作文|メール文?|文章|コード|プログラム|キャッチコピー|自己紹介文?)を?.{0,12}(?:書いて|作って|考えて)|(?:冗談|ジョーク|なぞなぞ|小噺|面白い話).{0,6}(?:言って|して|教えて|聞かせて|ちょうだい)|英語で(?:何|なん)(?:て|と)|(?:しりとり|じゃんけん|なぞなぞ|クイズ)(?:を)?(?:し|や|出)|(?:タイマー|アラーム)|^(?:なんか|何か)?.{0,4}歌(?:を)?歌って/u,
  zh: /(?:翻译|翻成|译成|译为|润色|改写|改得|缩写|扩写|总结一下这|概括(?:一下)?这|校对|换算|解方程|造(?:个|一个)?句)|(?:帮我|请|给我|替我)?(?:写|编|拟|起草|生成)(?:一|个|首|篇|段|份|封|几|点|些|张|条)|(?:起|想|取)(?:一|几|\d+)?个.{0,3}(?:名|标题|口号|题目)|唱(?:一|首|个)?.{0,2}歌|成语接龙|(?:定|设)(?:一)?个.{0,6}闹钟|(?:讲|说|来)(?:一)?(?:个|段)(?:\p{Script=Han}{0,2})?(?:笑话|故事|段子|谜语|脑筋急转弯)|把(?:这|下面|以下|上面)(?:句|段|个|篇|几句|些)?.{0,12}(?:翻|译|改|缩|润色|总结|概括|换成|变成)|(?:这|下面|以下)(?:句话|段话|段文字|段代码|道题).{0,40}(?:翻|译|改|润色|总结|概括|解|什么意思)/u,
};

/** Questions about general knowledge. */
const KNOWLEDGE: Readonly<Record<Language, RegExp>> = {
  en: /^(?:(?:hey|ok|so|and|quick question)[,:]? )*(?:what(?:'s| is| are|s| was| were) (?:the (?:capital|population|meaning|definition|formula|difference|square root|boiling point|currency|time zone|plural|past tense|synonym|opposite|distance|speed|chemical)\b|\d|an? [\w -]+\??$)|what does .{1,40} (?:mean|stand for)|how (?:many|much|far|long|tall|big|old) (?:\w+ ){0,3}(?:are there |is there |in (?:a|an|one|half|the)\b|make|equals?|is the\b|does it take to\b|are in\b|is in\b)|who (?:wrote|invented|discovered|painted|composed|was the (?:first|president|king|queen))|when (?:was|did) (?:the )?(?:\w+ )?(?:war|revolution|empire|war end|built|founded|invented)|why (?:is|are|do|does) (?:the )?(?:sky|sea|sun|moon|cats|dogs|people|birds)|how (?:does|do) (?:a|an|the) \w+ (?:work|function)|how (?:is|are) \w+ (?:calculated|made|measured|computed))|\bdifference between\b|\bhow (?:tall|high|deep|long|wide|big|large|far|old) (?:is|are) (?:mount|mt\.?|lake|the (?:moon|sun|earth|universe|world|eiffel|great))\b|\bwho (?:is|was|'s|won) the (?:current |first |last )?(?:president|prime minister|king|queen|pope|chancellor|emperor|world cup|super bowl|nobel|oscar)|\bthe (?:tall|high|long|large|bigg?|small|fast|deep|old|rich)est \w+ (?:in the world|on earth)\b|^what time is it\b(?: in \w+)?\W*$|^what(?:'s| is) the (?:weather|date|time|temperature)(?: like)?(?: (?:today|now|outside|tomorrow|in \w+))?\W*$|^how do \w+s work\W*$|^(?:what year|when) did (?:the )?(?:titanic|world war|ww|war)\b/iu,
  ja: /とは(?:何|なん|どういう|どんな|$|[?？。])|(?:って|という(?:の|言葉)?は|の)(?:どういう|どんな)?意味|って(?:何|なん|なに)(?:なん|です|や|だ|か|[?？]|$)|の(?:首都|人口|語源|読み方|公式|求め方|違い)(?:は|って|を|$|[?？])|(?:何年|いつ)に?(?:建て|作ら|発明|設立|創業|始ま)|世界(?:一|で(?:一番|最も))(?=.*(?:[?？]|は$|どこ|誰|何))|(?:山|峰|川|湖|海|塔|タワー|地球|月|太陽|宇宙)(?:から.{1,6}まで)?の(?:高さ|長さ|深さ|大きさ|広さ|面積|距離|重さ)|(?:山|峰|川|湖|海|塔|タワー|地球|月|太陽|宇宙)(?:は|って)(?:どの|どれ)(?:くらい|ぐらい|だけ)|(?:大統領|首相|総理|国王|女王)(?:は|って)(?:誰|だれ)|(?:大戦|革命|戦争)(?:は|って)いつ|^(?:今日|明日|今)?の?天気(?:は|って)?[?？]*$|^今(?:は)?何時|^今日(?:は|って)?(?:何日|何曜日)|\d+(?:マイル|キロ|ポンド|インチ|フィート|ドル|グラム)(?:は|って)何|\d+の\d+(?:%|パーセント)|(?:空|海)は(?:なぜ|どうして|なんで)青|(?:計算|算出)(?:方法|式|の仕方)|どうやって(?:計算|求め)/u,
  zh: /(?:到底)?(?:有)?(?:啥|什么)(?:区别|不同|差别)|(?:是|的)?(?:啥|什么)意思|什么是|何谓|是(?:怎么|如何)(?:计算|算|来|形成|发明)的?|怎么(?:计算|算出|换算)|世界上?最(?=.*(?:[?？]|吗|哪|谁|多少|什么|啥))|(?:峰|山|江|河|湖|海|塔|岛|长城|地球|月球|月亮|太阳|宇宙)(?:离.{1,6}|到.{1,6})?(?:到底)?(?:有)?多(?:高|长|远|大|深|宽|重)|(?:总统|总理|首相|国王|女王|主席)(?:现在)?是(?:谁|哪)|(?:大战|二战|一战|革命)(?:是)?(?:哪一?年|什么时候)|^(?:今天|明天|现在)?的?天气(?:怎么样|如何|好吗)|^现在几点|^今天(?:是)?(?:几号|星期几|周几)|等于(?:几|多少)|\d+的\d+%|\d+(?:乘以?|加|减|除以?)\d+|复杂度|海拔(?:是|有)?(?:多少|几)|(?:天空|大海|海水?)(?:为什么|怎么)是?蓝|(?:一般|通常|总共|一共)(?:是|有|要)?(?:几|多少)|的(?:首都|人口|原理|公式|定义|来历|作者)是|(?:哪一?年|什么时候)(?:建|发明|成立|创立)的?/u,
};

/**
 * First person, people close to the speaker, or the shared past. Then the utterance is neither a task nor a knowledge
 * question.
 */
const PERSONAL: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:i|i'm|i've|i'd|i'll|my|mine|our|ours|we|we're|we've|us|remember|remind|again)\b/iu,
  ja: /私|わたし|僕|ぼく|俺|おれ|うち(?:の|は|ら|が)|自分|我が家|覚え|前に|この前|この間|以前|っけ|言うた|言った|話した|主人|旦那|妻|嫁|息子|娘|孫|母|父|おかん|おとん/u,
  zh: /(?<!自)我(?!国)|咱|记得|说过|提过|上次|之前|以前|来着|那次|爸|妈|老公|老婆|儿子|女儿/u,
};
/** A request on behalf of the first person: “write me a poem”, “帮我写”. This first person does not count. */
const ON_BEHALF =
  /\b(?:(?:write|give|tell|make|draft|help|find|get) me|for (?:me|my))\b|帮我|给我|替我|告诉我/giu;
const ASKS = /[?？]/u;
/** What both know of: “that bridge”, あの橋, 那座桥. */
const POINTS =
  /\b(?:that|those)\b|(?<!\p{Script=Hiragana})(?:あの|例の)|那(?:座|个|家|条|次|边|栋|本|只|件)/iu;

/** Classifies the utterance by rules. */
export function readAddress(utterance: string, language: Language): Address {
  const normalized = utterance
    .normalize('NFKC')
    .replace(/[’]/gu, "'")
    .replace(/([a-z])\1{2,}/giu, '$1')
    .replace(/\b(what|who|where|when|how)s\b/giu, "$1's")
    .trim();
  const isOwn = PERSONAL[language].test(normalized.replace(ON_BEHALF, ' '));
  const letters = lettersOf(normalized);
  const withoutFormulas = normalized.replace(SMALL_TALK[language], ' ');
  const rest = withoutFormulas.replace(PARTICLES[language], ' ');
  const left = lettersOf(rest);
  const isShort = left <= MAX_LEFT[language];
  if (isShort && withoutFormulas === normalized && EXCLAMATION[language].test(rest)) return 'small_talk';
  if (isShort && withoutFormulas !== normalized && !SAYS_MORE[language].test(rest)) return 'small_talk';
  const isGreeting = left < letters && normalized.search(SMALL_TALK[language]) === 0;
  if (
    isGreeting &&
    !isOwn &&
    !ASKS.test(normalized) &&
    letters <= MAX_GREETING[language] &&
    left <= letters / 1.6
  )
    return 'small_talk';
  // Quoted text is the material of the task: a first person inside it does not count.
  if (TASK[language].test(normalized) && (!isOwn || /[「『“":]/u.test(normalized))) return 'task';
  const isShared = isOwn || POINTS.test(normalized);
  return KNOWLEDGE[language].test(normalized) && !isShared ? 'knowledge' : 'open';
}

function lettersOf(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
