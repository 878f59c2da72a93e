import PostalMime, { type Email } from 'postal-mime';
import { encodeUtf8Bytes, readUtf8 } from './bytes.ts';
import { htmlToText } from './html.ts';
import { idPart, personName, scalarMeta, type ImportItem, type Intake, type Place } from './intake.ts';
import { splitLines } from './lines.ts';
import { FROM_LINE } from './mbox.ts';
import { mediaKindOf, mediaMeta, textOrMedia } from './media.ts';
import type { SourceFile } from './source/source.ts';

const MAX_MAIL_LENGTH = 67_108_864;
const REPLY = /^(?:(?:re|aw|sv|fwd?|wg|回复|回覆|转发|轉寄|返信|転送)(?:\[\d+\])?\s*[:：]\s*)+/i;
/** The line that mail programs write above the message that they answer. */
const ATTRIBUTION =
  /^(?:On .+ wrote:|Am .+ schrieb .*:|Le .+ a écrit\s?:|.*\d{4}.*\d{1,2}:\d{2}.*(?:写道|寫道|wrote|のメール|のメッセージ)\s*[:：]?|-{2,}\s*(?:Original Message|元のメッセージ|原始邮件|原始郵件)\s*-{2,})$/i;

/** The mails of an mbox file. Mails with the same subject are one conversation; quoted lines are left out. */
export async function* readMbox(file: SourceFile, intake: Intake): AsyncGenerator<ImportItem> {
  let lines: string[] = [];
  let length = 0;
  let at = placeOf(1, 1);
  let number = 0;
  for await (const { line, text } of splitLines(readUtf8(file.bytes()))) {
    const isNew =
      text !== null && FROM_LINE.test(text) && (lines.length === 0 || lines.at(-1)?.trim() === '');
    if (isNew) {
      if (number > 0) yield* readMail(lines, length, at, intake);
      number += 1;
      at = placeOf(number, line);
      lines = [];
      length = 0;
      continue;
    }
    length += text?.length ?? Infinity;
    // A mail with too large attachments is reported; the rest of it is skipped.
    if (length <= MAX_MAIL_LENGTH) lines.push((text ?? '').replace(/^>(>*From )/, '$1'));
    else lines = [''];
  }
  if (number > 0) yield* readMail(lines, length, at, intake);
}

async function* readMail(
  lines: readonly string[],
  length: number,
  at: Place,
  intake: Intake,
): AsyncGenerator<ImportItem> {
  if (length > MAX_MAIL_LENGTH) {
    yield intake.takeUnreadable(
      `The mail is longer than ${MAX_MAIL_LENGTH} characters.`,
      at,
      'TEXT_TOO_LONG',
    );
    return;
  }
  const mail = await PostalMime.parse(encodeUtf8Bytes(lines.join('\n')));
  const media = mail.attachments.map(({ filename, mimeType }) => ({
    kind: mediaKindOf(mimeType),
    name: filename,
  }));
  const { images, attachments } = mediaMeta(media);
  const subject = mail.subject?.trim() ?? '';
  const meta = scalarMeta({
    sourceId: mail.messageId,
    conversationTitle: subject,
    address: mail.from?.address,
    images,
  });
  if (attachments.length > 0) meta['attachments'] = attachments;
  const thread = subject.replace(REPLY, '').trim();
  yield intake.take(
    {
      conversationId: thread === '' ? intake.defaultConversationId : idPart(thread),
      speaker: speakerOf(mail, intake),
      text: textOrMedia(withoutQuotes(mail.text ?? htmlToText(mail.html ?? '')), media) || subject,
      time: mail.date ?? null,
      meta,
    },
    at,
  );
}

/** `user` if the address belongs to the owner of the memory, else the sender's name. */
function speakerOf({ from }: Email, intake: Intake): string | null {
  const address = personName(from?.address);
  if (address !== null && intake.isMe(address)) return 'user';
  return personName(from?.name) ?? address;
}

function withoutQuotes(text: string): string {
  const lines = text.split(/\r?\n/);
  const kept = lines.filter((line, index) => {
    if (/^\s*>/.test(line)) return false;
    const next = lines.slice(index + 1).find((other) => other.trim() !== '') ?? '';
    return !(ATTRIBUTION.test(line.trim()) && (/^\s*>/.test(next) || /^-{2,}/.test(line.trim())));
  });
  return kept.join('\n').trim();
}

function placeOf(number: number, line: number): Place {
  return { place: `mail ${number}`, line, ordinal: number };
}
