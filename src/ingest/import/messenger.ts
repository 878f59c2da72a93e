import { isUtf8 } from 'node:buffer';
import { idPart, idText, personName, scalarMeta, type ReadRecord } from './intake.ts';
import { mediaMeta, textOrMedia, type Medium } from './media.ts';
import { recordAt, records, stringAt, type Fields } from '../../model/model.ts';

const NOT_ASCII = /[\u0080-\u00FF]/;
const BEYOND_LATIN1 = /[^\0-\u00FF]/;

/**
 * A chat of Messenger or Instagram, from “Download your information” as JSON, or from Messenger's end-to-end encrypted
 * storage. The messages are listed newest first; the first kind writes each byte of UTF-8 as a separate character.
 */
export const readMessengerThread: ReadRecord = function* (value, at, intake) {
  const title = repairUtf8(stringAt(value, 'title') ?? stringAt(value, 'threadName') ?? '');
  const path = stringAt(value, 'thread_path')?.split('/').at(-1);
  const conversationId = idPart(path ?? stringAt(value, 'threadName') ?? intake.defaultConversationId);
  const messages = records(value['messages']).filter(isMessage).toSorted(byTime);
  for (const [index, message] of messages.entries()) {
    const media = mediaOf(message);
    const { images, attachments } = mediaMeta(media);
    const link = stringAt(recordAt(message, 'share'), 'link');
    const meta = scalarMeta({ conversationTitle: title.replace(/_\d+$/, ''), images, link });
    if (attachments.length > 0) meta['attachments'] = attachments;
    const words = stringAt(message, 'content') ?? stringAt(message, 'text') ?? link;
    yield intake.take(
      {
        conversationId,
        speaker: personName(
          repairUtf8(stringAt(message, 'sender_name') ?? stringAt(message, 'senderName') ?? ''),
        ),
        text: textOrMedia(words === null ? null : repairUtf8(words), media),
        time: timeOf(message),
        meta,
      },
      { ...at, place: `message ${index + 1}` },
    );
  }
};

/** Decodes text in which each character is a byte of UTF-8: `Ã©` is `é`. Other text is returned unchanged. */
function repairUtf8(text: string): string {
  if (!NOT_ASCII.test(text) || BEYOND_LATIN1.test(text)) return text;
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : text;
}

function isMessage(message: Fields): boolean {
  if (message['is_unsent'] === true || message['isUnsent'] === true) return false;
  const type = message['type'];
  return type !== 'Subscribe' && type !== 'Unsubscribe';
}

function timeOf(message: Fields): unknown {
  return message['timestamp_ms'] ?? message['timestamp'];
}

function byTime(a: Fields, b: Fields): number {
  return Number(timeOf(a)) - Number(timeOf(b));
}

function mediaOf(message: Fields): Medium[] {
  const files = (key: string, kind: Medium['kind']) =>
    records(message[key]).map(({ uri }) => ({ kind, name: idText(uri)?.split('/').at(-1) }));
  return [
    ...files('photos', 'image'),
    ...files('gifs', 'image'),
    ...files('videos', 'video'),
    ...files('audio_files', 'voice message'),
    ...files('files', 'file'),
    ...files('media', 'file'),
    ...('sticker' in message ? [{ kind: 'sticker' as const }] : []),
    ...('call_duration' in message ? [{ kind: 'call' as const }] : []),
  ];
}
