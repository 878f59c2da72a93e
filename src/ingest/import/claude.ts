import { attachmentNames, plainText } from './content.ts';
import { idText, scalarMeta, type ReadRecord } from './intake.ts';
import { mediaKindOf, textOrMedia } from './media.ts';
import { isRecord } from '../../model/model.ts';

/** The parent of a first message. */
const NO_MESSAGE = /^0{8}-/;

/**
 * One conversation of Claude's `conversations.json`. Where messages name their parents, the branch shown last is
 * read. Thinking, the use of tools and answers without text are skipped.
 */
export const readClaudeConversation: ReadRecord = function* (conversation, at, intake) {
  const id = idText(conversation['uuid']);
  const all = conversation['chat_messages'];
  if (id === null || !Array.isArray(all)) {
    yield intake.takeUnreadable('It has no uuid or no chat_messages.', at);
    return;
  }
  intake.begin(id, conversation['created_at']);
  const messages = shownBranch(all, conversation['current_leaf_message_uuid']);
  for (const [index, message] of messages.entries()) {
    const place = { ...at, place: `${at.place}, message ${index + 1}` };
    const words = wordsOf(message);
    if (words === '' && message['sender'] === 'assistant') continue;
    const attachments = [
      ...attachmentNames(message['attachments'], 'file_name'),
      ...attachmentNames(message['files'], 'file_name'),
    ];
    const meta = scalarMeta({ sourceId: message['uuid'], conversationTitle: conversation['name'] });
    if (attachments.length > 0) meta['attachments'] = attachments;
    const text = textOrMedia(
      words,
      attachments.map((name) => ({ kind: mediaKindOf(name), name })),
    );
    const { sender: speaker, created_at: time } = message;
    yield intake.take({ conversationId: id, speaker, text, time, meta }, place);
  }
};

/** The text blocks. The older field `text` is used only where there are none, since for tools it contains stock phrases. */
function wordsOf(message: Record<string, unknown>): unknown {
  const { text } = plainText(message['content'] ?? '');
  return text === '' && !hasBlocks(message['content']) ? (message['text'] ?? '') : text;
}

function hasBlocks(content: unknown): boolean {
  return Array.isArray(content) && content.length > 0;
}

function shownBranch(all: readonly unknown[], currentLeaf: unknown): Record<string, unknown>[] {
  const messages = all.map((message) => (isRecord(message) ? message : {}));
  if (!messages.some((message) => typeof message['parent_message_uuid'] === 'string')) return messages;
  const byId = new Map(messages.map((message) => [message['uuid'], message]));
  const branch: Record<string, unknown>[] = [];
  let parent = byId.has(currentLeaf) ? currentLeaf : newestLeaf(messages)?.['uuid'];
  for (
    let message = byId.get(parent);
    message && branch.length < messages.length;
    message = byId.get(parent)
  ) {
    branch.push(message);
    parent = message['parent_message_uuid'];
  }
  const reachesStart = typeof parent !== 'string' || NO_MESSAGE.test(parent);
  return reachesStart ? branch.reverse() : messages;
}

function newestLeaf(messages: readonly Record<string, unknown>[]): Record<string, unknown> | null {
  const parents = new Set(messages.map((message) => message['parent_message_uuid']));
  const leaves = messages.filter((message) => !parents.has(message['uuid']));
  const time = (message: Record<string, unknown>) => Date.parse(String(message['created_at']));
  return leaves.reduce<Record<string, unknown> | null>(
    (newest, leaf) => (newest !== null && time(newest) > time(leaf) ? newest : leaf),
    null,
  );
}
