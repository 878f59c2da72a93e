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
import { isRecord, recordAt, records, stringAt, type Fields } from '../../model/model.ts';

interface CharacterMessage {
  readonly isUser: boolean;
  readonly name: string | null;
  readonly text: unknown;
  readonly time: unknown;
  readonly id: unknown;
}

/**
 * Chats of Character.AI as browser extensions save them: older ones as `histories` of `msgs`, newer ones as `turns`
 * with candidates, of which the chosen one is read. The person becomes `user`; a character keeps its name.
 */
export const readCharacterAi: ReadRecord = function* (value, at, intake) {
  const histories = records(recordAt(value, 'histories')['histories'] ?? value['histories']);
  if (histories.length > 0) {
    const character = personName(recordAt(recordAt(value, 'info'), 'character')['name']);
    for (const [index, history] of histories.entries()) {
      const id = idText(history['external_id']) ?? `${intake.defaultConversationId}:${index + 1}`;
      intake.begin(idPart(id), history['created']);
      yield* takeMessages(
        records(history['msgs']).map((message) => fromMessage(message, character)),
        id,
        at,
        intake,
      );
    }
    return;
  }
  const chats = Array.isArray(value['chats']) ? records(value['chats']) : [value];
  for (const chat of chats) yield* readTurns(chat, at, intake);
};

function* readTurns(chat: Fields, at: Place, intake: Intake): Generator<ImportItem> {
  // The service returns them newest first.
  const turns = records(chat['turns']).toSorted(
    (a, b) => Date.parse(String(a['create_time'])) - Date.parse(String(b['create_time'])),
  );
  const key = recordAt(turns[0] ?? {}, 'turn_key');
  const id = idText(key['chat_id']) ?? idText(chat['chat_id']) ?? intake.defaultConversationId;
  if (turns.length === 0) yield intake.takeUnreadable('It has no turns.', at);
  yield* takeMessages(turns.map(fromTurn), id, at, intake);
}

function fromMessage(message: Fields, character: string | null): CharacterMessage {
  const source = recordAt(message, 'src');
  const isUser = source['is_human'] === true;
  const name = personName(source['name']) ?? personName(recordAt(source, 'user')['username']) ?? character;
  return {
    isUser,
    name,
    text: message['text'],
    time: message['created'],
    id: idText(message['uuid'] ?? message['id']),
  };
}

function fromTurn(turn: Fields): CharacterMessage {
  const author = recordAt(turn, 'author');
  const candidates = records(turn['candidates']);
  const chosen =
    candidates.find(({ candidate_id }) => candidate_id === turn['primary_candidate_id']) ?? candidates[0];
  return {
    isUser: author['is_human'] === true,
    name: personName(author['name']),
    text: isRecord(chosen) ? chosen['raw_content'] : null,
    time: turn['create_time'],
    id: stringAt(recordAt(turn, 'turn_key'), 'turn_id'),
  };
}

function* takeMessages(
  said: readonly CharacterMessage[],
  id: string,
  at: Place,
  intake: Intake,
): Generator<ImportItem> {
  for (const [index, { isUser, name, text, time, id: sourceId }] of said.entries()) {
    const meta = scalarMeta({ sourceId, name: isUser ? name : null });
    const place = { ...at, place: `${at.place}, message ${index + 1}` };
    const speaker = isUser ? 'user' : (name ?? 'ai');
    yield intake.take({ conversationId: idPart(id), speaker, text, time, meta }, place);
  }
}
