import { branchOf } from './branch.ts';
import { plainText } from './content.ts';
import { idPart, idText, scalarMeta, type ReadRecord } from './intake.ts';
import { mediaKindOf, mediaMeta, textOrMedia, type Medium } from './media.ts';
import { isRecord, recordAt, records, type Fields } from '../../model/model.ts';

/** A model's reasoning or tool calls before its answer. */
const REASONING =
  /<details\b[^>]*\btype="(?:reasoning|tool_calls|code_interpreter)"[^>]*>[^]*?<\/details>\s*/g;

/** One chat of Open WebUI's export; the branch shown last is read. */
export const readOpenWebUiChat: ReadRecord = function* (value, at, intake) {
  const chat = recordAt(value, 'chat');
  const id = idText(value['id']) ?? idText(chat['id']);
  const history = recordAt(chat, 'history');
  const messages = messagesOf(history, chat);
  if (id === null || messages.length === 0) {
    yield intake.takeUnreadable('It has no id or no messages.', at);
    return;
  }
  const conversationId = idPart(id);
  intake.begin(conversationId, value['created_at'] ?? chat['timestamp']);
  const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  for (const [index, message] of spoken.entries()) {
    const media = records(message['files']).map(toMedium);
    const content = plainText(message['content']);
    const text =
      typeof content.text === 'string' ? content.text.replaceAll(REASONING, '').trim() : content.text;
    if (message['role'] === 'assistant' && text === '') continue;
    const { images, attachments } = mediaMeta(media);
    const meta = scalarMeta({
      sourceId: message['id'],
      conversationTitle: value['title'] ?? chat['title'],
      model: message['model'],
      images: images ?? (content.images || null),
    });
    if (attachments.length > 0) meta['attachments'] = attachments;
    const place = { ...at, place: `${at.place}, message ${index + 1}` };
    const { role: speaker, timestamp: time } = message;
    yield intake.take({ conversationId, speaker, text: textOrMedia(text, media), time, meta }, place);
  }
};

function messagesOf(history: Fields, chat: Fields): Fields[] {
  const byId = recordAt(history, 'messages');
  const nodes = new Map(
    Object.entries(byId).filter((entry): entry is [string, Fields] => isRecord(entry[1])),
  );
  if (nodes.size === 0) return records(chat['messages']);
  const parentOf = (node: Fields) => node['parentId'];
  const timeOf = (node: Fields) => Number(node['timestamp'] ?? 0);
  return branchOf({ nodes, parentOf, timeOf }, history['currentId']);
}

function toMedium(file: Fields): Medium {
  const name = idText(file['name']) ?? idText(recordAt(file, 'file')['filename']);
  return { kind: file['type'] === 'image' ? 'image' : mediaKindOf(name), name };
}
