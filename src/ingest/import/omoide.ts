import { idText, scalarMeta, type ReadRecord } from './intake.ts';

/** One line of Omoide's own format: one turn. */
export const readOmoideLine: ReadRecord = function* (line, at, intake) {
  const { conv_id, session_id, turn_id, speaker, text, timestamp, ...rest } = line;
  const conversation = idText(conv_id);
  if (conversation === null) {
    yield intake.takeUnreadable('It has no conv_id.', at);
    return;
  }
  const session = idText(session_id);
  yield intake.take(
    {
      conversationId:
        session === null || session === conversation ? conversation : `${conversation}:${session}`,
      speaker,
      text,
      time: timestamp,
      meta: scalarMeta({ sourceId: idText(turn_id), ...rest }),
    },
    at,
  );
};
