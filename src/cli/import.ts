import {
  MemoryError,
  type IngestProblem,
  type IngestReport,
  type Memory,
  type NewTurn,
} from '../engine/engine.ts';
import { readExport, type ExportEnd, type ExportHeader } from './exportForm.ts';
import { takeInFiles, type IntakeFlags, type TakeIn } from './intake.ts';
import { memoryExists } from './opening.ts';
import type { AddCommand } from './command.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';

interface Flags extends SettingFlags, IntakeFlags {}

export const addImport: AddCommand = (program, setExitCode) => {
  const command = program
    .command('import')
    .description('Takes in what “export” wrote, turn for turn as it was.')
    .argument('<file>', 'an export; for other forms see “ingest”')
    .option('--no-embed', 'leave the vectors for later')
    .option('--json', 'print the report as JSON');
  addSettings(command).action(async (file: string, flags: Flags) => {
    const header = await readHeader(file);
    const settings = readSettings(flags);
    // A memory that is made now keeps the clock by which the exported one was lived.
    const timeZone = settings.timeZone ?? (memoryExists(settings) ? undefined : header.timeZone);
    await takeInFiles([file], { ...settings, timeZone }, flags, takeInExport, setExitCode);
  });
};

async function readHeader(file: string): Promise<ExportHeader> {
  for await (const item of readExport(file)) if (item.type === 'header') return item.header;
  throw new MemoryError('UNKNOWN_FORMAT', `${file} is empty.`);
}

const takeInExport: TakeIn = async (memory, file, options) => {
  const wasEmpty = (await memory.info()).turns === 0;
  const reading = new ExportReading(file);
  const report = await memory.ingestConversation(reading.turns(), options);
  const problems = reading.settleProblems(report, options.signal.aborted);
  if (wasEmpty && reading.end && problems.length === 0 && !options.signal.aborted) {
    await checkChain(memory, file, reading.end);
  }
  return { ...report, read: report.read + reading.unreadable, problems };
};

/** Reads the turns of an export and remembers what could not be read, and where each turn stood. */
class ExportReading {
  end: ExportEnd | null = null;
  readonly #file: string;
  readonly #problems: IngestProblem[] = [];
  readonly #lineOfTurn: number[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  get unreadable(): number {
    return this.#problems.length;
  }

  async *turns(): AsyncGenerator<NewTurn> {
    for await (const item of readExport(this.#file)) {
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
async function checkChain(memory: Memory, file: string, end: ExportEnd): Promise<void> {
  let chainHead = '';
  for await (const turn of memory.readTurns()) ({ chainHash: chainHead } = turn);
  if (chainHead === end.chainHead) return;
  throw new MemoryError(
    'CHAIN_BROKEN',
    `Every turn of ${file} went in, but they are not those that were exported: the file was changed since.`,
  );
}
