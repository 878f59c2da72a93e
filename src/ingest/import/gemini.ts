import { DayBuffer } from './days.ts';
import { htmlToText } from './html.ts';
import { scalarMeta, type ImportItem, type Intake, type Place } from './intake.ts';
import { mediaKindOf, textOrMedia, type Medium } from './media.ts';
import { isRecord, records, stringAt, type Fields, listOf } from '../../model/model.ts';

/** The text that Takeout writes before a prompt. */
const PROMPTED = /^(?:Prompted|Asked|Said|プロンプト[:：]|提示词[:：]|提示詞[:：])\s*/;

/**
 * Gemini's part of Google Takeout (`My Activity` as JSON), newest first. It does not say which prompts belong to
 * one chat, so the prompts of a day (in UTC) are one conversation.
 */
export class GeminiReader {
  readonly #buffer: DayBuffer;
  readonly #intake: Intake;

  constructor(intake: Intake) {
    this.#intake = intake;
    this.#buffer = new DayBuffer(intake);
  }

  *read(value: unknown, at: Place): Generator<ImportItem> {
    const time = isRecord(value) ? stringAt(value, 'time') : null;
    if (!isRecord(value) || time === null || Number.isNaN(Date.parse(time))) {
      yield this.#intake.takeUnreadable('It is not an activity with a time.', at);
      return;
    }
    const prompt = promptOf(value);
    const reply = replyOf(value);
    // Entries about feedback, settings, and other apps.
    if (prompt === null) return;
    const conversationId = `gemini-${time.slice(0, 10)}`;
    const instant = Date.parse(time);
    const meta = scalarMeta({ images: prompt.images || null });
    const asked = { conversationId, speaker: 'user', text: prompt.text, time, meta };
    yield* this.#buffer.add(asked, { ...at, place: `${at.place}, prompt` }, instant);
    if (reply === '') return;
    const answered = { conversationId, speaker: 'ai', text: reply, time };
    yield* this.#buffer.add(answered, { ...at, place: `${at.place}, reply` }, instant);
  }

  end(): Generator<ImportItem> {
    return this.#buffer.flush();
  }
}

function promptOf(activity: Fields): { text: unknown; images: number } | null {
  const title = stringAt(activity, 'title') ?? '';
  const hasReply = replyOf(activity) !== '';
  if (!PROMPTED.test(title) && !hasReply) return null;
  const media = mediaOf(activity);
  const words = title.replace(PROMPTED, '');
  if (words === '' && media.length === 0) return null;
  return { text: textOrMedia(words, media), images: media.filter(({ kind }) => kind === 'image').length };
}

function replyOf(activity: Fields): string {
  const html = records(activity['safeHtmlItem']).map((item) => stringAt(item, 'html') ?? '');
  return htmlToText(html.join('<p>'));
}

function mediaOf(activity: Fields): Medium[] {
  const names = [activity['imageFile'], ...listOf(activity['attachedFiles'])];
  return names.flatMap((name) => (typeof name === 'string' ? [{ kind: mediaKindOf(name), name }] : []));
}
