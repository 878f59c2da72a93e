import { keysOf } from '../../model/model.ts';
import { plainText } from './content.ts';
import { idText, scalarMeta, type ImportItem, type Intake, type Place, type ReadRecord } from './intake.ts';
import { media, textOrMedia } from './media.ts';
import { isSilentRole } from './speakers.ts';

/**
 * The names that the fields of a plain message may have, the most certain name first; compared without case, spaces,
 * `_` and `-`. If a message has several names for one field, the most certain is used and the others are kept as meta.
 */
const FIELD_NAMES = {
  role: ['role', 'from', '役割', '角色'],
  speaker: [
    'speaker',
    'sender',
    'author',
    'name',
    '話者',
    '発言者',
    '送信者',
    '名前',
    '说话人',
    '发言人',
    '发送者',
    '发送人',
    '說話人',
    '發送者',
  ],
  text: [
    'content',
    'text',
    'message',
    'body',
    'テキスト',
    '本文',
    '内容',
    'メッセージ',
    '文本',
    '消息',
    '消息内容',
    '內容',
    '訊息',
  ],
  time: [
    'timestamp',
    'time',
    'datetime',
    'date',
    'createdat',
    'occurredat',
    'ts',
    '日時',
    '時刻',
    '日付',
    '时间',
    '日期',
    '時間',
    '发送时间',
  ],
  conversation: [
    'conversationid',
    'conversation',
    'thread',
    'threadid',
    'session',
    'sessionid',
    'channel',
    '会話',
    'スレッド',
    '会话',
    '对话',
    '對話',
  ],
  id: ['id', 'messageid', 'turnid', 'uuid'],
} as const;

type Field = keyof typeof FIELD_NAMES;

const RANKED_NAMES = new Map<string, { field: Field; rank: number }>(
  keysOf(FIELD_NAMES).flatMap((field) =>
    FIELD_NAMES[field].map((name, rank) => [name, { field, rank }] as const),
  ),
);

/** Which name is used for which field. */
function matchFields(names: readonly string[]): Partial<Record<Field, string>> {
  const best: Partial<Record<Field, { name: string; rank: number }>> = {};
  for (const name of names) {
    const known = RANKED_NAMES.get(
      name
        .normalize('NFKC')
        .toLowerCase()
        .replaceAll(/[\s_-]/g, ''),
    );
    if (known && known.rank < (best[known.field]?.rank ?? Infinity))
      best[known.field] = { name, rank: known.rank };
  }
  return Object.fromEntries(Object.entries(best).map(([field, { name }]) => [field, name]));
}

/** Whether a record with fields of these names is a message of a speaker. */
export function isMessage(names: readonly string[]): boolean {
  const { role, speaker, text } = matchFields(names);
  return text !== undefined && (role ?? speaker) !== undefined;
}

/** One message; nothing for instructions, calls of tools and their output. */
export const readMessage: ReadRecord = (message, at, intake) =>
  takeMessage(message, at, intake, intake.defaultConversationId);

export function* takeMessage(
  message: Record<string, unknown>,
  at: Place,
  intake: Intake,
  conversationId: string,
): Generator<ImportItem> {
  const fields = matchFields(Object.keys(message));
  const valueOf = (field: Field) => (fields[field] === undefined ? undefined : message[fields[field]]);
  const role = valueOf('role');
  const { text: words, images, voices } = plainText(valueOf('text'));
  if (isSilentRole(role) || (isToolCall(message) && (words === '' || words === null))) return;
  const text = textOrMedia(words, [...media('image', images), ...media('voice message', voices)]);
  const used = new Set(Object.values(fields));
  // With both a role and a name, the role is the speaker and the name is kept as meta.
  if (fields.role !== undefined && fields.speaker !== undefined) used.delete(fields.speaker);
  const rest = Object.fromEntries(Object.entries(message).filter(([name]) => !used.has(name)));
  yield intake.take(
    {
      conversationId: idText(valueOf('conversation')) ?? conversationId,
      speaker: role ?? valueOf('speaker'),
      text,
      time: valueOf('time'),
      meta: scalarMeta({ sourceId: idText(valueOf('id')), images: images || null, ...rest }),
    },
    at,
  );
}

function isToolCall(message: Record<string, unknown>): boolean {
  return 'tool_calls' in message || 'function_call' in message;
}
