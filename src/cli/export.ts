import { once } from 'node:events';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { open, rename, rm } from 'node:fs/promises';
import {
  exportMemory,
  MemoryError,
  PRIVATE_FILE,
  sweepTemporary,
  temporaryPath,
  type ExportEnd,
} from '../engine/engine.ts';
import { EXIT } from './exit.ts';
import { interruptible } from './interrupt.ts';
import { argument, flag } from './command.ts';
import { addMemoryCommand } from './settingsCommand.ts';
import { createProgress } from './progress.ts';
import { countOf, printNote } from './terminal.ts';

export const addExport = addMemoryCommand({
  name: 'export',
  about: 'Writes every turn, word for word, and all derived units, to a file for “import”.',
  args: [argument('[file]', 'output file; - or nothing for standard output')],
  flags: [
    flag('--force', 'replace an existing file'),
    flag('--json', 'with a file: print the report as JSON'),
  ],
  async run({ memory, args: [file = '-'], flags, setExitCode }) {
    const isStdout = file === '-';
    if (!isStdout && !flags.force) checkFree(file);
    const { turns: total } = await memory.admin.info();
    const progress = createProgress('Exporting', 'turns');
    const end = await interruptible((signal) => {
      const pages = exportMemory(memory, { signal, onProgress: (turns) => progress.update(turns, total) });
      return isStdout ? writeAll(pages, writeStdout) : writeFile(pages, file);
    });
    progress.clear();
    if (end === null) {
      setExitCode(EXIT.interrupted);
      return printNote('interrupted; the export is incomplete.');
    }
    if (isStdout) return;
    const others = end.others > 0 ? ` and ${countOf(end.others, 'line')} of what was learnt` : '';
    return { json: { file, ...end }, lines: [`${countOf(end.turns, 'turn')}${others} written to ${file}.`] };
  },
});

/** @throws MemoryError INVALID_INPUT */
function checkFree(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return;
  throw new MemoryError('INVALID_INPUT', `There is a file ${path} already; name a new one, or add --force.`);
}

type Pages = ReturnType<typeof exportMemory>;

/** Writes the text of the export piece by piece. Returns the data of its last line, or null when interrupted. */
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
 * Writes to a temporary file and renames it when it is complete, so that a failed export does not destroy an existing
 * file.
 * @throws MemoryError READ_ONLY, DISK_FULL
 */
async function writeFile(pages: Pages, path: string): Promise<ExportEnd | null> {
  // A device or a pipe is written directly; a rename would replace it.
  const isOrdinary = statSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  const written = isOrdinary ? temporaryPath(path) : path;
  if (isOrdinary) sweepTemporary(dirname(path));
  try {
    const handle = await open(written, 'w', PRIVATE_FILE);
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

/** Converts an error of the file system to a MemoryError. */
export function writingFailed(cause: unknown, path: string): unknown {
  if (!(cause instanceof Error) || !('syscall' in cause)) return cause;
  const code = 'code' in cause && cause.code === 'ENOSPC' ? 'DISK_FULL' : 'READ_ONLY';
  return new MemoryError(code, `${path} cannot be written: ${cause.message}`, { cause });
}
