/** Tasks: list items with a box in `TASKS.md`, in the usual Markdown format. */
import { hash } from 'node:crypto';
import { localDate, MemoryError, parseInstant, type Instant } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { detectLanguage, foldName } from '../../text/text.ts';
import { changeItem } from '../editing/editing.ts';
import type { NoteFiles } from '../files.ts';
import { joinPath, parseNote, type Item, type Section } from '../parse/parse.ts';
import { appendTo, appendWhereItBelongs } from './sections.ts';

const URI = 'TASKS.md';
const TITLES = { en: 'Tasks', ja: 'タスク', zh: '任务' } as const;
const MAX_TASK_LENGTH = 2_000;

export interface Task {
  /** Derived from its text: it stays the same when other lines change, and when the task is done. */
  readonly id: string;
  /** Without the box and the dates. */
  readonly text: string;
  readonly done: boolean;
  /** `YYYY-MM-DD`, or null. */
  readonly due: string | null;
  readonly uri: string;
  /** In the file, from 1. */
  readonly line: number;
}

export interface TaskParts {
  readonly files: NoteFiles;
  readonly store: Store;
  readonly now: () => Instant;
}

/** A task with its position. */
interface Found extends Task {
  readonly section: Section;
  readonly item: Item;
}

export class Tasks {
  readonly #parts: TaskParts;

  constructor(parts: TaskParts) {
    this.#parts = parts;
  }

  /**
   * Adds a task after the last open one. If the same task is open and due on that day, nothing changes.
   * @param options `due`: a day, or an instant on it
   * @throws MemoryError INVALID_INPUT, INVALID_TIME, and what editing a file throws
   */
  async add(text: string, options: { readonly due?: Date | string | number } = {}): Promise<Task> {
    return (await this.keep(text, options)).task;
  }

  /** Like `add`, and returns whether the task already existed. */
  async keep(
    text: string,
    options: { readonly due?: Date | string | number } = {},
  ): Promise<{ task: Task; isNew: boolean }> {
    const words = checkWords(text);
    const { timeZone } = this.#parts.store;
    const due = options.due === undefined ? null : localDate(parseInstant(options.due, timeZone), timeZone);
    const line = due === null ? words : `${words} (due ${due})`;
    const { text: bare, due: wanted } = readDates(line);
    const isIt = (task: Found) => !task.done && task.due === wanted && foldName(task.text) === foldName(bare);
    let isNew = true;
    const after = await this.#parts.files.edit(URI, (source) => {
      isNew = !findTasks(source ?? '').some(isIt);
      return isNew ? addTask(source, line) : source;
    });
    const task = findTasks(after ?? '').find(isIt);
    if (!task) throw new MemoryError('NOTE_CONFLICT', `${URI} was changed while the task was being written.`);
    return { task: toTask(task), isNew };
  }

  /**
   * Marks a task as done and writes the day with it; one that is done already is not changed.
   * @param idOrText its id, its text, or a part of the text that no other open task contains
   * @throws MemoryError NOT_FOUND, INVALID_INPUT when several match, and what editing a file throws
   */
  async done(idOrText: string): Promise<Task> {
    const { now, store, files } = this.#parts;
    const day = localDate(now(), store.timeZone);
    let id = '';
    const after = await files.edit(URI, (source) => {
      const task = findTask(findTasks(source ?? ''), idOrText);
      id = task.id;
      if (task.done) return source;
      const at = { section: joinPath(task.section.path), text: task.item.text };
      const [first = '', ...others] = task.item.text.split('\n');
      return changeItem(source, at, { isDone: true, text: [`${first} (done ${day})`, ...others].join('\n') });
    });
    return toTask(findTask(findTasks(after ?? ''), id));
  }

  /** In the order of the file; `done`: only tasks that are done, or only open ones. */
  async list(filter: { readonly done?: boolean } = {}): Promise<Task[]> {
    const source = await this.#parts.files.read(URI);
    return findTasks(source ?? '')
      .filter((task) => filter.done === undefined || task.done === filter.done)
      .map(toTask);
  }
}

function checkWords(text: string): string {
  if (typeof text !== 'string' || text.trim() === '')
    throw new MemoryError('INVALID_INPUT', 'A task must not be empty.');
  if (text.length > MAX_TASK_LENGTH)
    throw new MemoryError('INVALID_INPUT', `A task has at most ${MAX_TASK_LENGTH} characters.`);
  const words = text
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replace(/^(?:[-*+]\s+)?\[[ xX]?\]\s*/, '')
    .replace(/^(?:to-?do|task|タスク|やること|待办|任务)\s*[:：]\s*/i, '');
  return words || text.trim();
}

function addTask(source: string | null, line: string): string {
  const item = { text: line, isDone: false };
  if (source === null || source.trim() === '') {
    return appendWhereItBelongs(`# ${TITLES[detectLanguage(line)]}\n`, '', item);
  }
  const section = sectionOfOpen(source);
  return section ? appendTo(source, section, item) : appendWhereItBelongs(source, '', item);
}

const OPEN_HEADING =
  /\b(?:open|to-?do|to do|backlog|next|now|in progress)\b|未完|やること|進行中|待办|未完成|进行中/iu;

/** The section of the last open task, or the first section whose title means tasks. */
function sectionOfOpen(source: string): Section | undefined {
  const last = findTasks(source).findLast(({ done, item }) => !done && item.depth === 0);
  if (last) return last.section;
  return parseNote(source, URI).sections.find(
    ({ path, depth }) => depth > 1 && OPEN_HEADING.test(path.at(-1) ?? ''),
  );
}

const DATE = String.raw`\d{4}-\d{2}-\d{2}`;
const DUE = new RegExp(
  String.raw`[(（]?(?:\bdue[: ]\s*|📅\s*|期限[:： ]?|締切[:： ]?|截止[:： ]?)(${DATE})[)）]?`,
  'iu',
);
const DONE = new RegExp(String.raw`[(（]?(?:\bdone[: ]\s*|✅\s*)(${DATE})[)）]?`, 'iu');

function readDates(line: string): { text: string; due: string | null } {
  const due = DUE.exec(line)?.[1] ?? null;
  const text = line.replace(DUE, ' ').replace(DONE, ' ').replace(/\s+/g, ' ').trim();
  return { text: text || line.trim(), due };
}

function findTasks(source: string): Found[] {
  const seen = new Map<string, number>();
  return parseNote(source, URI).sections.flatMap((section) =>
    section.items.flatMap((item) => {
      if (item.isDone === null || item.text === '') return [];
      const { text, due } = readDates(item.text);
      const digest = hash('sha256', foldName(text)).slice(0, 8);
      const count = (seen.get(digest) ?? 0) + 1;
      seen.set(digest, count);
      const id = count === 1 ? digest : `${digest}-${count}`;
      const line = source.slice(0, item.range.start).split('\n').length;
      return [{ id, text, done: item.isDone, due, uri: URI, line, section, item }];
    }),
  );
}

function findTask(tasks: readonly Found[], idOrText: string): Found {
  const byId = tasks.find((task) => task.id === idOrText.trim());
  if (byId) return byId;
  const wanted = foldName(idOrText);
  const equal = tasks.filter((task) => foldName(task.text) === wanted);
  const open = equal.filter((task) => !task.done);
  const parts = tasks.filter((task) => !task.done && wanted !== '' && foldName(task.text).includes(wanted));
  const candidates = open.length > 0 ? open : equal.length > 0 ? equal.slice(-1) : parts;
  const [only] = candidates;
  if (!only) throw new MemoryError('NOT_FOUND', `There is no task “${idOrText}”.`);
  if (candidates.length > 1) {
    const meant = candidates.map(({ id, text, due }) => ({ id, text, due }));
    throw new MemoryError('INVALID_INPUT', `Several tasks match “${idOrText}”; give the id of one.`, {
      tasks: meant,
    });
  }
  return only;
}

function toTask({ id, text, done, due, uri, line }: Found): Task {
  return { id, text, done, due, uri, line };
}
