import { DayBuffer } from './days.ts';
import { scalarMeta, type ImportItem, type Intake, type Place } from './intake.ts';

/** The columns of the backup that the common scripts make of a Replika chat. */
const COLUMNS = ['timestamp', 'from', 'text', 'reaction', 'id'];

export function isReplikaHeader(header: readonly string[]): boolean {
  const names = header.map((name) => name.trim().toLowerCase());
  return COLUMNS.every((name) => names.includes(name)) && names.length === COLUMNS.length;
}

/** A Replika backup, newest first: `Timestamp,From,Text,Reaction,ID`. Each day (in UTC) is a conversation. */
export class ReplikaReader {
  readonly #buffer: DayBuffer;
  readonly #intake: Intake;

  constructor(intake: Intake) {
    this.#intake = intake;
    this.#buffer = new DayBuffer(intake);
  }

  *read(row: Record<string, unknown>, at: Place): Generator<ImportItem> {
    const { Timestamp: time, From: from, Text: text, Reaction: reaction, ID: sourceId } = row;
    const instant = Date.parse(String(time));
    if (Number.isNaN(instant)) {
      yield this.#intake.takeUnreadable(
        `This time cannot be read: ${JSON.stringify(time)}.`,
        at,
        'INVALID_TIME',
      );
      return;
    }
    const isRep = String(from).trim().toLowerCase() === 'rep';
    const utterance = {
      conversationId: `replika-${new Date(instant).toISOString().slice(0, 10)}`,
      speaker: isRep ? 'ai' : 'user',
      // Line breaks are written as \n.
      text: String(text).replaceAll('\\n', '\n'),
      time,
      meta: scalarMeta({ sourceId, reaction: reaction === 'None' ? null : reaction }),
    };
    yield* this.#buffer.add(utterance, at, instant);
  }

  end(): Generator<ImportItem> {
    return this.#buffer.flush();
  }
}
