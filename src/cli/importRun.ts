/** The common part of `ingest` and `import`: adding files, the work after that, and the report. */
import type { IngestReport, Memory } from '../engine/engine.ts';
import { runJobs, formatLearnt, formatMissing, type WorkReport } from './background.ts';
import { EXIT } from './exit.ts';
import { interruptible } from './interrupt.ts';
import { checkModels, openOrCreate, withMemory } from './opening.ts';
import { flag, REPORT_JSON_FLAG, show, type FlagsOf, type SetExitCode } from './command.ts';
import { createProgress } from './progress.ts';
import { modelFlag, type Settings } from './settings.ts';
import { countOf, formatCount, plain, printLines, printNote, style } from './terminal.ts';

interface FileReport extends IngestReport {
  readonly file: string;
}

/** Adds one file. Calls `onProgress` after each batch; stops between batches when the signal is aborted. */
export type ImportFile = (
  memory: Memory,
  file: string,
  options: { onProgress: (progress: { read: number; added: number }) => void; signal: AbortSignal },
) => Promise<IngestReport>;

export const IMPORT_FLAGS = [
  modelFlag('learns from the imported turns'),
  flag('--no-embed', 'do not compute vectors now'),
  flag('--no-learn', 'store and index the turns, but do not learn from them'),
  REPORT_JSON_FLAG,
] as const;

interface Outcome extends WorkReport {
  readonly files: readonly FileReport[];
  readonly interrupted: boolean;
}

export interface ImportRun {
  readonly files: readonly string[];
  readonly settings: Settings;
  readonly flags: FlagsOf<typeof IMPORT_FLAGS>;
  readonly importFile: ImportFile;
  readonly setExitCode: SetExitCode;
}

/** Adds the files, makes their vectors, learns from them, prints a report, and sets the exit code. */
export async function importFiles({
  files,
  settings,
  flags,
  importFile,
  setExitCode,
}: ImportRun): Promise<void> {
  const { embed = true, learn = true } = flags;
  await checkModels(settings, { embed, learn });
  const outcome = await interruptible(async (signal): Promise<Outcome> => {
    const reports: FileReport[] = [];
    await withMemory(await openOrCreate(settings, { embeds: false, learns: learn }), async (memory) => {
      for (const file of files) {
        if (!signal.aborted) reports.push(await importOne(memory, file, importFile, signal));
      }
    });
    const work = signal.aborted ? NO_JOBS_RUN : await runJobs(settings, { embed, learn }, signal);
    return { files: reports, ...work, interrupted: signal.aborted };
  });
  const lines = [...outcome.files.flatMap(formatFile), ...formatLearnt(outcome)];
  show({ json: { ...total(outcome.files), ...outcome }, lines }, flags);
  printProblems(outcome.files);
  setExitCode(exitCodeOf(outcome));
}

const NO_JOBS_RUN: WorkReport = { vectors: null, learning: null };

async function importOne(
  memory: Memory,
  file: string,
  importFile: ImportFile,
  signal: AbortSignal,
): Promise<FileReport> {
  const progress = createProgress(`Reading ${plain(file)}:`, 'turns');
  let kept = 0;
  try {
    const onProgress = ({ read, added }: { read: number; added: number }) => {
      kept = added;
      progress.update(read);
    };
    return { file, ...(await importFile(memory, file, { onProgress, signal })) };
  } catch (error) {
    if (kept > 0) printNote(`${countOf(kept, 'new turn')} of ${plain(file)} were stored before this error:`);
    throw error;
  } finally {
    progress.clear();
  }
}

function total(files: readonly FileReport[]) {
  const sum = (key: 'read' | 'added' | 'known') => files.reduce((soFar, file) => soFar + file[key], 0);
  return { read: sum('read'), added: sum('added'), known: sum('known') };
}

function formatFile({ file, read, added, known, problems, remarks, elapsedMs }: FileReport): string[] {
  const rate = formatCount((read / Math.max(1, elapsedMs)) * 1_000);
  const knownPart = known > 0 ? `, ${formatCount(known)} already known` : '';
  const problemPart = problems.length > 0 ? `, ${formatCount(problems.length)} unreadable` : '';
  const counts = `${countOf(added, 'new turn')}${knownPart}${problemPart} (${rate} a second)`;
  return [`${style('bold', plain(file))}: ${counts}`, ...remarks.map((remark) => `  ${plain(remark)}`)];
}

const MAX_PROBLEMS = 20;

function printProblems(files: readonly FileReport[]): void {
  const lines = files.flatMap(({ file, problems }) =>
    problems.map(({ place, code, reason }) => `${plain(file)}, ${plain(place)}: ${code} ${plain(reason)}`),
  );
  const rest = lines.length - MAX_PROBLEMS;
  printLines(lines.slice(0, MAX_PROBLEMS), process.stderr);
  if (rest > 0) printNote(`and ${formatCount(rest)} more; --json lists all.`);
}

function exitCodeOf({ files, interrupted, ...work }: Outcome): number {
  if (interrupted) {
    printNote(
      `interrupted; ${countOf(total(files).added, 'new turn')} stored. Run the same command again to continue.`,
    );
    return EXIT.interrupted;
  }
  const missing = formatMissing(work);
  printLines(missing, process.stderr);
  if (missing.length > 0) return EXIT.failed;
  return files.some(({ problems }) => problems.length > 0) ? EXIT.incomplete : EXIT.ok;
}
