import { memoryExists, openExport } from '../engine/engine.ts';
import { readBytes } from './exportFile.ts';
import { argument } from './command.ts';
import { IMPORT_FLAGS, importFiles, type ImportFile } from './importRun.ts';
import { addSettingsCommand } from './settingsCommand.ts';

export const addImport = addSettingsCommand({
  name: 'import',
  about: 'Imports a file from “export”: unchanged turns, and derived units.',
  args: [argument('<file>', 'an export; for other formats see “ingest”')],
  flags: IMPORT_FLAGS,
  async run({ args: [file], settings, flags, setExitCode }) {
    const opened = await openExport(readBytes(file), file);
    // A new memory gets the time zone of the exported one.
    const isThere = await memoryExists(settings, settings.memoryId);
    const timeZone = settings.timeZone ?? (isThere ? undefined : opened.header.timeZone);
    const importFile: ImportFile = (memory, _, options) => opened.importInto(memory, options);
    await importFiles({ files: [file], settings: { ...settings, timeZone }, flags, importFile, setExitCode });
  },
});
