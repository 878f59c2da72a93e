import { messageOf } from '../model/model.ts';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import {
  defined,
  MemoryError,
  parseProfile,
  pickDefined,
  STRATEGIES,
  type ProfileFile,
} from '../engine/engine.ts';
import {
  formatLeaveOneOut,
  formatLeaveOneOutMarkdown,
  formatMarkdown,
  formatReport,
  formatTuning,
  formatTuningMarkdown,
  runEvaluation,
  runLeaveOneOut,
  runTuning,
  toJson,
  type EvaluationReport,
  type TuneProgress,
} from '../eval/eval.ts';
import { EXIT } from './exit.ts';
import { interruptible } from './interrupt.ts';
import { addCommand, argument, flag, REPORT_JSON_FLAG, show, type FlagsOf, type Output } from './command.ts';
import { PROFILE_HINT, readProfile, type NamedProfile } from './profiles.ts';
import { createProgress } from './progress.ts';
import { embedderFlag, readEmbedder } from './settings.ts';
import { printNote } from './terminal.ts';
import { parseCount } from './values.ts';

const DEFAULT_PROFILE = 'conversation';
const DEFAULT_FAILURES = 10;

const FLAGS = [
  flag('--profile <name...>', `profiles to measure (default: ${DEFAULT_PROFILE}): ${PROFILE_HINT}`),
  flag('--strategy <name>', 'forces a strategy', { choices: STRATEGIES }),
  embedderFlag(),
  flag('--limit <queries>', 'maximum number of queries of each set', { parse: parseCount }),
  flag('--cut <turns>', 'cut each conversation to this many turns around the answer of each query', {
    parse: parseCount,
  }),
  flag('--learn', 'learn from the turns by rules before the queries'),
  flag('--failures [queries]', `list the worst queries (default: ${DEFAULT_FAILURES})`, {
    parse: parseCount,
  }),
  flag('--foreign', 'also run queries of other conversations, for which nothing should be injected'),
  flag('--compare <profile...>', 'compare two profiles; with one, compare the first --profile with it'),
  flag(
    '--tune [profile]',
    `fit the weights of a profile (default: ${DEFAULT_PROFILE}) and write them to a file if they are better`,
  ),
  flag('--leave-one-out', 'results for each family of sets (sui for sui-ja) with weights fitted without it'),
  flag('--output <file>', 'the file that --tune writes (default: PROFILE-tuned.json)'),
  flag('--force', 'write the file even without a gain, and overwrite an existing one'),
  flag('--markdown <file>', 'also write the report as Markdown'),
  REPORT_JSON_FLAG,
] as const;
type Flags = FlagsOf<typeof FLAGS>;

export const addEval = addCommand({
  name: 'eval',
  about: 'Measures recall on labelled conversations, in temporary memories (docs/evaluating.md).',
  args: [
    argument(
      '<directory...>',
      'labelled sets, or the original files of LoCoMo or LongMemEval; before the options',
    ),
  ],
  flags: FLAGS,
  async run({ args: [paths], flags, setExitCode }) {
    const isWhole = await modeOf(flags)(paths, flags);
    if (isWhole) return;
    setExitCode(EXIT.interrupted);
    printNote('interrupted; there is no result.');
  },
});

/** The selected one of the three modes. @throws MemoryError INVALID_INPUT */
function modeOf({ tune: toTune, leaveOneOut: toLeaveOut }: Flags) {
  if (toTune !== undefined && toLeaveOut)
    throw new MemoryError('INVALID_INPUT', '--tune and --leave-one-out cannot be combined.');
  if (toLeaveOut) return leaveOneOut;
  return toTune === undefined ? measure : tune;
}

/** False when interrupted. */
async function measure(paths: readonly string[], flags: Flags): Promise<boolean> {
  const report = await interruptible((signal) => evaluate(paths, flags, signal));
  if (!report) return false;
  await print(flags, {
    json: toJson(report),
    lines: [formatReport(report)],
    markdown: formatMarkdown(report, commandLine()),
  });
  return true;
}

async function print(flags: Flags, { markdown, ...output }: Output & { markdown: string }): Promise<void> {
  if (flags.markdown !== undefined) await writeText(flags.markdown, markdown);
  show(output, flags);
}

/** Null when interrupted. */
async function evaluate(
  paths: readonly string[],
  flags: Flags,
  signal: AbortSignal,
): Promise<EvaluationReport | null> {
  const { failures } = flags;
  const profiles = await readProfiles(flags.profile ?? []);
  const compared = await readProfiles(flags.compare ?? []);
  const compare = comparisonOf(profiles, compared);
  const progress = createProgress('Asked', 'queries');
  try {
    return await runEvaluation(paths, {
      ...commonOptions(flags),
      ...(profiles.length > 0 && { profiles: profiles.map(({ name }) => name) }),
      ownProfiles: filesOf([...profiles, ...compared]),
      ...(failures !== undefined && { failures: failures === true ? DEFAULT_FAILURES : failures }),
      ...(flags.foreign && { foreign: true }),
      ...(compare && { compare }),
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

function readProfiles(namesOrPaths: readonly string[]): Promise<NamedProfile[]> {
  return Promise.all([...new Set(namesOrPaths)].map(readProfile));
}

/** The files of profiles that are not shipped, each once. */
function filesOf(profiles: readonly NamedProfile[]): ProfileFile[] {
  const files = new Map(
    profiles.flatMap(({ file }) => (file ? [[JSON.stringify(file), file] as const] : [])),
  );
  return [...files.values()];
}

/** The profile to start from, and the one with which the result is compared. */
function comparisonOf(
  profiles: readonly NamedProfile[],
  compared: readonly NamedProfile[],
): [string, string] | null {
  const [first, second] = compared;
  if (!first) return null;
  if (compared.length > 2)
    throw new MemoryError('INVALID_INPUT', '--compare takes two profiles; put directories before it.');
  return second ? [second.name, first.name] : [first.name, profiles[0]?.name ?? DEFAULT_PROFILE];
}

/** False when interrupted. */
async function tune(paths: readonly string[], flags: Flags): Promise<boolean> {
  const start = await readProfile(typeof flags.tune === 'string' ? flags.tune : DEFAULT_PROFILE);
  const output = flags.output ?? `${start.name}-tuned.json`;
  const name = basename(output, extname(output));
  // Checks the name and the output file now, not after minutes of work.
  parseProfile({ name, base: DEFAULT_PROFILE, weights: {} });
  if (existsSync(output) && !flags.force)
    throw new MemoryError('INVALID_INPUT', `${output} exists already: use another --output, or --force.`);
  const report = await interruptible((signal) =>
    withProgress(signal, (onProgress) =>
      runTuning(paths, {
        ...commonOptions(flags),
        name,
        now: new Date(),
        profile: start.name,
        ownProfiles: filesOf([start]),
        onProgress,
        signal,
      }),
    ),
  );
  if (!report) return false;
  const markdown = formatTuningMarkdown(report, commandLine());
  await print(flags, { json: report, lines: [formatTuning(report)], markdown });
  if (report.isWorthHaving || flags.force) {
    await writeText(output, `${JSON.stringify(report.file, null, 2)}\n`);
    printNote(`written to ${output}; --profile ${output} uses it.`);
  } else printNote('nothing was written; --force writes the weights nevertheless.');
  return true;
}

/** Shows the progress of queries and fitting. Null when interrupted. */
async function withProgress<Report>(
  signal: AbortSignal,
  run: (onProgress: (progress: TuneProgress) => void) => Promise<Report>,
): Promise<Report | null> {
  const progress = { asking: createProgress('Asked', 'queries'), fitting: createProgress('Fitted', 'times') };
  try {
    return await run(({ phase, done, total }) => progress[phase].update(done, total));
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    progress.asking.clear();
    progress.fitting.clear();
  }
}

/** False when interrupted. */
async function leaveOneOut(paths: readonly string[], flags: Flags): Promise<boolean> {
  const start = await readProfile(flags.profile?.[0] ?? DEFAULT_PROFILE);
  const report = await interruptible((signal) =>
    withProgress(signal, (onProgress) =>
      runLeaveOneOut(paths, {
        ...commonOptions(flags),
        profile: start.name,
        ownProfiles: filesOf([start]),
        onProgress,
        signal,
      }),
    ),
  );
  if (!report) return false;
  const markdown = formatLeaveOneOutMarkdown(report, commandLine());
  await print(flags, { json: report, lines: [formatLeaveOneOut(report)], markdown });
  return true;
}

function commonOptions(flags: Flags) {
  return {
    ...defined({ embedder: readEmbedder(flags) }),
    ...pickDefined(flags, ['strategy', 'limit', 'cut', 'learn']),
  };
}

async function writeText(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw new MemoryError('READ_ONLY', `${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

/** The command that reproduces the report. */
function commandLine(): string {
  return ['omoide', ...process.argv.slice(2)]
    .map((word) => (/^[\w./:=,@-]+$/.test(word) ? word : `'${word}'`))
    .join(' ');
}
