import { InvalidArgumentError } from 'commander';
import { DAY_MS, JOB_STATUSES, pickDefined, type Job } from '../engine/engine.ts';
import { summarizeModelCalls, type ModelCalls } from '../settings/settings.ts';
import { padEnd } from '../text/text.ts';
import { actionArgument, argument, flag, JSON_FLAG } from './command.ts';
import { addMemoryCommand } from './settingsCommand.ts';
import { readStoredSettings } from './settings.ts';
import { countOf, formatCount, formatInstant, plain, style, withInstants, wrapped } from './terminal.ts';
import { parseCount } from './values.ts';

const DEFAULT_LIMIT = 50;
/** The number of days for which requests to models are counted. */
const CALL_DAYS = 7;

export const addJobs = addMemoryCommand({
  name: 'jobs',
  about: 'Shows unfinished background jobs and the use of language models, or retries failed jobs.',
  args: [
    actionArgument(['list', 'retry']),
    argument('[id...]', 'for “retry”: these jobs (default: all failed ones)', { parse: parseJobIds }),
  ],
  flags: [
    flag('--status <status>', 'for “list”: only these', { choices: JOB_STATUSES }),
    flag('--limit <jobs>', `for “list”: maximum number of jobs (default: ${DEFAULT_LIMIT})`, {
      parse: parseCount,
    }),
    JSON_FLAG,
  ],
  async run({ memory: { jobs }, settings: { dataDir }, args: [action, ids], flags }) {
    if (action === 'retry') {
      const count = await jobs.retry(ids.length > 0 ? ids : undefined);
      const next = count > 0 ? ' “omoide rebuild” or the server runs them.' : '';
      return { json: { retried: count }, lines: [`${countOf(count, 'job')} due again.${next}`] };
    }
    const modelCalls = readModelCalls(dataDir);
    const listed = await jobs.list({ limit: DEFAULT_LIMIT, ...pickDefined(flags, ['status', 'limit']) });
    const counts = await jobs.count();
    const summary = JOB_STATUSES.map((each) => `${formatCount(counts[each])} ${each}`).join(', ');
    return {
      json: {
        counts,
        jobs: listed.map((job) => withInstants(job, 'runAfter', 'leaseUntil', 'createdAt')),
        modelCalls,
      },
      lines: [...listed.flatMap(formatJob), style('dim', `${summary}.`), ...formatCalls(modelCalls)],
    };
  },
});

/** Commander passes one word at a time. */
function parseJobIds(word: string, before: readonly number[] = []): number[] {
  if (!/^[1-9]\d{0,15}$/.test(word)) throw new InvalidArgumentError('It must be the id of a job.');
  return [...before, Number(word)];
}

/** The requests of all memories of the folder, which share the models, in the last days. */
function readModelCalls(dataDir: string): ModelCalls {
  const from = new Date(Date.now() - CALL_DAYS * DAY_MS).toISOString().slice(0, 10);
  return summarizeModelCalls(readStoredSettings(dataDir, ({ usage }) => usage.modelUse(from)) ?? []);
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
