import { statSync } from 'node:fs';
import { Option } from 'commander';
import {
  DATE_ORDERS,
  detectFileFormat,
  IMPORT_FORMATS,
  isMemoryError,
  MemoryError,
  type DateOrder,
  type ImportFormat,
  type IngestProblem,
  type IngestReport,
} from '../engine/engine.ts';
import { isExport } from './exportFile.ts';
import { askWhoIsMe, printPreviews, type ReadingOptions } from './importPreview.ts';
import { addIntakeFlags, takeInFiles, type IntakeFlags, type TakeIn } from './intake.ts';
import type { AddCommand } from './command.ts';
import { EXIT } from './exit.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { printNote } from './terminal.ts';
import { followChanges } from './watching.ts';

interface Flags extends SettingFlags, IntakeFlags {
  readonly format?: ImportFormat;
  readonly conversation?: string;
  readonly me?: readonly string[];
  readonly dateOrder?: DateOrder;
  readonly dryRun?: true;
  readonly watch?: true;
}

export const addIngest: AddCommand = (program, setExitCode) => {
  const command = program
    .command('ingest')
    .description('Imports conversations: exports of chat programs, folders of them, ZIP archives.')
    .argument('<path...>', 'files, folders or ZIP archives; importing one again adds only new turns')
    .addOption(
      new Option('--format <name>', 'the format of the files (default: detected for each)').choices(
        IMPORT_FORMATS,
      ),
    )
    .option('--conversation <id>', "the conversation id of messages without one (default: the file's name)")
    .option('--me <name>', 'your name in the files; repeat the option for several names', collect)
    .addOption(
      new Option(
        '--date-order <order>',
        'how to read dates such as 5/1/24 (default: detected from the file)',
      ).choices(DATE_ORDERS),
    )
    .option('--dry-run', 'show what would be imported, and store nothing')
    .option('--watch', 'keep importing changes of the files and folders, until Ctrl-C');
  addSettings(addIntakeFlags(command)).action(async (paths: string[], flags: Flags) => {
    const settings = readSettings(flags);
    const unreadable = await findUnreadable(paths, flags.format);
    const reading = readingOptions(flags);
    const readable = paths.filter((path) => !unreadable.has(path));
    if (flags.dryRun) {
      const timeZone = settings.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
      await printPreviews(readable, { ...reading, timeZone }, flags);
      for (const error of unreadable.values()) printNote(error.message);
      return setExitCode(unreadable.size > 0 ? EXIT.incomplete : EXIT.ok);
    }
    const me = flags.me ?? (flags.json ? [] : await askWhoIsMe(readable, reading));
    const intake = { files: paths, settings, flags, setExitCode };
    await takeInFiles({ ...intake, takeIn: importing({ ...flags, me }, unreadable) });
    if (!flags.watch) return;
    await followChanges(paths, async () => {
      const broken = await findUnreadable(paths, flags.format);
      await takeInFiles({ ...intake, takeIn: importing({ ...flags, me }, broken) });
    });
    setExitCode(EXIT.ok);
  });
};

/** Returns the function that imports one file; errors in a file are reported. */
function importing(
  { format, conversation, dateOrder, me = [] }: Flags,
  unreadable: ReadonlyMap<string, MemoryError>,
): TakeIn {
  return (memory, file, options) => {
    const problem = unreadable.get(file);
    if (problem) return Promise.resolve(reportOf(problem));
    return memory.admin.importFile(file, {
      ...options,
      me,
      ...(format && { format }),
      ...(conversation !== undefined && { conversationId: conversation }),
      ...(dateOrder && { dateOrder }),
    });
  };
}

function collect(name: string, before: readonly string[] = []): string[] {
  return [...before, name];
}

function readingOptions({ format, conversation, me, dateOrder }: Flags): ReadingOptions {
  return { format, conversationId: conversation, me, dateOrder };
}

/**
 * Finds unreadable files before a memory is created.
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT when no file is readable
 */
async function findUnreadable(
  files: readonly string[],
  format: ImportFormat | undefined,
): Promise<Map<string, MemoryError>> {
  const unreadable = new Map<string, MemoryError>();
  for (const file of files) {
    try {
      await checkFile(file, format);
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      unreadable.set(file, error);
    }
  }
  const [first] = unreadable.values();
  if (first && files.every((file) => unreadable.has(file))) throw first;
  return unreadable;
}

async function checkFile(file: string, format: ImportFormat | undefined): Promise<void> {
  const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder && (await isExport(file))) {
    throw new MemoryError('UNKNOWN_FORMAT', `${file} is an export of Omoide; use “omoide import”.`);
  }
  if (format === undefined) await detectFileFormat(file);
}

function reportOf(error: MemoryError): IngestReport {
  const problem: IngestProblem = { place: 'the file', line: null, code: error.code, reason: error.message };
  return { read: 0, added: 0, known: 0, problems: [problem], remarks: [], elapsedMs: 0 };
}
