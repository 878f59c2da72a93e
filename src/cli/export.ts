import { once } from 'node:events';
import { statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { MemoryError, type Memory } from '../engine/engine.ts';
import { EXIT } from './exit.ts';
import { formatEnd, formatHeader, formatTurn, type ExportEnd } from './exportForm.ts';
import { interruptible } from './interrupt.ts';
import { openExisting, using } from './opening.ts';
import { createOriginReader } from './origins.ts';
import type { AddCommand } from './command.ts';
import { createProgress } from './progress.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { countOf, printJson, printLines, printNote } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly json?: true;
}

const LINES_PER_PAGE = 500;

export const addExport: AddCommand = (program, setExitCode) => {
  const command = program
    .command('export')
    .description('Writes every turn, word for word, to a file that “import” reads.')
    .argument('[file]', 'where to; - or nothing for standard output')
    .option('--json', 'with a file: print what was written as JSON');
  addSettings(command).action(async (file: string | undefined, flags: Flags) => {
    await using(await openExisting(readSettings(flags), { embeds: false }), async (memory) => {
      const isStdout = file === undefined || file === '-';
      const end = await interruptible((signal) => {
        const pages = exportPages(memory, signal);
        return isStdout ? writeAll(pages, writeStdout) : writeFile(pages, file);
      });
      if (end === null) {
        setExitCode(EXIT.interrupted);
        return printNote('interrupted; nothing whole was exported.');
      }
      await noteWhatIsLeftOut(memory);
      if (isStdout) return;
      if (flags.json) printJson({ file, ...end });
      else printLines([`${countOf(end.turns, 'turn')} written to ${file}.`]);
    });
  });
};

/** The text of the export, piece by piece. Returns what its last line says, or null when interrupted. */
type Pages = AsyncGenerator<string, ExportEnd | null>;

async function* exportPages(memory: Memory, signal: AbortSignal): Pages {
  const { turns: total } = await memory.info();
  const origins = createOriginReader(memory);
  const progress = createProgress('Exporting', 'turns');
  let lines = [formatHeader(memory, new Date())];
  let turns = 0;
  let chainHead = '';
  for await (const turn of memory.readTurns()) {
    lines.push(formatTurn(turn, await origins.read(turn.id)));
    turns += 1;
    chainHead = turn.chainHash;
    if (lines.length < LINES_PER_PAGE) continue;
    progress.update(turns, total);
    yield joinLines(lines);
    if (signal.aborted) return null;
    lines = [];
  }
  progress.clear();
  yield joinLines([...lines, formatEnd({ turns, chainHead })]);
  return { turns, chainHead };
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

async function writeAll(pages: Pages, write: (text: string) => Promise<unknown>): Promise<ExportEnd | null> {
  for (;;) {
    const page = await pages.next();
    if (page.done) return page.value;
    await write(page.value);
  }
}

async function writeStdout(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/**
 * Writes beside the file and puts it in its place when it is whole: a file that was there is not lost to an export that fails.
 * @throws MemoryError READ_ONLY, DISK_FULL
 */
async function writeFile(pages: Pages, path: string): Promise<ExportEnd | null> {
  // A device or a pipe is written to as it is; putting a file in its place would take it away.
  const isOrdinary = statSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  const written = isOrdinary ? `${path}.${process.pid}.tmp` : path;
  try {
    const handle = await open(written, 'w');
    let end: ExportEnd | null;
    try {
      end = await writeAll(pages, (text) => handle.writeFile(text));
      if (isOrdinary) await handle.sync();
    } finally {
      await handle.close();
    }
    if (isOrdinary && end !== null) await rename(written, path);
    return end;
  } catch (cause) {
    throw writingFailed(cause, path);
  } finally {
    if (isOrdinary) await rm(written, { force: true });
  }
}

function writingFailed(cause: unknown, path: string): unknown {
  if (!(cause instanceof Error) || !('syscall' in cause)) return cause;
  const code = 'code' in cause && cause.code === 'ENOSPC' ? 'DISK_FULL' : 'READ_ONLY';
  return new MemoryError(code, `${path} cannot be written: ${cause.message}`, { cause });
}

async function noteWhatIsLeftOut(memory: Memory): Promise<void> {
  const { units } = await memory.info();
  const others = Object.values(units).reduce((sum, count) => sum + count, 0) - units.episode;
  if (others > 0) printNote(`an export holds turns alone: ${countOf(others, 'other unit')} were left out.`);
}
