import { decodeUtf8, MAX_PIECE_BYTES } from './bytes.ts';

export interface TextLine {
  /** From 1. */
  readonly line: number;
  /** Without the line feed, but with a carriage return before it. Null: the line is too long to be read. */
  readonly text: string | null;
}

/** The lines of UTF-8 bytes, one at a time. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<TextLine> {
  const pending = createPiece();
  let line = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      pending.add(chunk.subarray(from, end));
      yield { line, text: pending.take() };
      line += 1;
      from = end + 1;
    }
    pending.add(chunk.subarray(from));
  }
  if (!pending.isEmpty()) yield { line, text: pending.take() };
}

/** Collects bytes from several chunks, up to {@link MAX_PIECE_BYTES}; drops what exceeds that. */
export function createPiece() {
  let parts: Buffer[] = [];
  let length = 0;
  return {
    isEmpty: () => length === 0,
    add(bytes: Buffer): void {
      length += bytes.length;
      if (length > MAX_PIECE_BYTES) parts = [];
      else if (bytes.length > 0) parts.push(bytes);
    },
    /** Returns the collected text, null when it was too long, and resets the collector. */
    take(): string | null {
      const [first, ...more] = parts;
      const whole = first && more.length === 0 ? first : Buffer.concat(parts);
      const text = length > MAX_PIECE_BYTES ? null : decodeUtf8(whole);
      parts = [];
      length = 0;
      return text;
    },
  };
}
