import { Command } from 'commander';
import type { AddCommand, SetExitCode } from './command.ts';
import { readVersion } from './version.ts';

/** In the order of `--help`. Each command is loaded on demand, since loading takes most of the start. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  demo: async () => (await import('./demo.ts')).addDemo,
  chat: async () => (await import('./chat.ts')).addChat,
  serve: async () => (await import('./serve.ts')).addServe,
  worker: async () => (await import('./worker.ts')).addWorker,
  mcp: async () => (await import('./mcp/mcp.ts')).addMcp,
  config: async () => (await import('./config.ts')).addConfig,
  token: async () => (await import('./token.ts')).addToken,
  audit: async () => (await import('./audit.ts')).addAudit,
  embedder: async () => (await import('./embedder.ts')).addEmbedder,
  ingest: async () => (await import('./ingest.ts')).addIngest,
  recall: async () => (await import('./recall.ts')).addRecall,
  remind: async () => (await import('./remind.ts')).addRemind,
  pack: async () => (await import('./pack.ts')).addPack,
  explore: async () => (await import('./explore.ts')).addExplore,
  topics: async () => (await import('./topics.ts')).addTopics,
  facts: async () => (await import('./facts.ts')).addFacts,
  reorganize: async () => (await import('./reorganize.ts')).addReorganize,
  journal: async () => (await import('./journal.ts')).addJournal,
  rollback: async () => (await import('./journal.ts')).addRollback,
  notes: async () => (await import('./notes.ts')).addNotes,
  export: async () => (await import('./export.ts')).addExport,
  import: async () => (await import('./import.ts')).addImport,
  backup: async () => (await import('./backup.ts')).addBackup,
  restore: async () => (await import('./restore.ts')).addRestore,
  archive: async () => (await import('./archive.ts')).addArchive,
  migrate: async () => (await import('./migrate.ts')).addMigrate,
  sensitive: async () => (await import('./sensitive.ts')).addSensitive,
  forget: async () => (await import('./forget.ts')).addForget,
  verify: async () => (await import('./verify.ts')).addVerify,
  key: async () => (await import('./key.ts')).addKey,
  rebuild: async () => (await import('./rebuild.ts')).addRebuild,
  jobs: async () => (await import('./jobs.ts')).addJobs,
  doctor: async () => (await import('./doctor.ts')).addDoctor,
  feedback: async () => (await import('./feedback.ts')).addFeedback,
  eval: async () => (await import('./eval.ts')).addEval,
  completion: async () => (await import('./completion.ts')).addCompletion,
};

const EXIT_CODES = `
Exit codes: 0 success; 1 failure (the message begins with an error code); 2 wrong usage;
            3 some input could not be read, the rest was imported; 130 interrupted.`;

/**
 * The program with all commands, or only with the given one. It never ends the process: it throws CommanderError,
 * and the errors of commands.
 */
export async function createProgram(setExitCode: SetExitCode, only?: string): Promise<Command> {
  const program = new Command('omoide')
    .description(
      'Long-term memory for AI companions: every conversation word for word, and what matters now.',
    )
    .version(readVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('→ “omoide COMMAND --help” shows its arguments.')
    .helpCommand(false)
    .addHelpText('after', EXIT_CODES)
    // Wide enough for every option on one line, and independent of the terminal.
    .configureHelp({ helpWidth: 110 });
  // Completion needs all commands.
  const one =
    only === undefined || only === 'completion' || !Object.hasOwn(COMMANDS, only)
      ? undefined
      : COMMANDS[only];
  for (const load of one ? [one] : Object.values(COMMANDS)) (await load())(program, setExitCode);
  return program;
}
