import { branchOf } from './branch.ts';
import { idPart, idText, scalarMeta, type ReadRecord } from './intake.ts';
import { mediaKindOf, mediaMeta, textOrMedia } from './media.ts';
import { isRecord, records, stringAt, type Fields } from '../../model/model.ts';

/** A conversation as LibreChat exports it to JSON, flat or as a tree (`recursive`); the newest branch is read. */
export const readLibreChat: ReadRecord = function* (value, at, intake) {
  const id = idText(value['conversationId']);
  const messages = shownBranch(flatten(records(value['messages'])));
  if (id === null || messages.length === 0) {
    yield intake.takeUnreadable('It has no conversationId or no messages.', at);
    return;
  }
  const conversationId = idPart(id);
  for (const [index, message] of messages.entries()) {
    const isUser = message['isCreatedByUser'] === true;
    const media = records(message['files']).map(({ filename, type }) => ({
      kind: mediaKindOf(type ?? filename),
      name: filename,
    }));
    const text = textOrMedia(wordsOf(message), media);
    if (!isUser && (text === '' || message['error'] === true)) continue;
    const { images, attachments } = mediaMeta(media);
    const meta = scalarMeta({
      sourceId: message['messageId'],
      conversationTitle: value['title'],
      model: message['model'],
      name: isUser ? null : message['sender'],
      images,
    });
    if (attachments.length > 0) meta['attachments'] = attachments;
    const place = { ...at, place: `message ${index + 1}` };
    const speaker = isUser ? 'user' : 'ai';
    yield intake.take({ conversationId, speaker, text, time: message['createdAt'], meta }, place);
  }
};

/** `text`, or the text parts of `content`, without thinking and the use of tools. */
function wordsOf(message: Fields): unknown {
  const text = stringAt(message, 'text');
  if (text !== null) return text;
  const parts = records(message['content']).flatMap((part) => {
    const value = part['type'] === 'text' ? part['text'] : null;
    const words = isRecord(value) ? value['value'] : value;
    return typeof words === 'string' && words.trim() !== '' ? [words] : [];
  });
  return parts.join('\n\n');
}

function flatten(messages: readonly Fields[]): Fields[] {
  return messages.flatMap((message) => [message, ...flatten(records(message['children']))]);
}

function shownBranch(messages: readonly Fields[]): readonly Fields[] {
  const nodes = new Map(
    messages.flatMap((message) => {
      const id = idText(message['messageId']);
      return id === null ? [] : [[id, message] as const];
    }),
  );
  const parentOf = (node: Fields) => node['parentMessageId'];
  const timeOf = (node: Fields) => Date.parse(stringAt(node, 'createdAt') ?? '') || 0;
  const branch = branchOf({ nodes, parentOf, timeOf }, null);
  // If a parent is missing, the messages before the gap would be lost.
  const [first] = branch;
  const isWhole =
    first !== undefined &&
    (/^0{8}-/.test(String(parentOf(first))) || parentOf(first) === null || messages[0] === first);
  return isWhole ? branch : messages;
}
