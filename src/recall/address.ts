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
  en: /\b(?:good (?:morning|afternoon|evening|night|day)|(?:hi|hello|hey|hiya|yo|howdy)(?: there| again| everyone)?|bye(?: bye)?|goodbye|see (?:you|ya)(?: (?:later|soon|tomorrow))?|sleep (?:well|tight)|sweet dreams|night night|take care|how are you(?: doing)?(?: today)?|how's it going|what's up|thank(?:s| you)(?: (?:so|very) much| a lot)?|cheers|much appreciated|you've been (?:a )?(?:\w+ )?(?:help|helpful|great)|(?:a|such a) (?:big|great|huge) help|you're (?:welcome|the best|great)|welcome|nice(?: one)?|great|awesome|cool|perfect|lovely|brilliant|ok(?:ay)?|alright|sure|yes|yeah|yep|no|nope|nah|exactly|indeed|agreed|right|true|so true|good point|fair enough|got it|i see|no worries|my pleasure|please|sorry|lol|lmao|ha(?:ha)+|hehe+|wow|oh|ah|hmm+|well|ai?n'?t that the truth|tell me about it|same here|today|again|then|everyone|all|so|and|have a (?:good|nice|great|lovely) \w+)\b/giu,
  ja: /おはよ[うー〜]*(?:ございます|さん)?|おはよーさん|こんにち[はわ]|こんばん[はわ]|おやすみ(?:なさい)?|ただいま|おかえり(?:なさい)?|いってきます|いってらっしゃい|さようなら|じゃあね|またね|また(?:明日|あした|後で|あとで)|バイバイ|ありがと[うー〜]*(?:ございま(?:す|した))?|おおきに|サンキュー?|どうも|すみません|ごめん(?:なさい|ね)?|お疲れ(?:さま|様)?(?:です|でした)?|お世話になります|(?:こちらこそ)?(?:きょう|今日|本日)?も?よろしく(?:お願い(?:いた)?します|お願い|ね)?|助かり(?:ました|ます)|助かった|了解(?:です|しました)?|わかり?ました|わかった|承知(?:しました|です)?|はい|うん|ええ|いいえ|そう(?:です|だ|や|やん)?(?:ね|な|よね|か)?|そうそう|なるほど|確かに|たしかに|ほんま(?:それ|に|や)?|ほんとに?(?:それ|ね)?|本当(?:に|です)?(?:ね|か)?|それな|まじで?|すごい(?:です)?(?:ね|な)?|いいね|いいですね|やった|わあ|えっ?|ええっ|あはは|笑|草|ｗ+|w+|元気(?:です)?(?:か|\?|？)?|調子はどう(?:です)?か?|です|ます|ね|よ|さん|ちゃん|くん/gu,
  zh: /早(?:上好|安|啊|呀)?|上午好|中午好|下午好|晚上好|晚安|你好(?:呀|啊)?|您好|哈[喽啰罗]|嗨|嘿|hello|hi|在吗|再见|拜拜|回头见|明天见|谢谢(?:你|您|啦|了)?|多谢|感谢|辛苦(?:你|您)?(?:了|啦)|麻烦(?:你|您)?了|不客气|没关系|没事(?:儿|的)?|对不起|抱歉|好(?:的|吧|呀|啊|嘞|滴|哒|耶|棒|厉害)?|行(?:吧|啊)?|嗯+|哦+|噢|啊+|哈哈+|嘿嘿|呵呵|是(?:的|啊|呀)?|对(?:的|啊|呀)?|没错|确实(?:是|如此)?|真的(?:吗|假的)?|太(?:好|棒|厉害)(?:了|啦)|真(?:好|棒)|可不是嘛?|就是(?:啊|说)?|知道了|明白(?:了)?|收到|了解|ok|吃了吗|最近(?:怎么样|好吗)|你怎么样|[了啦呀啊哦呢吧嘛]/giu,
};

/** Maximum length in letters of the rest after small talk is removed: a name, an adverb. */
const MAX_LEFT: Readonly<Record<Language, number>> = { en: 10, ja: 3, zh: 2 };
/** A greeting up to this length (letters), without a question or a statement about the speaker, is small talk. */
const MAX_GREETING: Readonly<Record<Language, number>> = { en: 60, ja: 16, zh: 10 };

/** Requests for work on given text: at the start of an English sentence, at the end of a Japanese one. */
const TASK: Readonly<Record<Language, RegExp>> = {
  en: /^(?:(?:hey|ok|okay|so|now|please|pls|quick)[,!]? )*(?:(?:can|could|would|will) you (?:please )?|please |help me (?:to )?|i (?:need|want) you to )?(?:translate|convert|calculate|compute|solve|balance|define|summari[sz]e|paraphrase|rephrase|rewrite|reword|proofread|spell|count|list|name (?:a|an|some|three|five|ten|\d)|write|draft|compose|generate|code|debug|refactor|explain (?:the|what|how|why)|tell me (?:a|another) (?:joke|story|riddle|fun fact)|give me (?:a|an|some|\d+|three|five|ten) (?:\w+ )?(?:joke|synonym|example|idea|name|title|word|line|sentence|caption|recipe)s?)\b|^how do (?:you|i) (?:say|spell|pronounce|write)\b/iu,
  ja: /(?:次|以下|この)の?(?:文|文章|文面|英文|和文|単語|言葉|式|問題|コード|メール).{0,80}(?:して|直して|訳して|教えて|解いて)|」を.{0,20}(?:にして|に?訳して|要約|直して|添削|言い換え|変換|翻訳)|(?:翻訳|和訳|英訳|要約|添削|校正|変換|計算|清書)(?:を)?(?:して|お願い|頼)|(?:詩|俳句|短歌|物語|作文|メール文?|文章|コード|プログラム|キャッチコピー|自己紹介文?)を?.{0,12}(?:書いて|作って|考えて)|(?:冗談|ジョーク|なぞなぞ|小噺|面白い話).{0,6}(?:言って|して|教えて|聞かせて|ちょうだい)|英語で(?:何|なん)(?:て|と)/u,
  zh: /(?:翻译|翻成|译成|译为|润色|改写|改得|缩写|扩写|总结一下这|概括(?:一下)?这|校对|换算|解方程|造(?:个|一个)?句)|(?:帮我|请|给我|替我)?(?:写|编|拟|起草|生成)(?:一|个|首|篇|段|份|封|几|点|些|张|条)|(?:讲|说|来)(?:一)?(?:个|段)(?:\p{Script=Han}{0,2})?(?:笑话|故事|段子|谜语|脑筋急转弯)|把(?:这|下面|以下|上面)(?:句|段|个|篇|几句|些)?.{0,12}(?:翻|译|改|缩|润色|总结|概括|换成|变成)|(?:这|下面|以下)(?:句话|段话|段文字|段代码|道题).{0,40}(?:翻|译|改|润色|总结|概括|解|什么意思)/u,
};

/** Questions about general knowledge. */
const KNOWLEDGE: Readonly<Record<Language, RegExp>> = {
  en: /^(?:(?:hey|ok|so|and|quick question)[,:]? )*(?:what(?:'s| is| are|s| was| were) (?:the (?:capital|population|meaning|definition|formula|difference|square root|boiling point|currency|time zone|plural|past tense|synonym|opposite|distance|speed|chemical)\b|\d|an? [\w -]+\??$)|what does .{1,40} (?:mean|stand for)|how (?:many|much|far|long|tall|big|old) (?:\w+ ){0,3}(?:are there |is there |in (?:a|an|one|half|the)\b|make|equals?|is the\b|does it take to\b|are in\b|is in\b)|who (?:wrote|invented|discovered|painted|composed|was the (?:first|president|king|queen))|when (?:was|did) (?:the )?(?:\w+ )?(?:war|revolution|empire|war end|built|founded|invented)|why (?:is|are|do|does) (?:the )?(?:sky|sea|sun|moon|cats|dogs|people|birds)|how (?:does|do) (?:a|an|the) \w+ (?:work|function)|how (?:is|are) \w+ (?:calculated|made|measured|computed))|\bdifference between\b/iu,
  ja: /とは(?:何|なん|どういう|どんな|$|[?？。])|(?:って|という(?:の|言葉)?は|の)(?:どういう|どんな)?意味|って(?:何|なん|なに)(?:なん|です|や|だ|か|[?？]|$)|の(?:首都|人口|語源|読み方|公式|求め方|違い)(?:は|って|を|$|[?？])|(?:何年|いつ)に?(?:建て|作ら|発明|設立|創業|始ま)|(?:計算|算出)(?:方法|式|の仕方)|どうやって(?:計算|求め)/u,
  zh: /(?:到底)?(?:有)?(?:啥|什么)(?:区别|不同|差别)|(?:是|的)?(?:啥|什么)意思|什么是|何谓|是(?:怎么|如何)(?:计算|算|来|形成|发明)的?|怎么(?:计算|算出|换算)|(?:一般|通常|总共|一共)(?:是|有|要)?(?:几|多少)|的(?:首都|人口|原理|公式|定义|来历|作者)是|(?:哪一?年|什么时候)(?:建|发明|成立|创立)的?/u,
};

/**
 * First person, people close to the speaker, or the shared past. Then the utterance is neither a task nor a knowledge
 * question.
 */
const PERSONAL: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:i|i'm|i've|i'd|i'll|my|mine|our|ours|we|we're|we've|us|remember|remind|again)\b/iu,
  ja: /私|わたし|僕|ぼく|俺|おれ|うち(?:の|は|ら|が)|自分|我が家|覚え|前に|この前|この間|以前|っけ|言うた|言った|話した|主人|旦那|妻|嫁|息子|娘|孫|母|父|おかん|おとん/u,
  zh: /我|咱|记得|说过|提过|上次|之前|以前|来着|那次|爸|妈|老公|老婆|儿子|女儿/u,
};
/** A request on behalf of the first person: “write me a poem”, “帮我写”. This first person does not count. */
const ON_BEHALF =
  /\b(?:(?:write|give|tell|make|draft|help|find|get) me|for (?:me|my))\b|帮我|给我|替我|告诉我/giu;
const ASKS = /[?？]/u;

/** Classifies the utterance by rules. */
export function readAddress(utterance: string, language: Language): Address {
  const normalized = utterance.normalize('NFKC').replace(/[’]/gu, "'").trim();
  const isOwn = PERSONAL[language].test(normalized.replace(ON_BEHALF, ' '));
  const letters = lettersOf(normalized);
  const left = lettersOf(normalized.replace(SMALL_TALK[language], ' '));
  if (left <= MAX_LEFT[language]) return 'small_talk';
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
  if (TASK[language].test(normalized) && (!isOwn || /[「『“"]/u.test(normalized))) return 'task';
  return KNOWLEDGE[language].test(normalized) && !isOwn ? 'knowledge' : 'open';
}

function lettersOf(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
