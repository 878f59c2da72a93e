import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import type { AddCommand, SetExitCode } from './command.ts';
import { addConfig } from './config.ts';
import { addDemo } from './demo.ts';
import { addDoctor } from './doctor.ts';
import { addEval } from './eval.ts';
import { addExplore } from './explore.ts';
import { addExport } from './export.ts';
import { addFacts } from './facts.ts';
import { addImport } from './import.ts';
import { addIngest } from './ingest.ts';
import { addJobs } from './jobs.ts';
import { addJournal, addRollback } from './journal.ts';
import { addMcp } from './mcp/mcp.ts';
import { addNotes } from './notes.ts';
import { addPack } from './pack.ts';
import { addRebuild } from './rebuild.ts';
import { addRecall } from './recall.ts';
import { addRemind } from './remind.ts';
import { addReorganize } from './reorganize.ts';
import { addServe } from './serve.ts';
import { addToken } from './token.ts';
import { addTopics } from './topics.ts';
import { addVerify } from './verify.ts';
import { addWorker } from './worker.ts';

/** In the order in which `--help` lists them. */
const COMMANDS: readonly AddCommand[] = [
  addDemo,
  addServe,
  addWorker,
  addMcp,
  addConfig,
  addToken,
  addIngest,
  addRecall,
  addRemind,
  addPack,
  addExplore,
  addTopics,
  addFacts,
  addReorganize,
  addJournal,
  addRollback,
  addNotes,
  addExport,
  addImport,
  addVerify,
  addRebuild,
  addJobs,
  addDoctor,
  addEval,
];

const EXIT_CODES = `
Exit codes: 0 well; 1 failed (the message begins with an error code); 2 wrong usage;
            3 some input could not be read, the rest went in; 130 interrupted.`;

/** The program with all its commands. It never ends the process: it throws CommanderError, and what commands throw. */
export function createProgram(setExitCode: SetExitCode): Command {
  const program = new Command('omoide')
    .description(
      'Long-term memory for AI companions: every conversation word for word, and what matters now.',
    )
    .version(version(), '-V, --version', 'print the version')
    .exitOverride()
    .showSuggestionAfterError()
    .helpCommand(false)
    .addHelpText('after', EXIT_CODES)
    // Wide enough for every option on one line, and the same wherever it is printed.
    .configureHelp({ helpWidth: 110 });
  for (const add of COMMANDS) add(program, setExitCode);
  return program;
}

/** As the package says: two folders up, from the sources as from what is built of them. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
