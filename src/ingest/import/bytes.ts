import { isUtf8 } from 'node:buffer';

/** The most bytes of one line, one CSV record or one element of a JSON array; longer ones are skipped. */
export const MAX_PIECE_BYTES = 268_435_456;

const UTF16_LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
/** A byte that never occurs in UTF-8, so that decoding reports the text as invalid. */
const NOT_UTF8 = Buffer.of(0xff);

/** The bytes of a text file as UTF-8 without a byte order mark, in chunks. UTF-16 is recognised by its mark. */
export async function* readUtf8(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = toGenerator(bytes);
  const first = await chunks.next();
  if (first.done) return;
  const start = first.value;
  const mark = start.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') yield* utf16ToUtf8(start.subarray(2), chunks, mark === 'feff');
  else {
    yield start.subarray(0, 3).toString('hex') === 'efbbbf' ? start.subarray(3) : start;
    yield* chunks;
  }
}

/** Wraps an iteration so that it can be started manually and continued, and closes its source when it is left early. */
async function* toGenerator(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* bytes;
}

async function* utf16ToUtf8(
  first: Buffer,
  rest: AsyncIterable<Buffer>,
  bigEndian: boolean,
): AsyncGenerator<Buffer> {
  let carry: Buffer = Buffer.alloc(0);
  let highSurrogate = '';
  for await (const chunk of prepend(first, rest)) {
    const bytes = Buffer.concat([carry, chunk]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 2));
    carry = bytes.subarray(whole.length);
    let text = highSurrogate + (bigEndian ? Buffer.from(whole).swap16() : whole).toString('utf16le');
    highSurrogate = /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? '';
    if (highSurrogate !== '') text = text.slice(0, -1);
    yield encodeUtf8(text);
  }
  if (highSurrogate !== '' || carry.length > 0) yield NOT_UTF8;
}

async function* prepend(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function encodeUtf8(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const pieces = text.split(UTF16_LONE_SURROGATE).flatMap((piece) => [NOT_UTF8, Buffer.from(piece)]);
  return Buffer.concat(pieces.slice(1));
}

/**
 * Decodes UTF-8. A byte that is not UTF-8 becomes the lone surrogate U+DC00 + byte: it is not lost, and not
 * mistaken for text, since text that is kept word for word must not contain it.
 */
export function decodeUtf8(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString() : decodeInvalidUtf8(bytes);
}

/** The inverse of {@link decodeUtf8}. */
export function encodeUtf8Bytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const pieces = text.split(/((?<![\uD800-\uDBFF])[\uDC80-\uDCFF])/);
  return Buffer.concat(
    pieces.map((piece, index) =>
      index % 2 === 1 ? Buffer.of(piece.charCodeAt(0) - 0xdc00) : Buffer.from(piece),
    ),
  );
}

/** Whether a text contains invalid bytes as {@link decodeUtf8} represents them. */
export function holdsInvalidBytes(text: string): boolean {
  return !text.isWellFormed() && /(?<![\uD800-\uDBFF])[\uDC80-\uDCFF]/.test(text);
}

function decodeInvalidUtf8(bytes: Buffer): string {
  let text = '';
  let validFrom = 0;
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      text += bytes.toString('utf8', validFrom, at) + String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
      validFrom = at + 1;
    }
    at += Math.max(1, length);
  }
  return text + bytes.toString('utf8', validFrom);
}

/** The number of bytes of the character at `at`; 0 when it is invalid. */
function characterLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const character = bytes.subarray(at, at + length);
  return character.length === length && isUtf8(character) ? length : 0;
}
