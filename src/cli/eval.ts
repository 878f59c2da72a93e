import { writeFile } from 'node:fs/promises';
import { Option } from 'commander';
import { MemoryError, PROFILE_NAMES, STRATEGIES, type ProfileName, type Strategy } from '../engine/engine.ts';
import { formatMarkdown, formatReport, runEvaluation, toJson } from '../eval/eval.ts';
import { EXIT } from './exit.ts';
import { interruptible } from './interrupt.ts';
import type { AddCommand } from './command.ts';
import { createProgress } from './progress.ts';
import { parseCount } from './recallFlags.ts';
import { embedderOption, readEmbedder, type SettingFlags } from './settings.ts';
import { printJson, printLines, printNote } from './terminal.ts';

interface Flags extends Pick<SettingFlags, 'embedder'> {
  readonly profile?: readonly ProfileName[];
  readonly strategy?: Strategy;
  readonly limit?: number;
  readonly failures?: number | true;
  readonly foreign?: true;
  readonly compare?: ProfileName;
  readonly markdown?: string;
  readonly json?: true;
}

const DEFAULT_FAILURES = 10;

export const addEval: AddCommand = (program, setExitCode) => {
  program
    .command('eval')
    .description('Measures recall on labelled conversations, in memories of its own (docs/evaluating.md).')
    .argument('<directory...>', "labelled sets, or LoCoMo's or LongMemEval's own files")
    .addOption(
      new Option('--profile <name...>', 'which profiles (default: conversation)').choices(PROFILE_NAMES),
    )
    .addOption(new Option('--strategy <name>', 'forces a strategy').choices(STRATEGIES))
    .addOption(embedderOption())
    .option('--limit <queries>', 'most queries of each set', parseCount)
    .option('--failures [queries]', `list the worst queries (default: ${DEFAULT_FAILURES})`, parseCount)
    .option(
      '--foreign',
      'also ask queries meant for other conversations, of which nothing should be injected',
    )
    .addOption(
      new Option('--compare <profile>', 'how much better the first profile is than this one').choices(
        PROFILE_NAMES,
      ),
    )
    .option('--markdown <file>', 'also write the report as Markdown')
    .option('--json', 'print the report as JSON')
    .action(async (paths: string[], flags: Flags) => {
      const report = await interruptible((signal) => evaluate(paths, flags, signal));
      if (report === null) {
        setExitCode(EXIT.interrupted);
        return printNote('interrupted; nothing was measured to the end.');
      }
      if (flags.markdown !== undefined)
        await writeReport(flags.markdown, formatMarkdown(report, commandLine()));
      if (flags.json) printJson(toJson(report));
      else printLines([formatReport(report)]);
    });
};

/** Null when interrupted. */
async function evaluate(paths: readonly string[], flags: Flags, signal: AbortSignal) {
  const { profile, strategy, limit, failures, compare } = flags;
  const embedder = readEmbedder(flags);
  const progress = createProgress('Asked', 'queries');
  try {
    return await runEvaluation(paths, {
      ...(profile && { profiles: profile }),
      ...(strategy && { strategy }),
      ...(embedder !== undefined && { embedder }),
      ...(limit !== undefined && { limit }),
      ...(failures !== undefined && { failures: failures === true ? DEFAULT_FAILURES : failures }),
      ...(flags.foreign && { foreign: true }),
      ...(compare && { compare: [compare, profile?.[0] ?? 'conversation'] }),
      onProgress: ({ done, total }) => progress.update(done, total),
      signal,
    });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    progress.clear();
  }
}

async function writeReport(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw new MemoryError('READ_ONLY', `${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** What makes the report again. */
function commandLine(): string {
  return ['omoide', ...process.argv.slice(2)]
    .map((word) => (/^[\w./:=,@-]+$/.test(word) ? word : `'${word}'`))
    .join(' ');
}
