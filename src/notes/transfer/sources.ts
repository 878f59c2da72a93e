/** Finds what can be imported in files and folders, and chooses the target file of each. */
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isMemoryError, MemoryError, type Scope } from '../../model/model.ts';
import { isNoteName, isIgnored, isWithin } from '../places.ts';
import { readText } from './files.ts';
import { isClippings, readClippings, readDayOne } from './journals.ts';
import { LIST_FORMS, readLists, type ItemList, type ListForm } from './lists.ts';
import { namedImports, ownNoteTail, RULE_FOLDERS, ruleTail, toInstructions } from './rules.ts';

/** `markdown`: notes; `rules`: instructions for agents (CLAUDE.md, AGENTS.md, …); the others: JSON exports of tools. */
export const NOTE_SOURCES = ['markdown', 'rules', 'dayone', 'kindle', ...LIST_FORMS] as const;
export type NoteSource = (typeof NOTE_SOURCES)[number];

export interface SourceOptions {
  /** Default: detected. Of a folder with rules in it only the rules are imported. */
  readonly source?: NoteSource;
  /** The scope of the notes. Default: `project` for rules, `global` for memories from JSON. */
  readonly scope?: Scope;
}

/** What was not imported, with the reason. */
export interface Skipped {
  readonly from: string;
  readonly reason: string;
}

/** A text that becomes a file of notes. */
export interface FoundText {
  readonly from: string;
  readonly uri: string;
  readonly text: string;
}

/** Items that are added to a file of notes. */
export interface FoundList extends ItemList {
  readonly from: string;
  readonly uri: string;
}

export interface Sources {
  readonly texts: FoundText[];
  readonly lists: FoundList[];
  readonly skipped: Skipped[];
  /** What was deliberately skipped, to show to people. */
  readonly remarks: string[];
}

/** Agent files contain whole conversations. */
const MAX_JSON_BYTES = 64 * 1_048_576;
/** The limit of Claude Code. */
const MAX_HOPS = 5;

/**
 * Reads what is to be imported. Links and imports out of the folder are not followed.
 * @throws MemoryError FILE_UNREADABLE, UNKNOWN_FORMAT, INVALID_INPUT, TEXT_TOO_LONG, INVALID_TEXT
 */
export async function readSources(given: string, options: SourceOptions): Promise<Sources> {
  const path = await realpath(resolve(given)).catch((cause: Error) => {
    throw new MemoryError('FILE_UNREADABLE', `${given} cannot be read: ${cause.message}`, { cause });
  });
  const reading = new Reading(options);
  if ((await stat(path)).isDirectory()) await reading.readFolder(path);
  else await reading.readFile(path);
  return reading;
}

class Reading implements Sources {
  readonly texts: FoundText[] = [];
  readonly lists: FoundList[] = [];
  readonly skipped: Skipped[] = [];
  readonly remarks: string[] = [];
  readonly #options: SourceOptions;
  readonly #seen = new Set<string>();

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  async readFile(path: string): Promise<void> {
    const { source } = this.#options;
    if (await this.#readJournal(path)) return;
    const isJson = /\.(?:jsonl?|af)$/i.test(path);
    if (isListForm(source) || (source === undefined && isJson)) return this.#readJson(path);
    const root = dirname(path);
    const isRule = source === 'rules' || (source === undefined && ruleTail(slashed(path)) !== null);
    if (isRule) return this.#addRules(root, path, 0);
    if (isNoteName(path)) return this.#addNote(root, path);
    throw new MemoryError('UNKNOWN_FORMAT', `${path} is not in a format that can be imported as notes.`);
  }

  async readFolder(root: string): Promise<void> {
    const { source } = this.#options;
    if (isListForm(source)) {
      throw new MemoryError('INVALID_INPUT', `${root} is a folder; give the file that ${source} exported.`);
    }
    const paths = await this.#walk(root, root);
    const rules = paths.filter(
      (path) => ruleTail(slashed(path)) !== null && ownNoteTail(slashed(path)) === null,
    );
    const takesRules = source === 'rules' || (source === undefined && rules.length > 0);
    if (takesRules) for (const path of rules) await this.#addRules(root, path, 0);
    else for (const path of paths) if (isNoteName(path)) await this.#addNote(root, path);
    const others = paths.filter((path) => isNoteName(path) && !this.#seen.has(path));
    if (takesRules && source === undefined && others.length > 0) {
      this.remarks.push(
        `Other Markdown files, which are not rules for agents, were left out: ${others.length}.`,
      );
    }
  }

  /** Markdown and rules under a folder, in order. */
  async #walk(root: string, folder: string): Promise<string[]> {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: Error) => {
      this.#skip(folder, `it cannot be read: ${error.message}`);
      return [];
    });
    const paths: string[] = [];
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) await this.#noteLink(root, path);
      else if (entry.isDirectory()) {
        if (!isIgnored(entry.name) || RULE_FOLDERS.has(entry.name))
          paths.push(...(await this.#walk(root, path)));
      } else if (entry.isFile() && (isNoteName(entry.name) || ruleTail(slashed(path)) !== null))
        paths.push(path);
    }
    return paths;
  }

  /** The target of a link within the folder is found at its own path. */
  async #noteLink(root: string, path: string): Promise<void> {
    const target = await realpath(path).catch(() => '');
    if (!isWithin(root, target)) this.#skip(path, 'it is a link that leads out of the folder, or is broken');
  }

  async #addNote(root: string, path: string): Promise<void> {
    this.#seen.add(path);
    const own = ownNoteTail(slashed(path));
    const place = slashed(relative(root, path));
    const isGlobal = this.#options.scope === 'global' && !place.startsWith('user/');
    const folder = own === null ? '' : 'agent/imported/claude-memory/';
    const uri = toUri(`${isGlobal ? 'user/' : ''}${folder}${own ?? place}`);
    await this.#orSkip(path, async () => this.texts.push({ from: path, uri, text: await readText(path) }));
  }

  async #addRules(root: string, path: string, hops: number): Promise<void> {
    if (this.#seen.has(path)) return;
    this.#seen.add(path);
    const place = slashed(relative(root, path));
    // The distinctive name may be above the given folder: `.cursor/rules`.
    const tail = ruleTail(slashed(path)) ?? '';
    const uri = toUri(`${this.#folder('project')}/${tail.length > place.length ? tail : place}`);
    await this.#orSkip(path, async () => {
      const rules = await readText(path);
      this.texts.push({ from: path, uri, text: toInstructions(rules) });
      if (/\.md$/i.test(path)) await this.#followImports(root, path, rules, hops);
    });
  }

  async #followImports(root: string, path: string, rules: string, hops: number): Promise<void> {
    for (const named of namedImports(rules)) {
      const target = resolve(dirname(path), named);
      const real = await realpath(target).catch(() => null);
      const skip = (reason: string) => this.#skip(`@${named} in ${path}`, reason);
      if (named.startsWith('~') || !isWithin(root, real ?? target)) skip('it leads out of the folder');
      // A mention of a person, or a missing file.
      else if (real === null || !(await lstat(real)).isFile()) continue;
      else if (!isNoteName(real)) skip('it is not Markdown');
      else if (hops >= MAX_HOPS) skip(`it is nested more than ${MAX_HOPS} imports deep`);
      else await this.#addRules(root, real, hops + 1);
    }
  }

  /** Whether the file was a diary or clippings of an e-reader. */
  async #readJournal(path: string): Promise<boolean> {
    const { source } = this.#options;
    if (source === 'dayone' || (source === undefined && /\.json$/i.test(path))) {
      const days = readDayOne(await readText(path, MAX_JSON_BYTES));
      for (const { day, text } of days ?? [])
        this.texts.push({ from: path, uri: toUri(`journal/dayone/${day}.md`), text });
      if (days === null && source === 'dayone')
        throw new MemoryError('UNKNOWN_FORMAT', `${path} contains no entries of Day One.`);
      return days !== null;
    }
    if (source !== 'kindle' && (source !== undefined || !/\.txt$/i.test(path))) return false;
    const text = await readText(path, MAX_JSON_BYTES);
    if (source === undefined && !isClippings(text)) return false;
    const folder = `${this.#folder('global')}/kindle`;
    for (const { title, items } of readClippings(text))
      this.lists.push({
        name: title,
        items,
        from: path,
        uri: toUri(`${folder}/${title.replaceAll('/', '-')}`),
      });
    return true;
  }

  async #readJson(path: string): Promise<void> {
    const { source } = this.#options;
    const text = await readText(path, MAX_JSON_BYTES);
    const found = readLists(text, isListForm(source) ? source : null, path);
    const folder = this.#folder('global');
    for (const list of found.lists)
      this.lists.push({ ...list, from: path, uri: toUri(`${folder}/${list.name}`) });
    for (const { name, text } of found.blocks)
      this.texts.push({ from: path, uri: toUri(`${folder}/${name}`), text });
    this.remarks.push(...found.remarks);
  }

  #folder(fallback: Scope): string {
    return (this.#options.scope ?? fallback) === 'global' ? 'user/imported' : 'agent/imported';
  }

  #skip(from: string, reason: string): void {
    this.skipped.push({ from, reason });
  }

  /** A file that cannot be read does not stop the others. */
  async #orSkip(from: string, read: () => Promise<unknown>): Promise<void> {
    try {
      await read();
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      this.#skip(from, error.message);
    }
  }
}

function isListForm(source: NoteSource | undefined): source is ListForm {
  return LIST_FORMS.some((form) => form === source);
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}

/** A valid name for a file of notes: without hidden folders and forbidden characters, and with the extension. */
function toUri(path: string): string {
  const parts = path.split('/').map((part) =>
    part
      .replace(/^\.+/, '')
      .replaceAll(/[\p{Cc}\\:*?"<>|]/gu, '-')
      .replace(/[. ]+$/, ''),
  );
  const name = parts.filter((part) => part !== '').join('/');
  return isNoteName(name) ? name : `${name.replace(/\.mdc$/i, '')}.md`;
}
