/** Phrases for intentions, and for their completion. */
import type { Language } from '../../text/text.ts';

/** Phrases that something is to be done, by who says them, and whether a future time is required too. */
interface Intents {
  readonly anybody: readonly RegExp[];
  readonly person: readonly RegExp[];
  readonly companion: readonly RegExp[];
  /** “I'll call her” is said very often without a plan. */
  readonly anybodyWithTime: readonly RegExp[];
  readonly personWithTime: readonly RegExp[];
}

export interface LoopWords {
  readonly intents: Intents;
  /** Phrases that look like an intention but are not. */
  readonly idle: RegExp;
  readonly done: RegExp;
  /** Phrases that look like a completion but are not. */
  readonly notDone: RegExp;
  readonly dropped: RegExp;
  /** Words before the task that are not part of it. */
  readonly opening: RegExp;
  /** Words of intentions, which do not describe the task. */
  readonly cues: RegExp;
}

const CHORES =
  '(?:call|phone|e?mail|text|buy|pick up|finish|submit|hand in|turn in|send|book|pay|renew|return|fix|repair|clean|wash|write|prepare|schedule|reschedule|visit|apply|register|sign up|study for|pack|order|cancel|make an? (?:appointment|reservation)|get (?:my|the|an?) |take (?:my|the) |reply|respond|contact|see (?:the|a|my) (?:doctor|dentist|vet)|go to the|mail|print|file|update|review|read|practi[cs]e|water|feed|find an?)';
const HOW_EN = '(?:(?:really|still|also|just|definitely|probably|now|first) )*';
const MEETING_EN =
  '(?:appointment|meeting|interview|exam|test|deadline|flight|reservation|presentation|check-?up|surgery|wedding|party|concert|recital|game|match|class|date|trip|birthday|audition|competition|race|dinner|lunch)';

const english: LoopWords = {
  intents: {
    anybody: [
      new RegExp(
        `^(?:i|we) ${HOW_EN}(?:have to|need to|must|gotta|got to|ought to|should) ${HOW_EN}${CHORES}\\b`,
        'i',
      ),
      /^(?:to-?do|note to self|reminder)s? ?: ?\p{L}/iu,
      new RegExp(`^(?:i've|we've) ${HOW_EN}got to ${CHORES}\\b`, 'i'),
      /^i (?:promise|swear)(?:,? (?:to|i'll|that i'll|i will))\b/i,
    ],
    person: [
      /(?:^|[,;] ?|\b(?:please|you|and|also|just) )remind me\b(?! (?:of how|how|why))|\bdon'?t let me forget\b/i,
      /^(?:i|we) (?:plan to|intend to|'m planning to) (?!be\b)/i,
      /^i (?:still )?haven't (?:finished|submitted|paid|booked|called|replied|answered|sent|bought|renewed|returned|packed|registered|applied|signed|written|fixed)\b.*\byet\b/i,
    ],
    companion: [/^(?:i'll|i will) (?:remind|check in|ask you|follow up|let you know)\b/i],
    anybodyWithTime: [
      new RegExp(
        `^(?:i|we) ${HOW_EN}(?:have to|need to|must|gotta|ought to|should|plan to|intend to|want to|hope to|decided to)\\b`,
        'i',
      ),
      /^(?:i'll|i will|we'll|we will|i'm going to|i am going to|we're going to|i'm gonna|we're gonna|let's|i'm planning (?:to|on)|we're planning (?:to|on))\b/i,
      /^(?:i'm|we're|i am|we are) (?:meeting|visiting|seeing|flying|leaving|starting|taking|having|hosting|moving|traveling|travelling|going|running)\b/i,
      new RegExp(
        `^(?:i|we) (?:have|'ve got|have got) (?:an? |my |our )(?:[\\w-]+ ){0,3}${MEETING_EN}\\b`,
        'i',
      ),
    ],
    personWithTime: [
      new RegExp(`^(?:my|our|the) (?:[\\w-]+ ){0,3}${MEETING_EN} (?:is|starts|'s)\\b`, 'i'),
      /^i promised\b/i,
    ],
  },
  idle: /^(?:i|we|i'll|i've|let's|i will)\b.{0,24}\b(?:have to|need to|must|gotta|got to|should|want to|'ll|will|let's) (?:say|admit|agree|be|ask|see|know|laugh|stay|keep in|believe|thank|confess|disagree|mention|tell you|think|remember|wait|try my best|always|never|miss|love|sleep|eat|shower|run|head (?:off|out|home)|get (?:going|ready|some sleep))\b|\b(?:have|had|need|needed) to go\b(?! to)/i,
  done: /\b(?:i|we)(?:'ve| have)?(?: (?:already|finally|just|also|actually))* (?:\w+ed|went|did|got|bought|paid|sent|made|took|saw|met|wrote|had|gave|told|found|read|left|brought|done|been|gone|seen|taken|written)\b|\b(?:is|are|was|were|it's|that's|all|been|got) (?:\w+ )?(?:done|finished|completed|over|settled|sorted|sent|paid|booked|fixed|submitted|renewed|handed in)\b|^(?:all )?(?:done|finished)\b/i,
  notDone:
    /n't\b|\b(?:not|never|have to|need to|needed to|had to|must|should|will|going to|gonna|if|wish|almost|forgot|remind|promised)\b|'ll\b/i,
  dropped:
    /\b(?:cancel+ed|called off|decided not to|decided against|not going to|won't be|no longer (?:need|have) to|don't (?:need|have) to|gave up on|never ?mind|changed my mind|fell through)\b/i,
  opening:
    /^(?:(?:oh|well|so|yeah|yes|ok|okay|and|but|also|anyway|actually|by the way|btw|hey|please|sure|right|thanks|no|now)[,!.:\s]+)+/i,
  cues: /\b(?:i|we|me|to|have|need|must|gotta|got|ought|should|plan|planning|intend|going|gonna|want|hope|decided|will|promise|remind|don't|let|forget|still|really|haven't|yet|by|before|until|on|at|about|that|please|can|could|you)\b|'(?:ll|ve|m|re|s)\b/gi,
};

const japanese: LoopWords = {
  intents: {
    anybody: [
      /(?:なきゃ|なくちゃ|ないと(?:いけない|いけません|だめ|ダメ|まずい|な|ね|$)|なければ(?:ならない|いけない|なりません|いけません)|なくては(?:いけない|ならない|なりません)|ねばならない)(?:な|ね|よ|んだ|んです|の|です|ー)*$/u,
      /[うくぐすつぬぶむる](?:予定|つもり)(?:です|だ(?!った|ろう)|なん|で|$)/u,
      /^(?:今度|こんど|また今度|そのうち|いつか一緒に).*(?:[おこごそとのぼもよろ]う)(?:ね|よ|か)*$/u,
      /約束(?:する|します|だよ|ですよ|するね|するよ)(?:よ|ね)*$/u,
    ],
    person: [
      /リマインドして|思い出させて|忘れ(?:ないように|てたら)(?:言って|教えて|声|して)|忘れず(?:に)?(?:言って|教えて)|(?:時|頃|前|日|朝|夜)に(?:なったら)?(?:教えて|声をかけて|起こして|知らせて)/u,
    ],
    companion: [
      /(?:リマインド|お知らせ|お声がけ|声をおかけ)(?:し|いたし)(?:ます|ておきます)|(?:教え|思い出させ|調べて(?:おき|み))(?:ます|るね)(?:よ|ね)*$/u,
    ],
    anybodyWithTime: [
      /(?:[おこごそとのぼもよろ]う)(?:ね|よ|か|かな|と思う|と思って(?:い)?(?:る|ます)|と思います|と思ってて)?$/u,
      /(?:に|へ|を|と|で)[^。、]{0,12}(?:行き|会い|受け|出し|始め|提出し|出発し|参加し|訪ね|向かい|帰り|買い|予約し|引っ越し)ます(?:よ|ね)*$/u,
      /までに[^。、]{1,20}(?:提出|返却|返信|支払い|振込|申し込み|申請|予約|連絡)(?:する|を?しとく)?(?:ね|よ)*$/u,
    ],
    personWithTime: [
      /[うくぐすつぬぶむる](?:んだ|んです|んですよ|んだよ|んだよね|ことになった|ことになりました|ことにした|ことにしました|よ|ね)$/u,
      /(?:試験|テスト|面接|会議|打ち合わせ|予約|締め切り|締切|発表|手術|検査|健診|結婚式|飲み会|デート|試合|大会|旅行|出張|授業|引っ越し|フライト|歯医者|病院)(?:が(?:ある|あります|入って)|なんだ|なんです|です|だ(?:よ|ね|から)?$|の予定)/u,
    ],
  },
  idle: /^(?:もう|そろそろ|さて|早く|今日は|、)*(?:寝|お?風呂に?入ら|出|行か|起き)(?:なきゃ|なくちゃ|ないと)(?:いけない|だめ)?(?:な|ね|よ|ー)*$|なきゃよかった|ないと(?:思|言|いう)|つもりは(?:ない|ありません)|つもり(?:だった|でした)|予定(?:だった|でした|は(?:ない|ありません))|(?:だろ|でしょ|ましょ|もら|ありがと|おはよ|さよな|よ)う$|どうしよう|寝よう|雨|雪|晴れ|天気|気温|かもしれ|頑張(?:ろ|ら|り)|気をつけ/u,
  done: /(?:終わ(?:った|りました|らせた|らせました)|済(?:んだ|みました|ませた|ませました)|完了(?:した|しました)?|できた|できました|(?:[っいしちきぎびみりえけせてねべめれげ]|ってき|てき)た|ました|\p{Script=Han}んだ|ちゃった|といた)(?:よ|ね|よね|ー|んだ|んです|わ|の|ところ|から)*[。！!♪〜~]*$/u,
  notDone: /ない|なかった|ません|なきゃ|たら|たい|予定|つもり|だったら|でしょう|だろう|忘れた|忘れました/u,
  dropped:
    /(?:やめ(?:た|ました|ることに)|止め(?:た|ました)|キャンセル(?:した|しました|に|され)|中止(?:に|だ|です)|取りやめ|なくなった|なくなりました|なしに(?:なった|した|なりました)|(?:行か|し|やら|買わ)ないことに|延期)/u,
  opening:
    /^(?:(?:あ(?=[、，\s！!。ー…])|えっと|うん|はい|そうだ|そうそう|でも|だから|あと|それと|ちなみに|そういえば|じゃあ|では|やっぱり)[、，\s！!。]*)+/u,
  cues: /なきゃ|なくちゃ|ないと|なければ|ならない|いけない|予定|つもり|約束|忘れ(?:ない)?|今度|思(?:う|って|い)|一緒に?|必要/gu,
};

const CHORES_ZH =
  '(?:交|买|打(?:个)?电话|给.{1,8}(?:打|发|回|寄|买|送)|写|准备|预约|预订|订|付|缴|还(?:钱|书|款|给)|寄|取|提交|完成|复习|报名|续|修|办|联系|回复|回(?:邮件|信|电话)|看(?:医生|牙)|去(?!了|过|世)|打扫|洗|收拾|整理|发(?:邮件|给)|约|带|拿|搬|做完|买|报销|体检|加班|开会)';

/** When, at the beginning of a sentence without a subject: 下周三之前. */
const TIME_ZH =
  '(?:(?:今天|明天|后天|大后天|今晚|明晚|明早|月底|下个?月|(?:这|下)?个?(?:周|星期|礼拜)[一二三四五六日天末]|\\d+月|[\\d一二三四五六七八九十]+[号日点])(?:之?前|以前|早上|上午|中午|下午|晚上)*)+';

const chinese: LoopWords = {
  intents: {
    anybody: [
      new RegExp(
        `^我(?:们)?(?:今天|明天|后天|还|也|真的|可能|下午|晚上|周末|这周|下周|回头|等会儿?|一会儿?|待会儿?|必须|一定)*(?:得|必须得?|需要|该|应该|务必)(?:先|再|赶紧|赶快|尽快|快点|抽空|记得|在.{1,8}前)*${CHORES_ZH}`,
        'u',
      ),
      new RegExp(`^(?:我)?(?:又)?该${CHORES_ZH}.{1,10}了$`, 'u'),
      /^(?:下次|改天|有空|有机会|周末|回头|找时间|哪天)(?:我们|咱们?|我|一起|再|也)*.{2,20}(?:吧|哈|啊|呀)$/u,
      /我(?:向你)?(?:保证|答应你|承诺|发誓)(?:我?会|一定|要|不|，|$)|一言为定|说好了/u,
    ],
    person: [
      /提醒我|别让我忘|不要让我忘|帮我记(?:着|住|一下)|叫我(?:起床|一声)/u,
      /^我(?:们)?(?:最近|还|也|正|今年|以后|之后|已经)*(?:打算|计划)(?!书|表|是|了|里|中)/u,
      /^(?![他她它你]|我[妈爸哥姐弟妹]).{1,8}(?<!我)还(?:没|没有)(?:来得及)?(?:交|买|订|付|办|寄|回|还|报名|预约|写完|做完|提交)(?:呢|啊)?$/u,
      /^我(?:还|到现在)?(?:没|没有)(?:来得及)?(?:交|买|写完|做完|回复|预约|订|付|办|寄|准备好|完成|提交|报名)/u,
    ],
    companion: [
      /我(?:会|到时候|明天|一定|来)+.{0,8}提醒你|我(?:会|到时候|明天)+.{0,6}(?:告诉你|问你|通知你)/u,
    ],
    anybodyWithTime: [
      new RegExp(`^${TIME_ZH}(?:我)?(?:要|得|必须|该|记得)(?:先|再|赶紧|把.{1,8}?)?${CHORES_ZH}`, 'u'),
      /(?:我(?:们)?|咱们?)(?!的?(?:爸|妈|哥|姐|弟|妹|爷|奶|公公|婆婆|老公|老婆|丈夫|妻子|儿子|女儿|孩子|男朋?友|女朋?友|同事|室友|朋友|老板|导师|领导)).{0,12}(?:得(?!到|了|意|很|出|起|不)|必须|需要|应该|要(?!是|么|不)|会(?!议|员)|想去|准备|打算|计划|决定)/u,
    ],
    personWithTime: [
      /(?:有(?:个|一?场|一?次|节)?[^，。]{0,8}(?:考试|面试|会议|会|预约|比赛|演出|手术|体检|约会|航班|聚会|婚礼|课|答辩|截止)|(?:考试|面试|截止|航班|婚礼|比赛|手术|体检|答辩)(?:是|在))/u,
      /^我答应(?!你)/u,
    ],
  },
  idle: /我?(?:得|要|该)(?:去)?(?:睡|休息|吃饭|洗澡|走|忙|上班|起床)(?:觉)?(?:了|啦|去了)?$|我(?:得|必须|需要|应该|要)(?:说|承认|感谢|谢谢|知道|想想|看看)|要(?:是|不然|不要|命|死)|会(?:的|不会|觉得|想)$|下雨|天气|不会|不要|不用|不需要|不打算|可能会/u,
  done: /(?:了|完|过|好|啦|掉)(?:呢|啊|呀|哦|的)*[。！!~～]*$|已经.{1,12}(?:了|完|过|好)|终于|搞定|完成了|办好|办完/u,
  notDone:
    /没|还未|不(?!错|过|久)|要.{0,6}了$|该.{0,10}了$|得.{0,12}了$|快.{0,4}了$|打算|准备|计划|得去|应该|忘了|别忘/u,
  dropped: /取消|不去了|不用.{0,6}了|不(?:打算|准备|想|需要).{0,10}了|算了|放弃了?|改主意|泡汤|延期/u,
  opening: /^(?:(?:对了?|哦|嗯+|啊|好的?|那|然后|还有|另外|不过|但是|其实|话说|记得)[，,\s！!。]*)+/u,
  cues: /有一?[个场次节]|一[个场次些]|我们?|提醒我|记得|别忘了?|打算|计划|准备|应该|必须|需要|下次|改天|一定|保证|答应你?|一起|还没|有空/gu,
};

export const LOOP_WORDS: Readonly<Record<Language, LoopWords>> = { en: english, ja: japanese, zh: chinese };
