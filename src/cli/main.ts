import { messageOf } from '../model/model.ts';
import { CommanderError, type Command } from 'commander';
import { isMemoryError } from '../engine/engine.ts';
import { EXIT } from './exit.ts';
import { nextStep } from './nextStep.ts';
import { createProgram } from './program.ts';
import { isDebugging } from './settings.ts';
import { plain, printJson, printLines, style } from './terminal.ts';

/** Runs one command line and returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  exitOnClosedPipe();
  let exitCode: number = EXIT.ok;
  let wantsJson = false;
  let running: Command | undefined;
  const program = await createProgram((code) => (exitCode = code), args[0]);
  program.hook('preAction', (_, command) => {
    wantsJson = command.opts()['json'] === true;
    running = command;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    await audit(running, exitCode === EXIT.ok || exitCode === EXIT.incomplete ? 'done' : 'FAILED');
    return exitCode;
  } catch (error) {
    await audit(running, isMemoryError(error) ? error.code : 'UNEXPECTED');
    return reportFailure(error, wantsJson);
  }
}

/** Loaded when needed: most commands are not noted. */
async function audit(command: Command | undefined, outcome: string): Promise<void> {
  if (!command) return;
  const { isAudited, noteCommand } = await import('./auditing.ts');
  if (isAudited(command)) noteCommand(command, outcome);
}

/** `omoide … | head` ends silently when head closes the pipe. */
function exitOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(EXIT.ok);
      printError(`error: the output cannot be written: ${error.message}`);
      process.exit(EXIT.failed);
    });
  }
}

function reportFailure(error: unknown, wantsJson: boolean): number {
  // Commander has already printed the error or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const code = isMemoryError(error) ? error.code : 'UNEXPECTED';
  const message = messageOf(error);
  if (wantsJson) printJson({ error: { code, message } });
  const label = isMemoryError(error) ? `error ${code}:` : 'error:';
  printError(`${style('red', label, process.stderr)} ${plain(message)}`);
  const next = isMemoryError(error) ? nextStep(error.code, message) : null;
  if (next !== null) printError(`→ ${next}`);
  if (isDebugging() && error instanceof Error) printError(error.stack ?? '');
  return EXIT.failed;
}

function printError(line: string): void {
  printLines([line], process.stderr);
}
