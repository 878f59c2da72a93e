/** `omoide notes`: memory as Markdown files, from the command line. */
import { Argument, Option, type Command } from 'commander';
import {
  internals,
  MemoryError,
  openMemory,
  REMEMBERED_TYPES,
  SCOPES,
  type Memory,
  type NotesAccess,
  type RememberedType,
  type Scope,
  type Task,
} from '../engine/engine.ts';
import {
  exportNotes,
  formatLearnt,
  importNotes,
  NOTE_SOURCES,
  type LearntUnit,
  type NotesImport,
  type NoteSource,
} from '../engine/engine.ts';
import type { AddCommand, SetExitCode } from './command.ts';
import { EXIT } from './exit.ts';
import { readFlags, type Flags as PlaceFlags } from './mcp/flags.ts';
import { embedderOf, placeOf as memoryPlaceOf } from './opening.ts';
import { parseCount } from './recallFlags.ts';
import { addSettings } from './settings.ts';
import {
  countOf,
  formatInstant,
  plain,
  printJson,
  printLines,
  printNote,
  style,
  wrapped,
} from './terminal.ts';

interface Flags extends PlaceFlags {
  readonly type?: RememberedType;
  readonly scope?: Scope;
  readonly due?: string;
  readonly all?: true;
  readonly from?: NoteSource;
  readonly learnt?: true;
  readonly budget?: number;
}

/** The dependencies of an action. */
interface Work {
  readonly memory: Memory;
  readonly notes: NotesAccess;
  readonly given: string;
  readonly flags: Flags;
  readonly setExitCode: SetExitCode;
}

interface Action {
  /** The name of its argument; null: it has none. */
  readonly takes: string | null;
  /** The options that it supports in addition to the common ones. */
  readonly options: readonly (keyof Flags)[];
  /** Whether it changes the index, so that vectors are made afterwards. */
  readonly changes: boolean;
  readonly run: (work: Work) => Promise<void>;
}

const ACTIONS = {
  list: { takes: null, options: [], changes: false, run: list },
  find: { takes: 'QUERY', options: ['scope', 'budget'], changes: false, run: find },
  remember: { takes: 'TEXT', options: ['type', 'scope'], changes: true, run: remember },
  journal: { takes: 'TEXT', options: [], changes: true, run: journal },
  tasks: { takes: null, options: ['all'], changes: false, run: listTasks },
  add: { takes: 'TASK', options: ['due'], changes: true, run: addTask },
  done: { takes: 'TASK', options: [], changes: true, run: finishTask },
  import: { takes: 'PATH', options: ['from', 'scope'], changes: true, run: takeIn },
  export: { takes: 'FOLDER', options: ['learnt'], changes: false, run: writeOut },
} satisfies Record<string, Action>;
type ActionName = keyof typeof ACTIONS;
const ACTION_NAMES = Object.keys(ACTIONS) as ActionName[];
const OPTIONS = ['type', 'scope', 'due', 'all', 'from', 'learnt', 'budget'] as const;

export const addNotes: AddCommand = (program, setExitCode) => {
  const command = program
    .command('notes')
    .description('Memory as Markdown files: lists, finds, remembers, imports and exports (docs/notes.md).')
    .addArgument(new Argument('[action]', 'the action').choices(ACTION_NAMES).default('list'))
    .argument('[what]', 'the query, the text to remember, a task (its text or id), or a path')
    .addOption(
      new Option('--type <type>', 'for “remember”: its type (default: detected)').choices(REMEMBERED_TYPES),
    )
    .addOption(
      new Option(
        '--scope <scope>',
        'for “remember”, “find” and “import”: the user’s notes (global) or the project’s',
      ).choices(SCOPES),
    )
    .option('--due <day>', 'for “add”: when the task is due')
    .option('--all', 'for “tasks”: also finished ones')
    .addOption(
      new Option('--from <form>', 'for “import”: its format (default: detected)').choices(NOTE_SOURCES),
    )
    .option('--learnt', 'for “export”: also facts, open loops and summaries')
    .option('--budget <tokens>', 'for “find”: maximum number of tokens (default: 1500)', parseCount)
    .option('--notes <dir>', 'folder of the notes about the user (default: “notes” in the data folder)')
    .option(
      '--project <dir>',
      'a project: its notes are in its folder .omoide (default: this folder, if it has that)',
    )
    .option('--json', 'print the result as JSON');
  addSettings(command).action(
    async (name: ActionName, given: string | undefined, flags: Flags, self: Command) => {
      const action: Action = ACTIONS[name];
      checkUse(name, { given, flags, self });
      await withNotes(flags, self, action, (memory, notes) =>
        action.run({ memory, notes, given: given ?? '', flags, setExitCode }),
      );
    },
  );
};

/** Rejects options that have no effect on an action. */
function checkUse(
  name: ActionName,
  { given, flags, self }: { given: string | undefined; flags: Flags; self: Command },
): void {
  const { takes, options }: Action = ACTIONS[name];
  if (takes !== null && given === undefined) self.error(`error: “omoide notes ${name}” needs ${takes}`);
  if (takes === null && given !== undefined)
    self.error(`error: “omoide notes ${name}” takes no further argument`);
  const wrong = OPTIONS.find((option) => flags[option] !== undefined && !options.includes(option));
  if (wrong) self.error(`error: --${wrong} is not an option of “${name}”`);
}

/** Opens the memory that indexes the files of notes, creating it when needed. */
async function withNotes(
  flags: Flags,
  command: Command,
  { changes }: Action,
  body: (memory: Memory, notes: NotesAccess) => Promise<void>,
): Promise<void> {
  const { settings, roots } = readFlags(flags, command);
  const { memoryId, timeZone } = settings;
  const memory = await openMemory({
    ...memoryPlaceOf(settings),
    memoryId,
    notes: { global: roots.global, ...(roots.project !== null && { project: roots.project }) },
    onNotes: ({ skipped, warnings }) => {
      for (const { uri, message } of [...skipped, ...warnings]) printNote(`${plain(uri)}: ${plain(message)}`);
    },
    embedder: embedderOf(settings),
    learn: false,
    worker: false,
    ...(timeZone !== undefined && { timeZone }),
  });
  try {
    if (!memory.notes) throw new MemoryError('INVALID_INPUT', 'The memory was opened without notes.');
    await body(memory, memory.notes);
    if (changes) await internals(memory).settle();
  } finally {
    await memory.close();
  }
}

async function list({ notes, flags }: Work): Promise<void> {
  const files = await notes.list();
  if (flags.json) return printJson({ files });
  if (files.length === 0) {
    return printLines([
      'There are no notes yet. “omoide notes remember TEXT” or “omoide notes import PATH” creates some.',
    ]);
  }
  const width = Math.max(...files.map(({ uri }) => plain(uri).length));
  printLines(
    files.map(({ uri, scope, sections, modifiedAt }) => {
      const about = `${scope}, ${countOf(sections, 'section')}, ${formatInstant(modifiedAt)}`;
      return `${plain(uri).padEnd(width)}  ${style('dim', about)}`;
    }),
  );
}

async function find({ notes, given, flags }: Work): Promise<void> {
  const found = await notes.find(given, {
    ...(flags.scope && { scope: flags.scope }),
    ...(flags.budget !== undefined && { budgetTokens: flags.budget }),
  });
  if (flags.json) return printJson(found);
  const lines = found.hits.flatMap(({ unitId, uri, section, text, score }) => {
    const place = section === '' ? uri : `${uri} > ${section}`;
    const id = unitId === null ? '' : `#${unitId}  `;
    return [
      `${id}${style('bold', plain(place))}  ${style('dim', score.toFixed(2))}`,
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
  printLines([
    ...lines,
    style('dim', `${ways[found.path]}: ${count}, ${countOf(found.totalTokens, 'token')}.`),
  ]);
}

async function remember({ notes, given, flags }: Work): Promise<void> {
  const kept = await notes.remember(given, {
    ...(flags.type && { type: flags.type }),
    ...(flags.scope && { scope: flags.scope }),
  });
  if (flags.json) return printJson(kept);
  const how = kept.outcome === 'added' ? 'Remembered in' : 'Already known, now with more certainty, in';
  printLines([`${how} ${style('bold', plain(placeOf(kept)))}:`, ...wrapped(kept.text, '  ')]);
}

function placeOf({ uri, section }: { readonly uri: string; readonly section: string }): string {
  return section === '' ? uri : `${uri} > ${section}`;
}

async function journal({ notes, given, flags }: Work): Promise<void> {
  const written = await notes.journal(given);
  if (flags.json) return printJson(written);
  printLines([`Added to ${style('bold', plain(written.uri))}:`, ...wrapped(written.text, '  ')]);
}

async function listTasks({ notes, flags }: Work): Promise<void> {
  const tasks = await notes.tasks.list(flags.all ? {} : { done: false });
  if (flags.json) return printJson({ tasks });
  printLines(tasks.length === 0 ? ['There are no tasks.'] : tasks.map(formatTask));
}

async function addTask({ notes, given, flags }: Work): Promise<void> {
  printTask('Added:', await notes.tasks.add(given, flags.due === undefined ? {} : { due: flags.due }), flags);
}

async function finishTask({ notes, given, flags }: Work): Promise<void> {
  printTask('Done:', await notes.tasks.done(given), flags);
}

function printTask(what: string, task: Task, flags: Flags): void {
  if (flags.json) printJson(task);
  else printLines([`${what} ${formatTask(task)}`]);
}

function formatTask({ id, text, done, due }: Task): string {
  const until = due === null ? '' : `  ${style('dim', `due ${due}`)}`;
  return `[${done ? 'x' : ' '}] ${style('dim', id)}  ${plain(text)}${until}`;
}

async function takeIn({ notes, given, flags, setExitCode }: Work): Promise<void> {
  const report = await importNotes(notes, given, {
    ...(flags.from && { source: flags.from }),
    ...(flags.scope && { scope: flags.scope }),
  });
  if (flags.json) printJson(report);
  else printImport(report);
  if (report.skipped.length > 0) setExitCode(EXIT.incomplete);
}

function printImport({ files, skipped, remarks }: NotesImport): void {
  const lines = files.map(({ from, uri, outcome, items }) => {
    const count = items === null || items === 0 ? '' : `, ${countOf(items, 'item')}`;
    return `${outcome.padEnd('extended'.length)}  ${style('bold', plain(uri))}${count}  ${style('dim', `from ${plain(from)}`)}`;
  });
  const news = files.filter(({ outcome }) => outcome !== 'known').length;
  printLines([
    ...lines,
    style('dim', `${countOf(news, 'file')} written, ${files.length - news} already known.`),
  ]);
  remarks.forEach(printNote);
  printLines(
    skipped.map(({ from, reason }) => `left out: ${plain(from)}: ${plain(reason)}`),
    process.stderr,
  );
}

const UNITS_PER_PAGE = 1_000;

async function writeOut({ memory, notes, given, flags }: Work): Promise<void> {
  const learnt = flags.learnt
    ? formatLearnt(await readLearnt(memory), memory.timeZone)
    : new Map<string, string>();
  const { files } = await exportNotes(notes, given, learnt);
  if (flags.json) printJson({ folder: given, files });
  else printLines([`${countOf(files.length, 'file')} written to ${given}.`]);
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
