import { Option } from 'commander';
import {
  detectFileFormat,
  IMPORT_FORMATS,
  isMemoryError,
  MemoryError,
  type ImportFormat,
  type IngestProblem,
  type IngestReport,
} from '../engine/engine.ts';
import { isExport } from './exportFile.ts';
import { addIntakeFlags, takeInFiles, type IntakeFlags, type TakeIn } from './intake.ts';
import type { AddCommand } from './command.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';

interface Flags extends SettingFlags, IntakeFlags {
  readonly format?: ImportFormat;
  readonly conversation?: string;
}

export const addIngest: AddCommand = (program, setExitCode) => {
  const command = program
    .command('ingest')
    .description('Takes in the conversations of files of any known form.')
    .argument('<file...>', 'files to read; taking one in again adds only what is new')
    .addOption(
      new Option('--format <name>', 'the form of the files (default: told from each)').choices(
        IMPORT_FORMATS,
      ),
    )
    .option('--conversation <id>', "the conversation of messages that name none (default: the file's name)");
  addSettings(addIntakeFlags(command)).action(async (files: string[], flags: Flags) => {
    const unreadable = await findUnreadable(files, flags.format);
    const takeIn: TakeIn = (memory, file, options) => {
      const problem = unreadable.get(file);
      if (problem) return Promise.resolve(reportOf(problem));
      return memory.admin.importFile(file, {
        ...options,
        ...(flags.format && { format: flags.format }),
        ...(flags.conversation !== undefined && { conversationId: flags.conversation }),
      });
    };
    await takeInFiles(files, readSettings(flags), flags, takeIn, setExitCode);
  });
};

/**
 * The files that cannot be read at all, looked for before a memory is made for nothing.
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT when that is all of them
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
  if (await isExport(file)) {
    throw new MemoryError('UNKNOWN_FORMAT', `${file} is an export of Omoide, taken in with “omoide import”.`);
  }
  if (format === undefined) await detectFileFormat(file);
}

function reportOf(error: MemoryError): IngestReport {
  const problem: IngestProblem = { place: 'the file', line: null, code: error.code, reason: error.message };
  return { read: 0, added: 0, known: 0, problems: [problem], elapsedMs: 0 };
}
