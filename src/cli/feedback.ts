/** `omoide feedback`: exports users' verdicts on recalled units as a data set for `omoide eval`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { feedbackHistory, feedbackQueries, openSettings, settingsPath } from '../settings/settings.ts';
import type { AddCommand } from './command.ts';
import { openExisting, using } from './opening.ts';
import { addSettings, readDataDir, readSettings, type SettingFlags } from './settings.ts';
import { countOf, printJson, printLines } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly json?: true;
}

export const addFeedback: AddCommand = (program) => {
  const command = program
    .command('feedback')
    .description('Writes the feedback on recalls as a labelled set for “omoide eval DIR --tune”.')
    .argument('<dir>', 'folder to write history.jsonl and queries.jsonl to')
    .option('--json', 'print the report as JSON');
  addSettings(command).action(async (dir: string, flags: Flags) => {
    const settings = openSettings(settingsPath(readDataDir(flags)));
    try {
      await using(await openExisting(readSettings(flags), { embeds: false }), async (memory) => {
        await mkdir(dir, { recursive: true });
        const turns = await writeLines(join(dir, 'history.jsonl'), feedbackHistory(memory));
        const queries = await writeLines(
          join(dir, 'queries.jsonl'),
          feedbackQueries(memory, settings.feedback),
        );
        if (flags.json) printJson({ dir, turns, queries });
        else
          printLines([
            `${countOf(turns, 'turn')} and ${countOf(queries, 'query', 'queries')} written to ${dir}.`,
          ]);
      });
    } finally {
      settings.close();
    }
  });
};

/** Returns the number of lines. */
async function writeLines(path: string, lines: AsyncIterable<string>): Promise<number> {
  let count = 0;
  async function* counted() {
    for await (const line of lines) {
      count += 1;
      yield line;
    }
  }
  await writeFile(path, counted(), { mode: 0o600 });
  return count;
}
