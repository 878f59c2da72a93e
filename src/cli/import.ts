import { memoryExists, openExport } from '../engine/engine.ts';
import { readBytes } from './exportFile.ts';
import { addIntakeFlags, takeInFiles, type IntakeFlags, type TakeIn } from './intake.ts';
import type { AddCommand } from './command.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';

interface Flags extends SettingFlags, IntakeFlags {}

export const addImport: AddCommand = (program, setExitCode) => {
  const command = program
    .command('import')
    .description('Imports a file from “export”: unchanged turns, and derived units.')
    .argument('<file>', 'an export; for other formats see “ingest”');
  addSettings(addIntakeFlags(command)).action(async (file: string, flags: Flags) => {
    const opened = await openExport(readBytes(file), file);
    const settings = readSettings(flags);
    // A new memory gets the time zone of the exported one.
    const isThere = await memoryExists(settings, settings.memoryId);
    const timeZone = settings.timeZone ?? (isThere ? undefined : opened.header.timeZone);
    const takeIn: TakeIn = (memory, _, options) => opened.takeInto(memory, options);
    await takeInFiles({
      files: [file],
      settings: { ...settings, timeZone },
      flags,
      takeIn,
      setExitCode,
    });
  });
};
