import { Option } from 'commander';
import { noteWhatWasMissing } from './recall.ts';
import { openExisting, using } from './opening.ts';
import type { AddCommand } from './command.ts';
import { addRecallFlags, readInput, readRecallFlags, type RecallFlags } from './recallFlags.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { printJson, printLines } from './terminal.ts';
import type { PackOptions } from '../engine/engine.ts';

interface Flags extends SettingFlags, RecallFlags {
  readonly persona?: string;
  readonly contract?: string;
  readonly language?: NonNullable<PackOptions['language']>;
  readonly json?: true;
}

export const addPack: AddCommand = (program) => {
  const command = program
    .command('pack')
    .description("Prints the memory's part of a prompt for an utterance, within a token budget.")
    .argument('<utterance>', 'the current utterance')
    .option('--persona <file>', 'who the companion is; never shortened')
    .option('--contract <file>', 'the agreement between companion and user; never shortened')
    .addOption(
      new Option('--language <code>', "language of headings and reasons (default: the utterance's)").choices([
        'ja',
        'zh',
        'en',
      ]),
    )
    .option('--json', 'print the pack with its sections and the recall behind it as JSON');
  addSettings(addRecallFlags(command)).action(pack);
};

async function pack(utterance: string, flags: Flags): Promise<void> {
  const { opening, ...asked } = await readRecallFlags(flags);
  const options = {
    ...asked.options,
    ...(flags.persona !== undefined && { persona: await readInput(flags.persona) }),
    ...(flags.contract !== undefined && { contract: await readInput(flags.contract) }),
    ...(flags.language && { language: flags.language }),
  };
  await using(await openExisting(readSettings(flags), opening), async (memory) => {
    const result = await memory.pack(utterance, options);
    noteWhatWasMissing(result.recall);
    if (flags.json) printJson(result);
    else if (result.text !== '') printLines([result.text]);
  });
}
