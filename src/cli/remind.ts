import type { AddCommand } from './command.ts';
import { formatBundle } from './explorations.ts';
import { openExisting, using } from './opening.ts';
import { noteWhatWasMissing } from './recall.ts';
import { addRecallFlags, parseCount, readRecallFlags, type RecallFlags } from './recallFlags.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { countOf, printJson, printLines, style } from './terminal.ts';
import type { Bundle } from '../engine/engine.ts';

interface Flags extends SettingFlags, RecallFlags {
  readonly limit?: number;
  readonly json?: true;
}

export const addRemind: AddCommand = (program) => {
  const command = program
    .command('remind')
    .description('Shows what an utterance brings to mind: quoted turns, their topics, and the reasons.')
    .argument('<utterance>', 'the current utterance')
    .option('--limit <turns>', 'maximum number of turns (default: 10)', parseCount)
    .option('--json', 'print the bundle as JSON');
  addSettings(addRecallFlags(command)).action(remind);
};

async function remind(utterance: string, flags: Flags): Promise<void> {
  const { options, opening } = await readRecallFlags(flags);
  await using(await openExisting(readSettings(flags), opening), async (memory) => {
    const bundle = await memory.recall(utterance, {
      ...options,
      view: 'bundle',
      ...(flags.limit !== undefined && { limit: flags.limit }),
    });
    noteWhatWasMissing(bundle);
    if (flags.json) printJson(bundle);
    else printLines([...formatBundle(bundle, memory.timeZone), formatVerdict(bundle)]);
  });
}

function formatVerdict({ highlights, inject, metadata }: Bundle): string {
  const found = highlights.length === 0 ? 'Nothing comes to mind.' : countOf(highlights.length, 'turn');
  const worth = inject ? ', relevant enough for the prompt.' : ', none relevant enough for the prompt.';
  const verdict = highlights.length === 0 ? found : found + worth;
  return style('dim', `${verdict} ${metadata.totalLatencyMs.toFixed(1)} ms`);
}
