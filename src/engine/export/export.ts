/** A memory’s turns as JSON Lines, and back. */
import { MemoryError, type NewTurn } from '../../model/model.ts';
import type { IngestOptions, IngestProblem, IngestReport } from '../../ingest/ingest.ts';
import type { Memory } from '../memory.ts';
import { formatEnd, formatHeader, formatTurn, readExport } from './form.ts';
import type { ExportEnd, ExportHeader, ExportItem } from './form.ts';
import { createOriginReader } from './origins.ts';

export { beginsExport, type ExportEnd, type ExportHeader } from './form.ts';

const LINES_PER_PIECE = 500;

/**
 * Every turn of a memory, word for word, piece by piece. Returns what the last line says, or null when the signal ended it.
 * @throws MemoryError NOT_FOUND when a turn has no episode
 */
export async function* exportMemory(
  memory: Memory,
  options: { readonly onProgress?: (turns: number) => void; readonly signal?: AbortSignal } = {},
): AsyncGenerator<string, ExportEnd | null> {
  const origins = createOriginReader(memory);
  let lines = [formatHeader(memory, new Date())];
  let turns = 0;
  let chainHead = '';
  for await (const turn of memory.conversations.turns()) {
    lines.push(formatTurn(turn, await origins.read(turn.id)));
    turns += 1;
    // Where turns were forgotten, those that are left make another chain.
    chainHead = turn.id === turns ? turn.chainHash : '';
    if (lines.length < LINES_PER_PIECE) continue;
    options.onProgress?.(turns);
    yield joinLines(lines);
    if (options.signal?.aborted) return null;
    lines = [];
  }
  yield joinLines([...lines, formatEnd({ turns, chainHead })]);
  return { turns, chainHead };
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** An export of which the header is read. */
export interface OpenExport {
  readonly header: ExportHeader;
  /**
   * Takes its turns in, once. What cannot be is reported, and the rest goes in.
   * @throws MemoryError CHAIN_BROKEN when the memory was empty and is not now what was exported
   */
  takeInto(memory: Memory, options?: IngestOptions): Promise<IngestReport>;
}

/**
 * @param name what it is called in errors: a file, `The body`
 * @throws MemoryError UNKNOWN_FORMAT, and whatever the reading of the bytes throws
 */
export async function openExport(bytes: AsyncIterable<Uint8Array>, name: string): Promise<OpenExport> {
  const items = readExport(bytes, name);
  const first = await items.next();
  if (first.done || first.value.type !== 'header') {
    throw new MemoryError('UNKNOWN_FORMAT', `${name} has no header.`);
  }
  return {
    header: first.value.header,
    takeInto: (memory, options = {}) => takeIn(memory, items, name, options),
  };
}

async function takeIn(
  memory: Memory,
  items: AsyncIterable<ExportItem>,
  name: string,
  options: IngestOptions,
): Promise<IngestReport> {
  const wasEmpty = (await memory.admin.info()).turns === 0;
  const reading = new ExportReading(items);
  const report = await memory.add(reading.turns(), options);
  const isInterrupted = options.signal?.aborted === true;
  const problems = reading.settleProblems(report, isInterrupted);
  if (wasEmpty && reading.end && problems.length === 0 && !isInterrupted) {
    await checkChain(memory, name, reading.end);
  }
  return { ...report, read: report.read + reading.unreadable, problems };
}

/** Reads the turns of an export and remembers what could not be read, and where each turn stood. */
class ExportReading {
  end: ExportEnd | null = null;
  readonly #items: AsyncIterable<ExportItem>;
  readonly #problems: IngestProblem[] = [];
  readonly #lineOfTurn: number[] = [];

  constructor(items: AsyncIterable<ExportItem>) {
    this.#items = items;
  }

  get unreadable(): number {
    return this.#problems.length;
  }

  async *turns(): AsyncGenerator<NewTurn> {
    for await (const item of this.#items) {
      if (item.type === 'problem') this.#problems.push(item.problem);
      else if (item.type === 'end') this.end = item.end;
      else if (item.type === 'turn') {
        this.#lineOfTurn.push(item.line);
        yield item.turn;
      }
    }
  }

  /** Every problem by its line, and one more when the export is not whole. */
  settleProblems(report: IngestReport, isInterrupted: boolean): IngestProblem[] {
    const placed = report.problems.map((problem) => {
      const line = this.#lineOfTurn[Number(/\d+$/.exec(problem.place)?.[0]) - 1] ?? null;
      return line === null ? problem : { ...problem, line, place: `line ${line}` };
    });
    const problems = [...this.#problems, ...placed].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
    if (this.end || isInterrupted) return problems;
    const reason = 'The last line of the export is missing: it was cut off.';
    return [...problems, { place: 'the end', line: null, code: 'INVALID_INPUT', reason }];
  }
}

/** @throws MemoryError CHAIN_BROKEN when what went in is not what was exported */
async function checkChain(memory: Memory, name: string, end: ExportEnd): Promise<void> {
  if (end.chainHead === '') return;
  let chainHead = '';
  for await (const turn of memory.conversations.turns()) ({ chainHash: chainHead } = turn);
  if (chainHead === end.chainHead) return;
  throw new MemoryError(
    'CHAIN_BROKEN',
    `Every turn of ${name} went in, but they are not those that were exported: the file was changed since.`,
  );
}
