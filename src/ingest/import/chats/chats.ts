/** Reads chats exported as plain text. */
import { keysOf } from '../../../model/model.ts';
import { readUtf8 } from '../bytes.ts';
import { personName, scalarMeta, type ImportItem, type Intake, type Place } from '../intake.ts';
import { splitLines } from '../lines.ts';
import type { SourceFile } from '../source/source.ts';
import { parseClock } from './clock.ts';
import { DateOrderEvidence, toIsoDate, type DateOrder, type SettledOrder } from './dates.ts';
import type { ChatForm, MessageStart, WrittenDate } from './grammar.ts';
import { IMESSAGE_FORM } from './imessage.ts';
import { LINE_FORM } from './line.ts';
import { SIGNAL_FORM } from './signal.ts';
import { WECHAT_FORM } from './wechat.ts';
import { WHATSAPP_FORM } from './whatsapp.ts';

export { DATE_ORDERS, type DateOrder } from './dates.ts';

const FORMS = {
  line: LINE_FORM,
  whatsapp: WHATSAPP_FORM,
  signal: SIGNAL_FORM,
  imessage: IMESSAGE_FORM,
  wechat: WECHAT_FORM,
} as const satisfies Record<string, ChatForm>;
export type ChatFormName = keyof typeof FORMS;
export const CHAT_FORMS = keysOf(FORMS);

/** How many lines of a file are read to detect its format. */
const LINES_TRIED = 400;
/** At least this share of the lines with text must begin a message, even in chats with very long messages. */
const MIN_MESSAGE_SHARE = 0.05;

/** The format of a chat, detected from the beginning of its text; null when it is not a known chat format. */
export function detectChat(head: string): ChatFormName | null {
  const lines = head.split(/\r?\n/, LINES_TRIED).filter((line) => line.trim() !== '');
  let best: { name: ChatFormName; share: number } | null = null;
  for (const name of CHAT_FORMS) {
    const share = shareOfMessages(lines, FORMS[name]);
    if (share >= MIN_MESSAGE_SHARE && share > (best?.share ?? 0)) best = { name, share };
  }
  return best?.name ?? null;
}

function shareOfMessages(lines: readonly string[], form: ChatForm): number {
  const read = form.createReader();
  const starts = lines.filter((line) => read(line)?.type === 'message');
  return starts.length / Math.max(1, lines.length);
}

export interface ChatOptions {
  readonly form: ChatFormName;
  /** Default: derived from the whole file. */
  readonly dateOrder?: DateOrder | undefined;
}

/**
 * The messages of a chat. A line that does not begin a message continues the one before.
 * @throws MemoryError FILE_UNREADABLE; INVALID_TIME when the whole file does not show the order of day and month.
 */
export async function* readChat(
  file: SourceFile,
  intake: Intake,
  { form: name, dateOrder }: ChatOptions,
): AsyncGenerator<ImportItem> {
  const form = FORMS[name];
  const { order, remark } = await resolveDateOrder(file, form, dateOrder);
  if (remark !== null) yield intake.remark(remark);
  const reading = new ChatReading(form, order, intake);
  for await (const { line, text } of splitLines(readUtf8(file.bytes()))) {
    yield* reading.readLine(text, line);
  }
  yield* reading.end();
}

async function resolveDateOrder(
  file: SourceFile,
  form: ChatForm,
  given: DateOrder | undefined,
): Promise<SettledOrder> {
  if (given !== undefined) return { order: given, remark: null };
  const evidence = new DateOrderEvidence(file.modifiedAt);
  const read = form.createReader();
  for await (const { text } of splitLines(readUtf8(file.bytes()))) {
    const start = read((text ?? '').replace(/\r$/, ''));
    if (start && start.type !== 'notice' && start.date) evidence.add(start.date);
  }
  return evidence.settle();
}

interface OpenMessage {
  readonly start: MessageStart;
  readonly day: WrittenDate | null;
  readonly line: number;
  speaker: string | null;
  readonly lines: string[];
}

class ChatReading {
  readonly #form: ChatForm;
  readonly #read: (line: string) => ReturnType<ReturnType<ChatForm['createReader']>>;
  readonly #order: DateOrder;
  readonly #intake: Intake;
  #day: WrittenDate | null = null;
  #open: OpenMessage | null = null;

  constructor(form: ChatForm, order: DateOrder, intake: Intake) {
    this.#form = form;
    this.#read = form.createReader();
    this.#order = order;
    this.#intake = intake;
  }

  *readLine(raw: string | null, line: number): Generator<ImportItem> {
    if (raw === null) {
      yield this.#intake.takeUnreadable('The line is too long.', placeOf(line), 'TEXT_TOO_LONG');
      return;
    }
    const text = raw.replace(/\r$/, '');
    const start = this.#read(text);
    if (start === null) {
      this.#goOn(text);
      return;
    }
    yield* this.end();
    if (start.type === 'day') this.#day = start.date;
    if (start.type !== 'message') return;
    const { speaker, date } = start;
    const lines = speaker === null ? [] : [start.text];
    this.#open = { start, day: date ?? this.#day, line, speaker, lines };
  }

  *end(): Generator<ImportItem> {
    const open = this.#open;
    this.#open = null;
    if (open) yield* this.#take(open);
  }

  #goOn(text: string): void {
    if (!this.#open) return;
    if (this.#open.speaker === null) this.#open.speaker = text.trim();
    else this.#open.lines.push(text);
  }

  *#take({ start, day, line, speaker, lines }: OpenMessage): Generator<ImportItem> {
    const written = lines.join('\n').trimEnd();
    const { text, meta } = this.#form.finish?.(written) ?? { text: written };
    yield this.#intake.take(
      {
        conversationId: this.#intake.defaultConversationId,
        speaker: personName(speaker),
        text: text.trimEnd(),
        time: this.#timeOf(start, day),
        meta: scalarMeta(meta ?? {}),
      },
      placeOf(line),
    );
  }

  /** A date that does not exist is passed on as written; the intake reports it. */
  #timeOf({ clock }: MessageStart, day: WrittenDate | null): string | null {
    if (day === null) return null;
    const date = toIsoDate(day, this.#order) ?? ('numbers' in day ? day.numbers.join('/') : '');
    return `${date}T${parseClock(clock) ?? clock}`;
  }
}

function placeOf(line: number): Place {
  return { place: `line ${line}`, line, ordinal: line };
}
