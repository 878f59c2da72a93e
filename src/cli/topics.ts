import { Argument } from 'commander';
import { checkText, MemoryError, type Memory, type Topic } from '../engine/engine.ts';
import type { AddCommand } from './command.ts';
import { formatEmotion, formatTimeline, formatTopicHead } from './explorations.ts';
import { parseId } from './ids.ts';
import { openExisting, using } from './opening.ts';
import { parseCount } from './recallFlags.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { countOf, formatInstant, plain, printJson, printLines, style, wrapped } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly limit?: number;
  readonly json?: true;
}

const DEFAULT_LIMIT = 50;
/** How many turns of a topic are shown. */
const TURNS_SHOWN = 20;
const INDENT = '     ';

export const addTopics: AddCommand = (program) => {
  const command = program
    .command('topics')
    .description('Lists topics, the strongest first; shows a topic with its turns; renames a topic.')
    .addArgument(new Argument('[action]', 'the action').choices(['list', 'show', 'rename']).default('list'))
    .argument('[id]', 'for “show” and “rename”: the topic’s id', parseId)
    .argument('[title]', 'for “rename”: the new title')
    .option(
      '--limit <number>',
      `maximum number of topics (default: ${DEFAULT_LIMIT}); for “show”: of turns (default: ${TURNS_SHOWN})`,
      parseCount,
    )
    .option('--json', 'print the result as JSON');
  addSettings(command).action(
    async (action: keyof typeof ACTIONS, id: number | undefined, title: string | undefined, flags: Flags) => {
      if (action === 'show' && id === undefined) command.error('error: which topic? “omoide topics show ID”');
      if (action === 'rename' && (id === undefined || title === undefined))
        command.error('error: which topic, and which title? “omoide topics rename ID TITLE”');
      await using(await openExisting(readSettings(flags), { embeds: false }), (memory) =>
        ACTIONS[action](memory, flags, id ?? 0, title ?? ''),
      );
    },
  );
};

const ACTIONS = { list, show, rename };

async function list(memory: Memory, { limit = DEFAULT_LIMIT, json }: Flags): Promise<void> {
  const topics = await memory.topics.list({}, { limit });
  const { topics: count } = await memory.admin.info();
  if (json) return printJson({ count, topics: topics.map(toJson) });
  const titles = new Map(
    (await memory.topics.get(topics.flatMap(({ parentIds }) => parentIds))).map((topic) => [
      topic.id,
      topic.title,
    ]),
  );
  const nothing =
    'There are no topics yet. Learning creates them: “omoide ingest FILE”, or “omoide rebuild”.';
  printLines([
    ...topics.flatMap((topic) => [
      head(topic, memory.timeZone),
      ...(topic.parentIds.length > 0
        ? [
            style(
              'dim',
              `${INDENT}part of ${topic.parentIds.map((id) => linkTo(id, titles.get(id))).join(', ')}`,
            ),
          ]
        : []),
    ]),
    style('dim', count === 0 ? nothing : `${countOf(topics.length, 'topic')} of ${count}.`),
  ]);
}

async function show(memory: Memory, { limit = TURNS_SHOWN, json }: Flags, id: number): Promise<void> {
  const topic = await requireTopic(memory, id);
  const explored = await memory.explore({ topic: id }, { view: 'timeline', limit: Math.max(1, limit) });
  if (explored.view !== 'timeline') throw new Error('An exploration took another view.');
  if (json) return printJson({ topic: toJson(topic), groups: explored.groups });
  const related = await memory.topics.get([...topic.parentIds, ...topic.childIds]);
  const titles = new Map(related.map((other) => [other.id, other.title]));
  const linksTo = (ids: readonly number[]) => ids.map((other) => linkTo(other, titles.get(other))).join(', ');
  const feeling = formatEmotion(topic.centroidEmotion);
  printLines([
    head(topic, memory.timeZone),
    ...(topic.summary === null ? [] : wrapped(topic.summary, INDENT)),
    ...[
      ...(topic.state === 'archived'
        ? [`archived${topic.successorId === null ? '' : `; #${topic.successorId} took its place`}`]
        : []),
      ...(topic.parentIds.length > 0 ? [`part of ${linksTo(topic.parentIds)}`] : []),
      ...(topic.childIds.length > 0 ? [`holds ${linksTo(topic.childIds)}`] : []),
      ...(feeling === null ? [] : [`feels like ${feeling}`]),
      `named by ${plain(topic.source)}`,
    ]
      .flatMap((line) => wrapped(line, INDENT))
      .map((line) => style('dim', line)),
    '',
    ...formatTimeline(explored),
    ...(explored.nextCursor === null
      ? []
      : [style('dim', `More: omoide explore --topic ${id} --view timeline --cursor ${explored.nextCursor}`)]),
  ]);
}

async function rename(memory: Memory, { json }: Flags, id: number, title: string): Promise<void> {
  const before = await requireTopic(memory, id);
  const topic = await memory.topics.update(id, { title: checkText(title, MAX_TITLE_LENGTH), source: 'user' });
  if (json) return printJson({ topic: toJson(topic) });
  printLines([`Topic #${id} “${plain(before.title)}” is now called “${plain(topic.title)}”.`]);
}

const MAX_TITLE_LENGTH = 300;

/** @throws MemoryError NOT_FOUND */
async function requireTopic(memory: Memory, id: number): Promise<Topic> {
  const [topic] = await memory.topics.get([id]);
  if (topic) return topic;
  throw new MemoryError('NOT_FOUND', `There is no topic ${id}.`);
}

function head({ firstAt, lastAt, ...topic }: Topic, timeZone: string): string {
  const period =
    firstAt === null || lastAt === null ? null : { from: formatInstant(firstAt), to: formatInstant(lastAt) };
  return formatTopicHead({ ...topic, period }, timeZone);
}

function linkTo(id: number, title = ''): string {
  return `${plain(title)} (#${id})`;
}

function toJson({ createdAt, updatedAt, firstAt, lastAt, ...topic }: Topic) {
  const instant = (at: number | null) => (at === null ? null : formatInstant(at));
  return {
    ...topic,
    createdAt: formatInstant(createdAt),
    updatedAt: formatInstant(updatedAt),
    firstAt: instant(firstAt),
    lastAt: instant(lastAt),
  };
}
