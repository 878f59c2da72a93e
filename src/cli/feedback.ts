/** `omoide feedback`: exports users' verdicts on recalled units as a data set for `omoide eval`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDataFolder } from '../model/model.ts';
import { feedbackHistory, feedbackQueries } from '../settings/settings.ts';
import { argument, REPORT_JSON_FLAG } from './command.ts';
import { addMemoryCommand } from './settingsCommand.ts';
import { withStoredSettings } from './settings.ts';
import { countOf } from './terminal.ts';

export const addFeedback = addMemoryCommand({
  name: 'feedback',
  about: 'Writes the feedback on recalls as a labelled set for “omoide eval DIR --tune”.',
  args: [argument('<dir>', 'folder to write history.jsonl and queries.jsonl to')],
  flags: [REPORT_JSON_FLAG],
  run: ({ memory, settings: { dataDir }, args: [dir] }) =>
    withStoredSettings(dataDir, async ({ feedback }) => {
      makeDataFolder(dir);
      const turns = await writeLines(join(dir, 'history.jsonl'), feedbackHistory(memory));
      const queries = await writeLines(join(dir, 'queries.jsonl'), feedbackQueries(memory, feedback));
      const counts = `${countOf(turns, 'turn')} and ${countOf(queries, 'query', 'queries')}`;
      return { json: { dir, turns, queries }, lines: [`${counts} written to ${dir}.`] };
    }),
});

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
