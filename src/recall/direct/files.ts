/**
 * Recognises which memory file an utterance clearly asks for. “Clearly” means that it contains only: the name of the
 * content, its owner, a selection, and question words. With any other word it asks for something more specific: “what
 * are my tasks” means the file, “my tasks today were awful” does not.
 *
 *     show me | all my open | tasks  | we have so far        私の | 好み | の一覧を見せて        列出 | 我的所有 | 偏好
 *     asking  | which       | name   | after it
 */

/** A longer utterance, in UTF-16 units, contains further conditions. */
const MAX_LENGTH = 80;

/** Names of a file's content in each language. Weak names have other meanings and need a question word or an owner. */
interface Names {
  readonly uri: string;
  readonly en: string;
  readonly ja: string;
  readonly zh: string;
  readonly weakEn?: string;
  readonly weakJa?: string;
  readonly weakZh?: string;
}

/** “Every task” means all tasks. */
function everySingular(singular: string): string {
  return String.raw`(?<=\b(?:every|each)(?: single)? )${singular}`;
}

const FILES: readonly Names[] = [
  {
    uri: 'user/preferences.md',
    en: `preferences|likes and dislikes|${everySingular('preference')}`,
    ja: '嗜好|好き嫌い',
    weakJa: '好み',
    zh: '偏好|喜好|个人喜好|好恶',
  },
  {
    uri: 'user/instructions.md',
    en: `(?:standing |custom )?instructions|${everySingular('(?:instruction|rule)')}`,
    weakEn: '(?:ground |house )?rules',
    ja: '指示(?:事項|内容)?|約束事',
    weakJa: 'ルール|決まりごと?|決め事',
    zh: '指令|指示',
    weakZh: '规则|规矩|规定',
  },
  {
    uri: 'TASKS.md',
    en: `${everySingular('(?:task|to-?do)')}|tasks|task list|to-?dos|to-?do (?:list|items?)|tasks? and to-?dos?|action items|what(?: is| s)? (?:still )?left to do|what do (?:i|we) still (?:have|need) to do`,
    weakEn: 'things to do|to-?do',
    ja: '(?:残)?タスク|todo|to-do|やることリスト',
    weakJa: 'やること|やるべきこと|やり残し(?:たこと)?|(?:やら|し)(?:なきゃ|ないと)(?:いけない|ならない)こと',
    zh: '任务|待办|待办事项|待办任务|todo',
    weakZh: '要做的事情?|该做的事情?|没做的事情?',
  },
  {
    uri: 'user/entities.md',
    en: 'entities|known (?:people|persons)|people (?:that )?(?:i|you|we) (?:all )?(?:know|remember|have in memory)(?: (?:of|about))?|people (?:that )?i(?: have|ve)? (?:told you about|mentioned)(?: to you)?|people(?= (?:list|file|page|notes)$)|people do (?:i|you|we) (?:know|remember)(?: of| about)?|who(?: all)? do you know(?: about)?',
    ja: 'エンティティ|(?:知って|覚えて)(?:い)?る人(?=たち|一覧|リスト|は誰|を)(?:たち)?',
    weakJa: '人物(?:情報)?|登場人物|関係者|知り合い',
    zh: '人物(?=列表|清单|名单|档案|文件|记录)|实体(?=列表|清单|文件|记录)|(?:认识|知道|记得)(?:哪些人|谁)',
    weakZh: '人物|实体|熟人|认识的人',
  },
  {
    uri: 'agent/decisions.md',
    en: `decision (?:log|list|history|records?)|decisions|what have we decided so far|${everySingular('decision')}`,
    ja: '決定事項|何が決まった(?:んだ|の)?っけ|何を決めた(?:んだ|の)?っけ',
    weakJa: '決定(?:内容)?|決断|意思決定|(?:決めた|決まった|決定した)こと',
    zh: '决策(?=列表|清单|文件|记录|日志|$)|决定(?=列表|清单|文件|记录)',
    weakZh: '决策|决定|(?:决定|定下来|定好)的事情?',
  },
  {
    uri: 'agent/patterns.md',
    en: `(?:recurring|behaviou?ral|known) patterns|${everySingular('pattern')}`,
    weakEn: '(?:behaviou?r |work(?:ing)? |coding )?patterns',
    ja: '(?:行動|作業|思考)パターン(?=一覧|リスト|メモ|ファイル|$)',
    weakJa: '(?:行動|作業|思考)?パターン',
    zh: '(?:行为|工作|协作)模式(?=列表|清单|文件|记录|$)',
    weakZh: '(?:行为|工作|协作)?模式',
  },
];

/** The grammar of such a request in one language, around a name. */
interface Grammar {
  /** Words before a name that show that a file is meant, although the name alone does not. */
  readonly asking: string;
  /** Other words that may be before the name. */
  readonly beside: string;
  /** The same two, after the name. */
  readonly askingAfter: string;
  readonly besideAfter: string;
  readonly gap: string;
}

const anyOf = (...alternatives: string[]) => alternatives.join('|');

/** Verbs used with the content of such a file: make, give, know, follow. */
const DONE_EN =
  '(?:have|make|made|set|take|took|taken|save|saved|store|stored|record|recorded|note|noted|wrote down|written down|notice|noticed|spot|spotted|observe|observed|identify|identified|discover|discovered|find|found|learn|learned|learnt|see|saw|seen|know|remember|follow|obey|respect|keep to|finish|complete|do|reach|reached|come to|came to|settle on|settled on|agree on|agreed on|define|defined|establish|established|lay down|laid down|mention|mentioned|share|shared|give|gave|given|tell|told)(?: (?:you|me|to you|with you))?(?: (?:about|of))?';

const ENGLISH: Grammar = {
  asking: anyOf(
    '(?:give|tell|show|display|list|print|read|open|view|see|check|get|fetch|load|pull up|bring up|look at|look up|look over|go over|go through|run through|walk|review|recall|remember|remind|summari[sz]e|recap|find|enumerate|name)(?: (?:out|back|to|through))?(?: (?:me|us))?(?: (?:through|about|of|a list of|a summary of|which|what))?',
    'what(?: is| s| are| re| were| about)?(?: in| on| all)?|how about|which|who are|how many|any|(?:anything|what(?: is| s))(?: left| still| open)* (?:on|in)|what does',
    'do (?:i|we|you) (?:still |currently |now )?have|(?:what )?do (?:i|we|you) (?:still |currently )?have (?:on|in|left on)',
    'are there|is there|have (?:i|we) got',
    '(?:what )?do you (?:still )?(?:know|remember|recall|have)(?: about| of| on)?',
    '(?:a |the )?(?:list|summary|overview|contents|status|state) of',
    'my|our|your|all of|all|of|every|each|user|agent|project|the user s|known|saved|stored|recorded|documented|logged|noted|agreed|open|pending|remaining|unfinished|outstanding|incomplete|past|previous|earlier|standing|recurring',
  ),
  beside: anyOf(
    'the|these|those|current|currently|active|existing|latest|recent|today s|other|full|complete|whole|entire|important|main|key|general|personal',
    'please|(?:can|could|would|will) you|(?:can|could|may) (?:i|we)|(?:i|we) (?:want|need|would like|d like) to|let s|let (?:me|us)|hey|ok|okay|so|and|now|just|quickly',
  ),
  askingAfter: anyOf(
    'list|file|page|notes|document|overview|summary',
    `(?:do|did|have|had|should|can|must) (?:i|we|you) (?:(?:still|currently|already|all|now|ever|need to|have to) )?${DONE_EN}`,
    `(?:are|am) (?:i|we|you) (?:(?:supposed|meant|expected) to ${DONE_EN}|following|keeping to|using|tracking|keeping track of|working on)`,
    `(?:that |which )?(?:i|we|you)(?: have| ve)?(?: (?:still|currently|already|should|must|need to|have to))? ${DONE_EN}`,
    '(?:are|is) (?:(?:there|still) )*(?:open|pending|left|there|undone|unfinished|remaining|outstanding|not done|known)',
    '(?:are|were) there|remain|exist|apply|(?:are|were) (?:[a-z]+ed|known|on record|in force)',
    '(?<=(?:^|\\s)(?:what|which) (?:[a-z ]+ )?)(?:do|did|have|should|must) (?:i|we|you) (?:still |already |all )?[a-z]+',
  ),
  besideAfter: anyOf(
    'so far|until now|left|open|pending|now|currently|right now|today|at the moment|on file|from (?:me|us|you)|by (?:me|us|you)|again|please|for me|to me|of mine|to follow|to do|to finish|on record|about|remaining|known|are|were|look like|say|contain|in general|in total',
    '(?:in|from) (?:my |your |our )?(?:memory|notes)|(?:for|in|of|on) (?:this|the|our) project',
  ),
  gap: ' ',
};

const I_JA =
  '(?:私たち|わたしたち|僕たち|我々|うち|私|わたし|僕|ぼく|俺|自分|ユーザー|あなた|君|エージェント)';
const DONE_JA =
  '(?:決め|覚え|登録(?:し|され)|記録(?:し|され)|保存(?:し|され)|設定(?:し|され)|出し|伝え|渡し|教え|話し|言っ|頼ん|メモし|見つけ|見つかっ|気づい|学ん|知っ|溜まっ|残っ)(?:て|で)?(?:おいた|い?る|ある|た|だ)';

const DUTY_JA =
  '(?:守る|従う|気をつける|覚えておく|やる)べき|(?:守ら|やら)(?:なきゃ|ないと)(?:いけない|ならない)';

const JAPANESE: Grammar = {
  asking: anyOf(
    `(?:${I_JA}|プロジェクト|今|現在|現時点|今日|今週)(?:から)?の`,
    `${I_JA}(?:が|に|は)(?=.{0,4}${DONE_JA}|${DUTY_JA})`,
    '(?:全て|すべて|全部|未完了|未完|未処理|未着手|進行中|残り|これまで|今まで|いままで|既存|過去|以前|主|重要|大事)(?:の|な)?',
    '(?:これまで|今まで|いままで|前|一緒|既|すで|過去|以前|先週|昨日|最近)に',
    `${DONE_JA}|(?:終わって|済んで|片付いて|できて)い?ない`,
    DUTY_JA,
    '(?:どんな|どの|どういう|何の)(?=.*(?:ある|あった|あります|ありました|いる|います|残って|べき))',
  ),
  beside: 'まだ|今|いま|まず|ちょっと|ねえ|とりあえず|この|最新の|[ 、。]',
  askingAfter: anyOf(
    'の?(?:一覧|リスト|ファイル|全部|すべて|全て|まとめ|内容|状況|進捗|状態|メモ)',
    '(?:は|って|には|が|は?今)?(?:全部で)?(?:何(?:個|件|人|つ)?|なに|なん|いくつ|どんな(?:の|もの|感じ)?|どれ|誰|どう)(?:が|か|に)?(?:だっけ|でしたっけ|でしたか|だった|でした|ですか|です|なの|ある|あった|あります|残って(?:い)?(?:る|ます)|いる|います|なって(?:い)?(?:る|ます))?(?:か|の|っけ|かな|よね)*[?]?',
    '(?:は|って|が)?(?:まだ|何か|なにか|他に)?(?:ある|あります|残って(?:い)?(?:る|ます)|いる|います|あった|いた)(?:(?:か|の|っけ|かな|かしら)+[?]?|[?])',
    `(?:を|は|に)(?:${DUTY_JA})(?:ですか|か|の|っけ)*[?]?`,
    '(?:は|って)[?]?(?=$)',
    '(?:を|について|は|って|とか)?(?:全部|すべて|全て|もう一度|一度|一通り|ざっと|一覧で|一覧に|リストで|リストに)?(?:教えて|聞かせて|見せて|見たい|見返したい|見直したい|確認したい|確認して|確認させて|確認|チェックしたい|チェックして|表示して|表示|出して|読んで|読み上げて|読み込んで|開いて|知りたい|まとめて|挙げて|書き出して|並べて|リストアップして|リスト化して|列挙して|おさらいしたい|おさらいして|して|思い出して|振り返りたい|振り返って|(?:覚えて|わかって|知って)(?:い)?(?:る|ます)(?:か|の)?|わかる|分かる|わかります|分かります)(?:ください|下さい|くれる|くれ|欲しい|ほしい|もらえる|もらえます|くれます|くださいます|いただけます|いい|もいい|です|か|よ|ね|な|の|んだ|お願い(?:します)?)*[?]?',
    '(?:を)?お願い(?:します|できますか)?[?]?',
  ),
  besideAfter: '[ 、。?]|今|いま|お願い(?:します)?',
  gap: '',
};

const CHINESE: Grammar = {
  asking: anyOf(
    '(?:列出|列一下|列举|列|显示|展示|查看|查一下|查查|看看|看一下|看下|看|读一下|读取|读|念一下|念|打开|调出|翻出|拿出|找出|告诉我|说说|说一下|讲讲|总结一下|总结|回顾一下|回顾|复习一下|检查一下|检查|确认一下|确认|汇总一下|汇总|梳理一下|梳理|盘点一下|盘点|整理一下|把)',
    '(?:我|我们|咱们|你|您|用户|(?:这个|本|当前)?项目|团队|agent)的',
    '(?:我|我们|咱们|你|您)(?=还|都|现在|目前|一共|总共|已经?|之前|以前|曾经?|刚才?|需要|应该|必须|该|要|有(?:哪|什|没)|做|定|下|给|认识|知道|记|发现|总结|观察|说)',
    '(?:还|都|现在|目前|一共|总共)?(?:剩下?|有)?(?:哪些|哪几[条个项]|多少)|(?:还|都)?(?:有|剩下?)(?:什么|没有|啥)|有没有',
    '还?有(?=.*(?:吗|么|没有?)[?]?$)',
    '(?:需要|应该|必须|该|要)?(?:遵守|遵循|做|定|下|给|发现|总结|记|记录|知道|认识|完成|处理|说)(?:了|过|出|下|到|出来)?(?:我|你)?(?:哪些|什么)',
    '(?:所有|全部|目前|现有|已有|已知|之前|以前|过去|剩下|剩余|未完成|没完成|还没完成|没做完|待处理|进行中|当前|现在|今天|重要|主要)的?',
    '(?:记录|记下|记住|记得|保存|知道|认识|定下?|说|交代|给你|给过你|做出|做|达成|总结出来|总结|观察到|观察出来|发现|遵守|遵循)(?:来|过|了)?的',
  ),
  beside:
    '用户|个人|项目|你(?=帮|给|能)|最近|请|麻烦|帮我|给我|你?能不能|可以|可不可以|我?想要?|让我|先|再|都|还|已经|[ ,，。]|现在|目前|你?还?记得',
  askingAfter: anyOf(
    '(?:的)?(?:列表|清单|文件|名单|记录|一览|档案|进度|状态|情况|内容|详情)',
    '(?:都|还|现在|目前|一共|总共)?(?:是什么|是哪些|有哪些|有什么|有啥|是啥|有(?:几|多少)[条个项]?|是谁|有谁|剩哪些|剩什么)',
    '(?:给我|都|全部)*(?:看看|看一下|列一下|列出来|列出|说一下|告诉我|讲讲|念一下|整理一下|汇总一下|总结一下)',
    '(?:还)?(?:没有?完成|没做完|未完成)的?(?=[吗呢?]|有哪|是)',
    '(?:需要|应该|必须|要|得)(?:我|你|我们)?(?:遵守|遵循|记住|注意|完成|做|处理)的?',
  ),
  besideAfter: '[ ,，。?]|呢|吗|么|吧|啊|呀|给我|一下|没有?完成|还没有?(?:完成|做完)|没做完',
  gap: '',
};

interface FilePattern {
  readonly uri: string;
  readonly patterns: readonly RegExp[];
}

const FILE_PATTERNS: readonly FilePattern[] = FILES.map((file) => ({
  uri: file.uri,
  patterns: [
    ...patternsOf(ENGLISH, `${nameOf(file.uri)}|${file.en}`, file.weakEn),
    ...patternsOf(JAPANESE, `${nameOf(file.uri)}|${file.ja}`, file.weakJa),
    ...patternsOf(CHINESE, `${nameOf(file.uri)}|${file.zh}`, file.weakZh),
  ],
}));

/** A clear name with any allowed words around it; a weak one only with question words before or after it. */
function patternsOf(grammar: Grammar, name: string, weakName?: string): RegExp[] {
  const { asking, beside, askingAfter, besideAfter, gap } = grammar;
  // Each phrase must end at a gap or at the end of the sentence.
  const asks = `(?:${asking}|${beside})(?=${gap}|$)`;
  const follows = `(?:${askingAfter}|${besideAfter})(?=${gap}|$)`;
  const before = (group: string) => `(?:${once(asks, group)}${gap})*`;
  const after = (group: string) => `(?:${gap}${once(follows, group)})*`;
  const clear = `^${before('a')}(?:${name})${after('b')}$`;
  if (!weakName) return [new RegExp(clear, 'u')];
  const asksBefore = `^${before('a')}(?:${asking})${gap}${before('b')}(?:${weakName})${after('c')}$`;
  const asksBehind = `^${before('a')}(?:${weakName})${after('b')}${gap}(?:${askingAfter})${after('c')}$`;
  return [clear, asksBefore, asksBehind].map((pattern) => new RegExp(pattern, 'u'));
}

/**
 * Takes the first matching alternative and does not backtrack; with backtracking, many repeated words would take
 * exponential time.
 */
function once(alternatives: string, group: string): string {
  return String.raw`(?=(?<${group}>${alternatives}))\k<${group}>`;
}

const FILE_NAME =
  /(?<![\w/.-])(?:(?:user|agent)\/)?(preferences|instructions|entities|decisions|patterns|tasks)\.md(?![\w/-])/g;

/** The file that the utterance clearly asks for, or null. */
export function fileAskedFor(utterance: string): string | null {
  if (utterance.length > MAX_LENGTH) return null;
  const text = plain(utterance);
  return FILE_PATTERNS.find(({ patterns }) => patterns.some((pattern) => pattern.test(text)))?.uri ?? null;
}

/**
 * NFKC, lower case, file names as one word, and punctuation replaced by single spaces. The question mark stays next to
 * Chinese and Japanese, where it may be the only sign of a question.
 */
function plain(utterance: string): string {
  const folded = utterance.normalize('NFKC').toLowerCase().replace(FILE_NAME, '$1_md');
  const words = folded.replace(/[!,.;:"'’“”「」『』、。…~〜\s]+/gu, ' ').trim();
  const isEastern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(words);
  return isEastern ? words : words.replace(/[?\s]+/g, ' ').trim();
}

/** A file name as `plain` writes it: `tasks_md`. */
function nameOf(uri: string): string {
  return uri.replace(/^.*\//, '').replace('.', '_').toLowerCase();
}
