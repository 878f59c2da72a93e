import { idText, type ImportItem, type Intake, type Place } from './intake.ts';
import { takeMessage } from './messages.ts';
import { isRecord, listOf } from '../../model/model.ts';

/**
 * OpenAI chat messages: an element is a message, a list of messages, or an object with a list `messages`. Each list
 * is a separate conversation, named by the object's id, or else by the file and its position: `name`, `name:2` …
 */
export function* readOpenAi(element: unknown, at: Place, intake: Intake): Generator<ImportItem> {
  const fallback = intake.defaultConversationId;
  if (!isRecord(element)) {
    yield* readList(element, at, intake, numbered(fallback, at.ordinal));
  } else if ('messages' in element) {
    const id = idText(element['conversation_id']) ?? idText(element['id']);
    yield* readList(element['messages'], at, intake, id ?? numbered(fallback, at.ordinal));
  } else yield* takeMessage(element, at, intake, fallback);
}

function numbered(name: string, ordinal: number): string {
  return ordinal === 1 ? name : `${name}:${ordinal}`;
}

function* readList(list: unknown, at: Place, intake: Intake, conversationId: string): Generator<ImportItem> {
  if (!Array.isArray(list)) {
    yield intake.takeUnreadable('It is neither a message nor a list of messages.', at);
    return;
  }
  for (const [index, message] of listOf(list).entries()) {
    const place = { ...at, place: `${at.place}, message ${index + 1}` };
    yield* takeMessage(isRecord(message) ? message : {}, place, intake, conversationId);
  }
}
