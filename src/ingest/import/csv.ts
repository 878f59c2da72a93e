import type { TextLine } from './lines.ts';

export interface CsvRecord {
  /** The line on which the record begins, from 1. */
  readonly line: number;
  /** Null: a quote in the record is never closed. */
  readonly cells: readonly string[] | null;
}

/** Four times the maximum text of a turn: a longer record contains a quote that was never closed. */
const MAX_RECORD_LENGTH = 4_194_304;

/**
 * The records of a CSV file (RFC 4180; a quote in a cell that does not begin with one is literal). A quote that is
 * never closed would include the rest of the file: the line that opened it is skipped, and reading continues with
 * the next line.
 */
export async function* parseCsv(
  lines: AsyncIterable<TextLine>,
  delimiter: string,
): AsyncGenerator<CsvRecord> {
  const reader = new RecordReader(delimiter);
  for await (const line of lines) yield* reader.read(line);
  yield* reader.end();
}

/** The cells of a single line. */
export function parseCsvLine(line: string, delimiter: string): readonly string[] {
  return new RecordParser(delimiter).parse(line) ?? [];
}

class RecordReader {
  readonly #delimiter: string;
  #parser: RecordParser;
  /** The lines of an incomplete record. */
  #open: TextLine[] = [];
  #openLength = 0;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    this.#parser = new RecordParser(delimiter);
  }

  *read(line: TextLine): Generator<CsvRecord> {
    if (this.#open.length === 0 && line.text?.trim() === '') return;
    this.#open.push(line);
    this.#openLength += 1 + (line.text?.length ?? Infinity);
    if (this.#openLength > MAX_RECORD_LENGTH) {
      yield* this.#giveUpFirstLine();
      return;
    }
    const cells = this.#parser.parse(line.text ?? '');
    if (cells) yield { line: this.#close()[0]!.line, cells };
  }

  *end(): Generator<CsvRecord> {
    while (this.#open.length > 0) yield* this.#giveUpFirstLine();
  }

  *#giveUpFirstLine(): Generator<CsvRecord> {
    const [first, ...rest] = this.#close();
    if (first) yield { line: first.line, cells: null };
    for (const line of rest) yield* this.read(line);
  }

  #close(): TextLine[] {
    const lines = this.#open;
    this.#open = [];
    this.#openLength = 0;
    this.#parser = new RecordParser(this.#delimiter);
    return lines;
  }
}

/** Reads one record, line by line. */
class RecordParser {
  readonly #delimiter: string;
  readonly #cells: string[] = [];
  #cell = '';
  #isInQuotes = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** The cells, or null when a quoted cell continues on the next line. */
  parse(line: string): readonly string[] | null {
    let at = 0;
    for (;;) {
      if (this.#isInQuotes || (this.#cell === '' && line[at] === '"')) {
        at = this.#parseQuoted(line, this.#isInQuotes ? at : at + 1);
        if (this.#isInQuotes) return null;
      }
      const end = line.indexOf(this.#delimiter, at);
      this.#cells.push(
        this.#cell + line.slice(at, end < 0 ? undefined : end).replace(end < 0 ? /\r$/ : '', ''),
      );
      this.#cell = '';
      if (end < 0) return this.#cells;
      at = end + this.#delimiter.length;
    }
  }

  /** Reads a quoted part from `at` on and returns its end. The quote may continue on the next line. */
  #parseQuoted(line: string, at: number): number {
    this.#isInQuotes = true;
    for (;;) {
      const quote = line.indexOf('"', at);
      this.#cell += line.slice(at, quote < 0 ? undefined : quote);
      if (quote < 0) {
        this.#cell += '\n';
        return line.length;
      }
      if (line[quote + 1] !== '"') {
        this.#isInQuotes = false;
        return quote + 1;
      }
      this.#cell += '"';
      at = quote + 2;
    }
  }
}
