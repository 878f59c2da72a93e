import {
  idPart,
  idText,
  personName,
  scalarMeta,
  type ImportItem,
  type Intake,
  type Place,
  type ReadRecord,
} from './intake.ts';
import { mediaMeta, mediaKindOf, textOrMedia, type MediaKind, type Medium } from './media.ts';
import { isRecord, records, recordAt, stringAt, type Fields, listOf } from '../../model/model.ts';

const MEDIA_KINDS: Readonly<Record<string, MediaKind>> = {
  sticker: 'sticker',
  voice_message: 'voice message',
  video_message: 'video',
  video_file: 'video',
  animation: 'video',
  audio_file: 'audio',
};

/**
 * What Telegram Desktop exports as `result.json`: one chat, or all chats under `chats` and `left_chats`. In a full
 * export `personal_information` names the person, who becomes `user`.
 */
export const readTelegramExport: ReadRecord = function* (value, at, intake) {
  const chats = [
    ...records(recordAt(value, 'chats')['list']),
    ...records(recordAt(value, 'left_chats')['list']),
  ];
  if (Array.isArray(value['messages'])) chats.push(value);
  if (chats.length === 0) {
    yield intake.takeUnreadable('It has no messages and no list of chats.', at);
    return;
  }
  const own = idText(recordAt(value, 'personal_information')['user_id']);
  for (const chat of chats) yield* readChat(chat, { at, intake, ownId: own === null ? null : `user${own}` });
};

interface Reading {
  readonly at: Place;
  readonly intake: Intake;
  readonly ownId: string | null;
}

function* readChat(chat: Fields, { at, intake, ownId }: Reading): Generator<ImportItem> {
  const name = stringAt(chat, 'name');
  const conversationId = idPart(`telegram-${idText(chat['id']) ?? name ?? 'chat'}`);
  const messages = records(chat['messages']).filter(({ type }) => type !== 'service');
  for (const [index, message] of messages.entries()) {
    const media = mediaOf(message);
    const meta = scalarMeta({
      sourceId: idText(message['id']),
      conversationTitle: name,
      name: ownId !== null && message['from_id'] === ownId ? message['from'] : null,
      forwardedFrom: message['forwarded_from'],
      replyTo: idText(message['reply_to_message_id']),
      images: mediaMeta(media).images,
    });
    const { attachments } = mediaMeta(media);
    if (attachments.length > 0) meta['attachments'] = attachments;
    yield intake.take(
      {
        conversationId,
        speaker: speakerOf(message, ownId),
        text: textOrMedia(textOf(message['text']), media),
        time: message['date_unixtime'] ?? message['date'],
        meta,
      },
      { ...at, place: `${name ?? 'chat'}, message ${index + 1}` },
    );
  }
}

function speakerOf(message: Fields, ownId: string | null): string | null {
  const id = message['from_id'];
  if (ownId !== null && id === ownId) return 'user';
  // A deleted account has no name.
  return personName(message['from']) ?? (typeof id === 'string' ? idPart(id) : null);
}

/** A string, or a list of strings and of objects with a `text`, for links, mentions and formatting. */
function textOf(text: unknown): unknown {
  if (!Array.isArray(text)) return text;
  return listOf(text)
    .map((part) => (isRecord(part) ? (part['text'] ?? '') : part))
    .join('');
}

function mediaOf(message: Fields): Medium[] {
  if (typeof message['photo'] === 'string') return [{ kind: 'image' }];
  const type = stringAt(message, 'media_type');
  const name = stringAt(message, 'file_name');
  if (type === 'sticker') return [{ kind: 'sticker', name: message['sticker_emoji'] }];
  if (type !== null) return [{ kind: MEDIA_KINDS[type] ?? 'file', name }];
  if (isRecord(message['location_information'])) return [{ kind: 'location', name: message['place_name'] }];
  if (typeof message['file'] !== 'string') return [];
  return [{ kind: mediaKindOf(message['mime_type']), name }];
}
