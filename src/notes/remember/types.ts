/** Derives the type of a statement from its text, and chooses the file for that type. */
import type { Scope } from '../../model/model.ts';
import { detectLanguage, type Language } from '../../text/text.ts';
import { memoryTypeOf } from '../parse/parse.ts';

export const REMEMBERED_TYPES = [
  'preference',
  'instruction',
  'entity',
  'decision',
  'pattern',
  'note',
] as const;
export type RememberedType = (typeof REMEMBERED_TYPES)[number];

/** The file name, default scope and title of a new file for each type. */
const FILES: Readonly<Record<RememberedType, FileOfType>> = {
  preference: { name: 'preferences', scope: 'global', title: { en: 'Preferences', ja: '好み', zh: '偏好' } },
  instruction: {
    name: 'instructions',
    scope: 'global',
    title: { en: 'Instructions', ja: '指示', zh: '指令' },
  },
  entity: {
    name: 'entities',
    scope: 'global',
    title: { en: 'People and things', ja: '人物・もの', zh: '人物与事物' },
  },
  decision: { name: 'decisions', scope: 'project', title: { en: 'Decisions', ja: '決定事項', zh: '决策' } },
  pattern: { name: 'patterns', scope: 'project', title: { en: 'Patterns', ja: 'パターン', zh: '模式' } },
  note: { name: 'notes', scope: null, title: { en: 'Notes', ja: 'メモ', zh: '笔记' } },
};

interface FileOfType {
  readonly name: string;
  /** Null: depends on whom the text is about. */
  readonly scope: Scope | null;
  readonly title: Readonly<Record<Language, string>>;
}

export interface Place {
  readonly uri: string;
  /** The initial text of a new file. */
  readonly beginning: string;
}

/**
 * The file for a statement of a type: `user/…` for what is true everywhere, `agent/…` for what belongs to a
 * project. A file whose name does not imply its type has the type in its front matter.
 */
export function placeFor(type: RememberedType, scope: Scope | undefined, text: string): Place {
  const { name, scope: usual, title } = FILES[type];
  const own = scope ?? usual ?? (SPEAKS_OF_USER.test(text) ? 'global' : 'project');
  const uri = `${own === 'global' ? 'user' : 'agent'}/${name}.md`;
  const frontMatter = memoryTypeOf(uri) === type ? '' : `---\ntype: ${type}\n---\n\n`;
  return { uri, beginning: `${frontMatter}# ${title[detectLanguage(text)]}\n` };
}

const SPEAKS_OF_USER = /\b(?:I|I'm|me|my|mine|user)\b|私|僕|俺|ユーザー|我|用户/iu;

const TASK =
  /^\s*(?:to-?do|task|タスク|やること|待办|任务)\s*[:：]|\b(?:remind me to|don'?t (?:let me )?forget to|remember to)\b|(?:し|やら|買わ|行か|出さ)(?:なきゃ|ないと|なければ)|忘れずに|提醒我|别忘了|记得要/iu;

/** The most specific rules first. A preference is the user’s own; what somebody else likes is a fact about them. */
const RULES: readonly (readonly [RememberedType, RegExp])[] = [
  [
    'instruction',
    /^\s*(?:please|always|never|don'?t|do not|from now on|make sure|be sure|avoid|reply|respond|answer|write|keep|call me|use|stop|when(?:ever)? [^.]*,\s*(?:please|always|never|use|ask|do)\b)|\b(?:you|the agent|the assistant) (?:should|must|need to|are to)\b/iu,
  ],
  [
    'instruction',
    /(?:て|で)(?:ください|下さい|ほしい|欲しい|ね)[。！!]*$|(?:しない(?:で|こと)|するな|すること|ようにして|禁止|べきだ?)[。！!]*$|^(?:必ず|常に|絶対に?|今後は).*(?:て|で|こと|する)[。！!]*$/u,
  ],
  [
    'instruction',
    /^(?!我)(?:请|务必|必须|永远|总是|不要|别|禁止|以后|今后|从现在起|叫我)|^(?:你|回答|回复).*(?:要|必须|应该|不要|用)/u,
  ],
  [
    'decision',
    /\b(?:decided|decision|chose|chosen|agreed (?:on|to)|settled on|going with|opted for|we(?:'ll| will) (?:use|go with))\b|決め(?!て(?:い|な))|決定|採用|(?:する|使う)ことにした|ことになった|决定|选定|采用|商定|敲定|改用|定为/iu,
  ],
  [
    'preference',
    /^\s*(?:(?:i|we|the user|user)\b.*\b)?(?:prefers?|likes?|loves?|enjoys?|hates?|dislikes?|can'?t stand|would rather)\b(?! to (?:know|ask))|\bmy (?:favou?rite|preferred|preference)\b|^\s*(?:i am|i'm|the user is|user is)\b.*\b(?:allergic|vegetarian|vegan|fond of|into)\b/iu,
  ],
  [
    'preference',
    /^(?![^私僕俺]{0,12}(?:さん|ちゃん|くん|君|氏|彼|彼女|妻|夫|母|父|姉|兄|妹|弟|息子|娘|友達)(?:は|が)).*(?:好き|嫌い|苦手|好み|好む|お気に入り|派(?:だ|です|[。！!]?$)|ほうがいい|アレルギー)/u,
  ],
  [
    'preference',
    /^(?:我(?!的?(?:[\p{Script=Han}]{0,2}(?:妈|爸|妹|姐|哥|弟|妻|夫|友|同事|老板)))|用户)?(?:更|最|很|不|比较|非常)*(?:喜欢|讨厌|偏好|偏爱|爱[吃喝看听]|[吃喝](?:不惯|素)|不[吃喝]|对.*过敏|宁愿|习惯用)/u,
  ],
  [
    'entity',
    /\b(?:wife|husband|partner|spouse|son|daughter|mother|father|mom|mum|dad|sister|brother|cousin|friend|boss|manager|colleague|co-?worker|neighbou?r|client|teacher|doctor|dog|cat|pet)\b|'s birthday\b|\b(?:works|worked) (?:at|for)\b|\blives in\b|\bwas born\b|\b(?:is|are) (?:the|a|an|our|my) (?:[a-z]+ ){0,2}(?:company|team|customer|server|repository|repo|owner|lead|engineer|designer)\b/iu,
  ],
  [
    'entity',
    /さんは|ちゃんは|くんは|(?:妻|夫|母|父|姉|兄|妹|弟|息子|娘|友達|友人|同僚|上司|部下|先生|犬|猫)(?:の|は|が)|誕生日|住んでい|勤め|という名前|(?:妻子|老婆|丈夫|老公|儿子|女儿|妈妈|爸爸|母亲|父亲|姐姐|哥哥|弟弟|妹妹|朋友|同事|老板|上司|老师|邻居|狗|猫).*(?:是|叫|在|的|喜欢)|生日|住在|就职|名字叫|^[\p{Script=Han}]{2,4}是我/u,
  ],
  [
    'pattern',
    /\b(?:every time|whenever|each time|usually|tends? to|often|habit|patterns?|recurring|always)\b|いつも|たびに|毎回|傾向|癖|習慣|パターン|がちだ?|每次|每当|总(?:是|会)|往往|习惯|经常|模式/iu,
  ],
];

/** The type of a text by rules, `note` when no rule matches; a `task` is added to the tasks and not to the statements. */
export function inferType(text: string): RememberedType | 'task' {
  if (TASK.test(text)) return 'task';
  return RULES.find(([, rule]) => rule.test(text))?.[0] ?? 'note';
}
