import { idPart, idText, personName, scalarMeta, type ReadRecord } from './intake.ts';
import { mediaKindOf, mediaMeta, textOrMedia, type Medium } from './media.ts';
import { recordAt, records, stringAt, type Fields } from '../../model/model.ts';

/** Kinds of message that contain an utterance; the others report joins, pins and calls. */
const SPOKEN = new Set<unknown>([
  'Default',
  'Reply',
  'ChatInputCommand',
  'ContextMenuCommand',
  'ThreadStarterMessage',
]);

/** A channel or direct chat as DiscordChatExporter writes it to JSON. */
export const readDiscordChannel: ReadRecord = function* (value, at, intake) {
  const channel = recordAt(value, 'channel');
  const title = [stringAt(recordAt(value, 'guild'), 'name'), stringAt(channel, 'name')];
  const conversationId = idPart(`discord-${idText(channel['id']) ?? intake.defaultConversationId}`);
  const messages = records(value['messages']).filter(({ type }) => type === undefined || SPOKEN.has(type));
  for (const [index, message] of messages.entries()) {
    const author = recordAt(message, 'author');
    const media = mediaOf(message);
    const { images, attachments } = mediaMeta(media);
    const meta = scalarMeta({
      sourceId: idText(message['id']),
      conversationTitle: title.filter((part) => part !== null).join(' / '),
      isBot: author['isBot'] === true || null,
      replyTo: idText(recordAt(message, 'reference')['messageId']),
      images,
    });
    if (attachments.length > 0) meta['attachments'] = attachments;
    yield intake.take(
      {
        conversationId,
        speaker: personName(author['nickname']) ?? personName(author['name']),
        text: textOrMedia(message['content'], media),
        time: message['timestamp'],
        meta,
      },
      { ...at, place: `message ${index + 1}` },
    );
  }
};

function mediaOf(message: Fields): Medium[] {
  return [
    ...records(message['attachments']).map(({ fileName }) => ({
      kind: mediaKindOf(fileName),
      name: fileName,
    })),
    ...records(message['stickers']).map(({ name }) => ({ kind: 'sticker' as const, name })),
  ];
}
