import { idText, personName, scalarMeta, type ReadRecord } from './intake.ts';
import { textOrMedia, type MediaKind } from './media.ts';

/** Kinds of message by WeChat's number. */
const KINDS: Readonly<Record<string, MediaKind>> = {
  '3': 'image',
  '34': 'voice message',
  '43': 'video',
  '47': 'sticker',
  '48': 'location',
  '49': 'file',
  '50': 'call',
};
const SYSTEM = '10000';

export function isWeChatHeader(header: readonly string[]): boolean {
  return header.includes('StrContent') && header.includes('IsSender');
}

/** A row of MemoTrace's CSV of a WeChat chat. `IsSender` marks messages of the person. */
export const readWeChatRow: ReadRecord = function* (row, at, intake) {
  const type = idText(row['Type']) ?? '1';
  if (type === SYSTEM) return;
  const isOwn = row['IsSender'] === '1';
  const name = personName(row['Remark']) ?? personName(row['NickName']) ?? personName(row['Sender']);
  const kind = KINDS[type];
  // Other kinds contain XML written by the program.
  const words = type === '1' ? row['StrContent'] : null;
  yield intake.take(
    {
      conversationId: intake.defaultConversationId,
      speaker: isOwn ? 'user' : name,
      text: textOrMedia(words, [{ kind: kind ?? 'file' }]),
      time: row['CreateTime'] || row['StrTime'],
      meta: scalarMeta({
        sourceId: row['localId'],
        name: isOwn ? name : null,
        images: kind === 'image' ? 1 : null,
      }),
    },
    at,
  );
};
