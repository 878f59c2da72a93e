import { checkText, MemoryError, type Memory, type Topic } from '../engine/engine.ts';
import { actionArgument, argument, flag, JSON_FLAG, type Output } from './command.ts';
import { formatEmotion, formatTimeline, formatTopicHead } from './explorations.ts';
import { addMemoryCommand } from './settingsCommand.ts';
import { countOf, formatInstant, plain, style, withInstants, wrapped } from './terminal.ts';
import { parseCount, parseId } from './values.ts';

const DEFAULT_LIMIT = 50;
/** How many turns of a topic are shown. */
const TURNS_SHOWN = 20;
const MAX_TITLE_LENGTH = 300;
const INDENT = '     ';

export const addTopics = addMemoryCommand({
  name: 'topics',
  about: 'Lists topics, the strongest first; shows a topic with its turns; renames a topic.',
  args: [
    actionArgument(['list', 'show', 'rename']),
    argument('[id]', 'for “show” and “rename”: the topic’s id', { parse: parseId }),
    argument('[title]', 'for “rename”: the new title'),
  ],
  flags: [
    flag(
      '--limit <number>',
      `maximum number of topics (default: ${DEFAULT_LIMIT}); for “show”: of turns (default: ${TURNS_SHOWN})`,
      { parse: parseCount },
    ),
    JSON_FLAG,
  ],
  check({ args: [action, id, title], command }) {
    if (action === 'show' && id === undefined) command.error('error: which topic? “omoide topics show ID”');
    if (action === 'rename' && (id === undefined || title === undefined))
      command.error('error: which topic, and which title? “omoide topics rename ID TITLE”');
  },
  run({ memory, args: [action, id = 0, title = ''], flags: { limit } }) {
    if (action === 'list') return list(memory, limit);
    return action === 'show' ? show(memory, id, limit) : rename(memory, id, title);
  },
});

async function list(memory: Memory, limit = DEFAULT_LIMIT): Promise<Output> {
  const topics = await memory.topics.list({}, { limit });
  const { topics: count } = await memory.admin.info();
  const titles = await titlesOf(
    memory,
    topics.flatMap(({ parentIds }) => parentIds),
  );
  const nothing =
    'There are no topics yet. Learning creates them: “omoide ingest FILE”, or “omoide rebuild”.';
  return {
    json: { count, topics: topics.map(toJson) },
    lines: [
      ...topics.flatMap((topic) => [
        head(topic, memory.timeZone),
        ...links('part of', topic.parentIds, titles).map((line) => style('dim', INDENT + line)),
      ]),
      style('dim', count === 0 ? nothing : `${countOf(topics.length, 'topic')} of ${count}.`),
    ],
  };
}

async function show(memory: Memory, id: number, limit = TURNS_SHOWN): Promise<Output> {
  const topic = await requireTopic(memory, id);
  const { parentIds, childIds, summary, successorId } = topic;
  const explored = await memory.explore({ topic: id }, { view: 'timeline', limit: Math.max(1, limit) });
  if (explored.view !== 'timeline') throw new Error('An exploration took another view.');
  const titles = await titlesOf(memory, [...parentIds, ...childIds]);
  const feeling = formatEmotion(topic.centroidEmotion);
  const about = [
    ...(topic.state === 'archived'
      ? [`archived${successorId === null ? '' : `; #${successorId} took its place`}`]
      : []),
    ...links('part of', parentIds, titles),
    ...links('holds', childIds, titles),
    ...(feeling === null ? [] : [`feels like ${feeling}`]),
    `named by ${plain(topic.source)}`,
  ];
  const more = `More: omoide explore --topic ${id} --view timeline --cursor ${explored.nextCursor}`;
  return {
    json: { topic: toJson(topic), groups: explored.groups },
    lines: [
      head(topic, memory.timeZone),
      ...(summary === null ? [] : wrapped(summary, INDENT)),
      ...about.flatMap((line) => wrapped(line, INDENT)).map((line) => style('dim', line)),
      '',
      ...formatTimeline(explored),
      ...(explored.nextCursor === null ? [] : [style('dim', more)]),
    ],
  };
}

async function rename(memory: Memory, id: number, title: string): Promise<Output> {
  const before = await requireTopic(memory, id);
  const topic = await memory.topics.update(id, { title: checkText(title, MAX_TITLE_LENGTH), source: 'user' });
  return {
    json: { topic: toJson(topic) },
    lines: [`Topic #${id} “${plain(before.title)}” is now called “${plain(topic.title)}”.`],
  };
}

/** @throws MemoryError NOT_FOUND */
async function requireTopic(memory: Memory, id: number): Promise<Topic> {
  const [topic] = await memory.topics.get([id]);
  if (topic) return topic;
  throw new MemoryError('NOT_FOUND', `There is no topic ${id}.`);
}

async function titlesOf(memory: Memory, ids: readonly number[]): Promise<Map<number, string>> {
  return new Map((await memory.topics.get(ids)).map(({ id, title }) => [id, title]));
}

function links(words: string, ids: readonly number[], titles: ReadonlyMap<number, string>): string[] {
  const all = ids.map((id) => `${plain(titles.get(id) ?? '')} (#${id})`).join(', ');
  return ids.length === 0 ? [] : [`${words} ${all}`];
}

function head({ firstAt, lastAt, ...topic }: Topic, timeZone: string): string {
  const period =
    firstAt === null || lastAt === null ? null : { from: formatInstant(firstAt), to: formatInstant(lastAt) };
  return formatTopicHead({ ...topic, period }, timeZone);
}

function toJson(topic: Topic): object {
  return withInstants(topic, 'createdAt', 'updatedAt', 'firstAt', 'lastAt');
}
