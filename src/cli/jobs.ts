import { Argument, InvalidArgumentError, Option } from 'commander';
import { existsSync } from 'node:fs';
import { JOB_STATUSES, type Job, type Memory } from '../engine/engine.ts';
import { openSettings, settingsPath, summarizeModelCalls, type ModelCalls } from '../settings/settings.ts';
import { padEnd } from '../text/text.ts';
import type { AddCommand } from './command.ts';
import { openExisting, using } from './opening.ts';
import { parseCount } from './recallFlags.ts';
import { addSettings, readDataDir, readSettings, type SettingFlags } from './settings.ts';
import {
  countOf,
  formatCount,
  formatInstant,
  plain,
  printJson,
  printLines,
  style,
  wrapped,
} from './terminal.ts';

interface Flags extends SettingFlags {
  readonly status?: Job['status'];
  readonly limit?: number;
  readonly json?: true;
}

const DEFAULT_LIMIT = 50;
/** The number of days for which requests to models are counted. */
const CALL_DAYS = 7;
const DAY_MS = 86_400_000;

export const addJobs: AddCommand = (program) => {
  const command = program
    .command('jobs')
    .description('Shows unfinished background jobs and the use of language models, or retries failed jobs.')
    .addArgument(new Argument('[action]', 'the action').choices(['list', 'retry']).default('list'))
    .argument('[id...]', 'for “retry”: these jobs (default: all failed ones)', parseIds)
    .addOption(new Option('--status <status>', 'for “list”: only these').choices(JOB_STATUSES))
    .option('--limit <jobs>', `for “list”: maximum number of jobs (default: ${DEFAULT_LIMIT})`, parseCount)
    .option('--json', 'print the result as JSON');
  addSettings(command).action(async (action: keyof typeof ACTIONS, ids: number[], flags: Flags) => {
    await using(await openExisting(readSettings(flags), { embeds: false }), (memory) =>
      ACTIONS[action](memory, flags, ids),
    );
  });
};

const ACTIONS = { list, retry };

/** Commander passes one word at a time. */
function parseIds(word: string, before: readonly number[] = []): number[] {
  if (!/^[1-9]\d{0,15}$/.test(word)) throw new InvalidArgumentError('It must be the id of a job.');
  return [...before, Number(word)];
}

async function list({ jobs }: Memory, flags: Flags): Promise<void> {
  const { status, limit = DEFAULT_LIMIT, json } = flags;
  const modelCalls = readModelCalls(readDataDir(flags));
  const [listed, counts] = await Promise.all([jobs.list({ limit, ...(status && { status }) }), jobs.count()]);
  if (json) return printJson({ counts, jobs: listed.map(toJson), modelCalls });
  const summary = JOB_STATUSES.map((each) => `${formatCount(counts[each])} ${each}`).join(', ');
  printLines([...listed.flatMap(formatJob), style('dim', `${summary}.`), ...formatCalls(modelCalls)]);
}

/** The requests of all memories of the folder, which share the models, in the last days. */
function readModelCalls(dataDir: string): ModelCalls {
  const path = settingsPath(dataDir);
  if (!existsSync(path)) return summarizeModelCalls([]);
  const settings = openSettings(path);
  try {
    const from = new Date(Date.now() - CALL_DAYS * DAY_MS).toISOString().slice(0, 10);
    return summarizeModelCalls(settings.usage.modelUse(from));
  } finally {
    settings.close();
  }
}

function formatCalls({ purposes, callsPerExchange }: ModelCalls): string[] {
  if (purposes.length === 0) return [];
  const counts = purposes.map(({ purpose, calls, failed }) => {
    const failures = failed > 0 ? ` (${formatCount(failed)} failed)` : '';
    return `${plain(purpose)} ${formatCount(calls)}${failures}`;
  });
  const each = callsPerExchange === null ? '' : `; ${callsPerExchange.toFixed(2)} per exchange`;
  return wrapped(`Requests to language models in ${CALL_DAYS} days: ${counts.join(', ')}${each}.`, '', 4);
}

async function retry({ jobs }: Memory, { json }: Flags, ids: readonly number[] = []): Promise<void> {
  const count = await jobs.retry(ids.length > 0 ? ids : undefined);
  if (json) return printJson({ retried: count });
  const next = count > 0 ? ' “omoide rebuild” or the server runs them.' : '';
  printLines([`${countOf(count, 'job')} due again.${next}`]);
}

const FORMATS = { queued: 'yellow', running: 'green', failed: 'red' } as const;
const MAX_INPUT_LENGTH = 80;
const INDENT = ' '.repeat(9);

function formatJob({ id, kind, status, attempts, runAfter, lastError, input }: Job): string[] {
  const when = status === 'queued' ? `, not before ${formatInstant(runAfter)}` : '';
  const head = [
    String(id).padStart(7),
    style(FORMATS[status], padEnd(status, 7)),
    style('bold', padEnd(plain(kind), 16)),
    `${shorten(plain(JSON.stringify(input)))}${style('dim', `, ${countOf(attempts, 'attempt')}${when}`)}`,
  ];
  return [head.join('  '), ...(lastError === null ? [] : wrapped(lastError, INDENT, 2))];
}

/** Shortens the input of a job, which may contain images. */
function shorten(text: string): string {
  return text.length > MAX_INPUT_LENGTH ? `${text.slice(0, MAX_INPUT_LENGTH)}…` : text;
}

function toJson({ runAfter, leaseUntil, createdAt, ...job }: Job) {
  return {
    ...job,
    runAfter: formatInstant(runAfter),
    leaseUntil: leaseUntil === null ? null : formatInstant(leaseUntil),
    createdAt: formatInstant(createdAt),
  };
}
