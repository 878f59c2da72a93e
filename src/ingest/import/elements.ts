import { createPiece } from './lines.ts';

export interface JsonElement {
  /** The line on which the element begins, from 1. */
  readonly line: number;
  /** Null: too long to be read. */
  readonly text: string | null;
  /** The file ends before the element or the array does; the text then is incomplete. */
  readonly isCutOff: boolean;
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/**
 * The elements of the JSON array in a file, one at a time: the file may be larger than memory, and a damaged
 * element does not invalidate those before it. A file that contains an object is its one element. Examines only
 * brackets, strings and commas; the reader of an element finds out whether it is valid JSON.
 */
export async function* splitElements(chunks: AsyncIterable<Buffer>): AsyncGenerator<JsonElement> {
  const scanner = new ElementScanner();
  for await (const chunk of chunks) yield* scanner.scan(chunk);
  yield* scanner.end();
}

class ElementScanner {
  readonly #piece = createPiece();
  #line = 1;
  #startLine = 1;
  #isInArray = false;
  #isInElement = false;
  #isInString = false;
  #isEscaped = false;
  /** The number of open brackets within the element. */
  #depth = 0;

  *scan(chunk: Buffer): Generator<JsonElement> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (byte === LINE_FEED) this.#line += 1;
      if (this.#isInString) this.#passInString(byte);
      else if (!this.#isInElement) {
        if (this.#begins(byte)) from = at;
      } else if (this.#depth === 0 && (byte === COMMA || isClosing(byte))) {
        if (byte !== COMMA) this.#isInArray = false;
        yield this.#take(chunk.subarray(from, at));
      } else if (this.#passInElement(byte)) yield this.#take(chunk.subarray(from, at + 1));
    }
    if (this.#isInElement) this.#piece.add(chunk.subarray(from));
  }

  *end(): Generator<JsonElement> {
    const isCutOff = this.#isInArray || this.#isInString || this.#depth > 0;
    if (!this.#isInElement) this.#startLine = this.#line;
    if (isCutOff || this.#isInElement) yield { ...this.#take(Buffer.alloc(0)), isCutOff };
  }

  /** Whether an element begins with this byte, which is outside of any element. */
  #begins(byte: number): boolean {
    if (byte === COMMA || byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) return false;
    if (isClosing(byte)) this.#isInArray = false;
    else if (byte === 0x5b && !this.#isInArray) this.#isInArray = true;
    else {
      this.#isInElement = true;
      this.#startLine = this.#line;
      this.#passInElement(byte);
      return true;
    }
    return false;
  }

  /** Whether this byte ends the element. */
  #passInElement(byte: number): boolean {
    if (byte === QUOTE) this.#isInString = true;
    else if (byte === 0x5b || byte === 0x7b) this.#depth += 1;
    else if (isClosing(byte)) {
      this.#depth -= 1;
      return this.#depth === 0;
    }
    return false;
  }

  #passInString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
  }

  #take(bytes: Buffer): JsonElement {
    this.#piece.add(bytes);
    this.#isInElement = false;
    return { line: this.#startLine, text: this.#piece.take(), isCutOff: false };
  }
}

function isClosing(byte: number): boolean {
  return byte === 0x5d || byte === 0x7d;
}
