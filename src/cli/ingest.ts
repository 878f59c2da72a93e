import { statSync } from 'node:fs';
import {
  DATE_ORDERS,
  defined,
  detectFileFormat,
  IMPORT_FORMATS,
  isMemoryError,
  MemoryError,
  type ImportFormat,
  type IngestProblem,
  type IngestReport,
} from '../engine/engine.ts';
import { argument, flag } from './command.ts';
import { EXIT } from './exit.ts';
import { isExport } from './exportFile.ts';
import { askForUser, printPreviews, type ReadingOptions } from './importPreview.ts';
import { IMPORT_FLAGS, importFiles, type ImportFile } from './importRun.ts';
import { addSettingsCommand } from './settingsCommand.ts';
import { printNote } from './terminal.ts';
import { followChanges } from './watching.ts';

export const addIngest = addSettingsCommand({
  name: 'ingest',
  about: 'Imports conversations: exports of chat programs, folders of them, ZIP archives.',
  args: [argument('<path...>', 'files, folders or ZIP archives; importing one again adds only new turns')],
  flags: [
    flag('--format <name>', 'the format of the files (default: detected for each)', {
      choices: IMPORT_FORMATS,
    }),
    flag('--conversation <id>', "the conversation id of messages without one (default: the file's name)"),
    flag('--me <name>', 'your name in the files; repeat the option for several names', {
      parse: (name: string, before: readonly string[] = []) => [...before, name],
    }),
    flag('--date-order <order>', 'how to read dates such as 5/1/24 (default: detected from the file)', {
      choices: DATE_ORDERS,
    }),
    flag('--dry-run', 'show what would be imported, and store nothing'),
    flag('--watch', 'keep importing changes of the files and folders, until Ctrl-C'),
    ...IMPORT_FLAGS,
  ],
  async run({ args: [paths], settings, flags, setExitCode }) {
    const { format, conversation: conversationId, dateOrder } = flags;
    const unreadable = await findUnreadable(paths, format);
    const reading = { format, conversationId, me: flags.me, dateOrder };
    const readable = paths.filter((path) => !unreadable.has(path));
    if (flags.dryRun) {
      const timeZone = settings.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
      await printPreviews(readable, { ...reading, timeZone }, flags);
      for (const error of unreadable.values()) printNote(error.message);
      return setExitCode(unreadable.size > 0 ? EXIT.incomplete : EXIT.ok);
    }
    const me = flags.me ?? (flags.json ? [] : await askForUser(readable, reading));
    const importFile = (broken: ReadonlyMap<string, MemoryError>) =>
      importFiles({
        files: paths,
        settings,
        flags,
        setExitCode,
        importFile: importing({ ...reading, me }, broken),
      });
    await importFile(unreadable);
    if (!flags.watch) return;
    await followChanges(paths, async () => importFile(await findUnreadable(paths, format)));
    setExitCode(EXIT.ok);
  },
});

/** Returns the function that imports one file; errors in a file are reported. */
function importing(reading: ReadingOptions, unreadable: ReadonlyMap<string, MemoryError>): ImportFile {
  return (memory, file, options) => {
    const problem = unreadable.get(file);
    if (problem) return Promise.resolve(reportOf(problem));
    return memory.admin.importFile(file, { ...options, ...defined(reading) });
  };
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
