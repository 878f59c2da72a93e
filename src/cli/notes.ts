/** `omoide notes`: memory as Markdown files, from the command line. */
import { keysOf } from '../model/model.ts';
import {
  defined,
  exportNotes,
  formatLearnt,
  importNotes,
  internals,
  MemoryError,
  NOTE_SOURCES,
  openMemory,
  pickDefined,
  REMEMBERED_TYPES,
  SCOPES,
  type LearntUnit,
  type Memory,
  type NotesAccess,
  type Task,
} from '../engine/engine.ts';
import {
  actionArgument,
  addCommand,
  argument,
  flag,
  JSON_FLAG,
  show,
  type FlagsOf,
  type Output,
} from './command.ts';
import { EXIT } from './exit.ts';
import { NOTES_FLAG, PROJECT_FLAG, readFlags } from './mcp/flags.ts';
import { embedderOf, placeOf as memoryPlaceOf, sensitiveOf, withMemory } from './opening.ts';
import { SETTING_FLAGS } from './settings.ts';
import { countOf, formatInstant, plain, printLines, printNote, style, wrapped } from './terminal.ts';
import { parseCount } from './values.ts';

interface Work {
  readonly memory: Memory;
  readonly notes: NotesAccess;
  readonly given: string;
  readonly flags: FlagsOf<typeof FLAGS>;
}

interface Action {
  /** The name of its argument; null: it has none. */
  readonly takes: string | null;
  /** The options that it supports in addition to the common ones. */
  readonly options: readonly OwnOption[];
  /** Whether it changes the index, so that vectors are made afterwards. */
  readonly changes: boolean;
  readonly run: (work: Work) => Promise<Output & { readonly exitCode?: number }>;
}

const ACTIONS = {
  list: { takes: null, options: [], changes: false, run: list },
  find: { takes: 'QUERY', options: ['scope', 'budget'], changes: false, run: find },
  remember: { takes: 'TEXT', options: ['type', 'scope'], changes: true, run: remember },
  journal: { takes: 'TEXT', options: [], changes: true, run: journal },
  tasks: { takes: null, options: ['all'], changes: false, run: listTasks },
  add: { takes: 'TASK', options: ['due'], changes: true, run: addTask },
  done: { takes: 'TASK', options: [], changes: true, run: finishTask },
  import: { takes: 'PATH', options: ['from', 'scope'], changes: true, run: importFile },
  export: { takes: 'FOLDER', options: ['learnt'], changes: false, run: writeOut },
} satisfies Record<string, Action>;
const ACTION_NAMES = keysOf(ACTIONS);
const OPTIONS = ['type', 'scope', 'due', 'all', 'from', 'learnt', 'budget'] as const;
type OwnOption = (typeof OPTIONS)[number];

const FLAGS = [
  flag('--type <type>', 'for “remember”: its type (default: detected)', { choices: REMEMBERED_TYPES }),
  flag('--scope <scope>', 'for “remember”, “find” and “import”: the user’s notes (global) or the project’s', {
    choices: SCOPES,
  }),
  flag('--due <day>', 'for “add”: when the task is due'),
  flag('--all', 'for “tasks”: also finished ones'),
  flag('--from <form>', 'for “import”: its format (default: detected)', { choices: NOTE_SOURCES }),
  flag('--learnt', 'for “export”: also facts, open loops and summaries'),
  flag('--budget <tokens>', 'for “find”: maximum number of tokens (default: 1500)', { parse: parseCount }),
  NOTES_FLAG,
  PROJECT_FLAG,
  JSON_FLAG,
] as const;

export const addNotes = addCommand({
  name: 'notes',
  about: 'Memory as Markdown files: lists, finds, remembers, imports and exports (docs/notes.md).',
  args: [
    actionArgument(ACTION_NAMES),
    argument('[what]', 'the query, the text to remember, a task (its text or id), or a path'),
  ],
  flags: FLAGS,
  common: SETTING_FLAGS,
  /** Rejects options that have no effect on an action. */
  check({ args: [name, given], flags, command }) {
    const { takes, options }: Action = ACTIONS[name];
    if (takes !== null && given === undefined) command.error(`error: “omoide notes ${name}” needs ${takes}`);
    if (takes === null && given !== undefined)
      command.error(`error: “omoide notes ${name}” takes no further argument`);
    const wrong = OPTIONS.find((option) => flags[option] !== undefined && !options.includes(option));
    if (wrong) command.error(`error: --${wrong} is not an option of “${name}”`);
  },
  async run({ args: [name, given = ''], flags, command, setExitCode }) {
    const { changes, run }: Action = ACTIONS[name];
    const { settings, roots } = readFlags(command);
    const memory = await openMemory({
      ...memoryPlaceOf(settings),
      memoryId: settings.memoryId,
      notes: { global: roots.global, ...(roots.project !== null && { project: roots.project }) },
      onNotes: ({ skipped, warnings }) => {
        for (const { uri, message } of [...skipped, ...warnings])
          printNote(`${plain(uri)}: ${plain(message)}`);
      },
      embedder: embedderOf(settings),
      sensitive: sensitiveOf(settings),
      learn: false,
      worker: false,
      ...pickDefined(settings, ['timeZone']),
    });
    await withMemory(memory, async () => {
      const { notes } = memory;
      if (!notes) throw new MemoryError('INVALID_INPUT', 'The memory was opened without notes.');
      const { exitCode, ...output } = await run({ memory, notes, given, flags });
      show(output, flags);
      if (exitCode !== undefined) setExitCode(exitCode);
      if (changes) await internals(memory).settle();
    });
  },
});

async function list({ notes }: Work): Promise<Output> {
  const files = await notes.list();
  const nothing =
    'There are no notes yet. “omoide notes remember TEXT” or “omoide notes import PATH” creates some.';
  const width = Math.max(...files.map(({ uri }) => plain(uri).length));
  const lines = files.map(({ uri, scope, sections, modifiedAt }) => {
    const about = `${scope}, ${countOf(sections, 'section')}, ${formatInstant(modifiedAt)}`;
    return `${plain(uri).padEnd(width)}  ${style('dim', about)}`;
  });
  return { json: { files }, lines: files.length === 0 ? [nothing] : lines };
}

async function find({ notes, given, flags: { scope, budget: budgetTokens } }: Work): Promise<Output> {
  const found = await notes.find(given, defined({ scope, budgetTokens }));
  const lines = found.hits.flatMap(({ unitId, uri, section, text, score }) => {
    const id = unitId === null ? '' : `#${unitId}  `;
    return [
      `${id}${style('bold', plain(placeOf({ uri, section })))}  ${style('dim', score.toFixed(2))}`,
      ...wrapped(text, '     '),
      '',
    ];
  });
  const ways = {
    file: 'The requested file',
    timeline: 'The journal of those days',
    hybrid: 'Searched',
  };
  const count = countOf(found.hits.length, 'hit');
  const summary = `${ways[found.path]}: ${count}, ${countOf(found.totalTokens, 'token')}.`;
  return { json: found, lines: [...lines, style('dim', summary)] };
}

async function remember({ notes, given, flags }: Work): Promise<Output> {
  const kept = await notes.remember(given, pickDefined(flags, ['type', 'scope']));
  const how = kept.outcome === 'added' ? 'Remembered in' : 'Already known, now with more certainty, in';
  return {
    json: kept,
    lines: [`${how} ${style('bold', plain(placeOf(kept)))}:`, ...wrapped(kept.text, '  ')],
  };
}

function placeOf({ uri, section }: { readonly uri: string; readonly section: string }): string {
  return section === '' ? uri : `${uri} > ${section}`;
}

async function journal({ notes, given }: Work): Promise<Output> {
  const written = await notes.journal(given);
  const place = style('bold', plain(written.uri));
  return { json: written, lines: [`Added to ${place}:`, ...wrapped(written.text, '  ')] };
}

async function listTasks({ notes, flags }: Work): Promise<Output> {
  const tasks = await notes.tasks.list(flags.all ? {} : { done: false });
  return { json: { tasks }, lines: tasks.length === 0 ? ['There are no tasks.'] : tasks.map(formatTask) };
}

async function addTask({ notes, given, flags: { due } }: Work): Promise<Output> {
  const task = await notes.tasks.add(given, defined({ due }));
  return { json: task, lines: [`Added: ${formatTask(task)}`] };
}

async function finishTask({ notes, given }: Work): Promise<Output> {
  const task = await notes.tasks.done(given);
  return { json: task, lines: [`Done: ${formatTask(task)}`] };
}

function formatTask({ id, text, done, due }: Task): string {
  const until = due === null ? '' : `  ${style('dim', `due ${due}`)}`;
  return `[${done ? 'x' : ' '}] ${style('dim', id)}  ${plain(text)}${until}`;
}

async function importFile({ notes, given, flags: { from: source, scope, json } }: Work) {
  const report = await importNotes(notes, given, defined({ source, scope }));
  const { files, skipped, remarks } = report;
  const lines = files.map(({ from, uri, outcome, items }) => {
    const count = items === null || items === 0 ? '' : `, ${countOf(items, 'item')}`;
    return `${outcome.padEnd('extended'.length)}  ${style('bold', plain(uri))}${count}  ${style('dim', `from ${plain(from)}`)}`;
  });
  const news = files.filter(({ outcome }) => outcome !== 'known').length;
  if (!json) {
    remarks.forEach(printNote);
    printLines(
      skipped.map(({ from, reason }) => `left out: ${plain(from)}: ${plain(reason)}`),
      process.stderr,
    );
  }
  return {
    json: report,
    lines: [
      ...lines,
      style('dim', `${countOf(news, 'file')} written, ${files.length - news} already known.`),
    ],
    ...(skipped.length > 0 && { exitCode: EXIT.incomplete }),
  };
}

const UNITS_PER_PAGE = 1_000;

async function writeOut({ memory, notes, given, flags }: Work): Promise<Output> {
  const learnt = flags.learnt
    ? formatLearnt(await readLearnt(memory), memory.timeZone)
    : new Map<string, string>();
  const { files } = await exportNotes(notes, given, learnt);
  return { json: { folder: given, files }, lines: [`${countOf(files.length, 'file')} written to ${given}.`] };
}

/** Oldest first, without secrets. */
async function readLearnt(memory: Memory): Promise<LearntUnit[]> {
  const units: LearntUnit[] = [];
  for (;;) {
    const last = units.at(-1);
    const after = last && { occurredAt: last.occurredAt, unitId: last.id };
    const page = await memory.units.list(
      { kinds: ['fact', 'loop', 'summary'] },
      { limit: UNITS_PER_PAGE, oldestFirst: true, ...(after && { after }) },
    );
    units.push(...(page as LearntUnit[]));
    if (page.length < UNITS_PER_PAGE) return units;
  }
}
