import { parseClock } from './clock.ts';
import { parseWrittenDate } from './dates.ts';
import type { ChatForm, FinishedText, LineStart } from './grammar.ts';

const DATE = String.raw`\d{1,4}\s?[./-]\s?\d{1,2}\s?[./-]\s?\d{1,4}\.?`;
const CLOCK = String.raw`(?:午前|午後|上午|下午|凌晨|早上|中午|晚上|오전|오후)?\s?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[\s\u00A0\u202F]?[ap]\.?[\s\u00A0]?m\.?)?`;
/** Between date and time: `, `, ` `, in Finnish ` klo `, in German ` um `. */
const BETWEEN = String.raw`(?:,\s?|\s|\sklo\s|\sum\s|\sà\s)`;
/** iPhone: `[05/01/2024, 22:03:11] Anna: Hi`. The seconds are always there. */
const BRACKETED = new RegExp(String.raw`^\[(${DATE})${BETWEEN}(${CLOCK})\] (.*)$`, 'i');
/** Android: `05/01/2024, 22:03 - Anna: Hi`. */
const DASHED = new RegExp(String.raw`^(${DATE})${BETWEEN}(${CLOCK}) [-–] (.*)$`, 'i');
const SPEAKER = /^([^:]{1,100}): (.*)$/;
/** The program's own first message; on an iPhone under the name of the other person. */
const ENCRYPTED =
  /^(?:Messages and calls are end-to-end encrypted|メッセージと通話はエンドツーエンド|消息和通话(?:已|都)?.*端到端加密|訊息和通話.*端對端加密)/;
const MARKS = /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const EDITED = /\s*<(?:This message was edited|このメッセージは編集されました|此消息已编辑|此訊息已編輯)>$/;

/** WhatsApp's “Export chat”, from an iPhone or from Android, in any language. */
export const WHATSAPP_FORM: ChatForm = {
  name: 'whatsapp',
  createReader: () => parseLine,
  finish: finishText,
};

function parseLine(raw: string): LineStart | null {
  const line = raw.replaceAll(MARKS, '');
  const bracketed = BRACKETED.exec(line);
  const [, written = '', clock = '', rest = ''] = bracketed ?? DASHED.exec(line) ?? [];
  const date = parseWrittenDate(written.replaceAll(/\s/g, '').replace(/\.$/, ''));
  if (date === null || parseClock(clock) === null) return null;
  if (bracketed && !hasSeconds(clock)) return null;
  const [, speaker = null, text = ''] = SPEAKER.exec(rest) ?? SPEAKER.exec(`${rest} `) ?? [];
  return speaker === null || ENCRYPTED.test(text)
    ? { type: 'notice' }
    : { type: 'message', date, clock, speaker, text };
}

function hasSeconds(clock: string): boolean {
  return /\d[:.]\d{2}[:.]\d{2}/.test(clock);
}

function finishText(raw: string): FinishedText {
  const text = raw.replaceAll(MARKS, '').trimEnd();
  const isEdited = EDITED.test(text);
  return { text: isEdited ? text.replace(EDITED, '') : text, meta: { edited: isEdited || null } };
}
