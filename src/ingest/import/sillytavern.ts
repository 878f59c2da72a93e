import { scalarMeta, type ReadRecord } from './intake.ts';
import { textOrMedia } from './media.ts';
import { isRecord } from '../../model/model.ts';

/**
 * One line of a SillyTavern chat file: a message, or the header, which is skipped. The person becomes `user`; a
 * character keeps its name. Messages hidden from the model are read; the program's own notices are not.
 */
export const readSillyTavernLine: ReadRecord = function* (line, at, intake) {
  const conversationId = intake.defaultConversationId;
  if (!('mes' in line) && ('chat_metadata' in line || 'user_name' in line)) {
    intake.begin(conversationId, line['create_date']);
    return;
  }
  if (isNotice(line)) return;
  const { name, is_user, mes, send_date } = line;
  const extra = isRecord(line['extra']) ? line['extra'] : {};
  yield intake.take(
    {
      conversationId,
      speaker: is_user === true ? 'user' : name,
      text: textOrMedia(mes, extra['image'] ? [{ kind: 'image' }] : []),
      time: send_date,
      meta: scalarMeta({ name, model: extra['model'], image: extra['image'] ? true : null }),
    },
    at,
  );
};

function isNotice({ is_system, name, extra }: Record<string, unknown>): boolean {
  if (is_system !== true) return false;
  return name === 'SillyTavern System' || (isRecord(extra) && typeof extra['type'] === 'string');
}
