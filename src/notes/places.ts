/** Where the files of notes lie, and what may be reached through their names. */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { MemoryError, type Scope } from '../model/model.ts';

/** Folders, which need not be there yet. */
export interface Roots {
  /** Of `user/`, which all projects share; without a project root, of everything. */
  readonly global: string;
  /** Of everything but `user/`; null: there is no project. */
  readonly project: string | null;
}

/** A folder that is searched for notes. */
export interface Base {
  readonly root: string;
  /** Path of the folder; the root or one in it. */
  readonly folder: string;
}

const USER = 'user';
const MAX_URI_LENGTH = 1_024;
const NOTE_NAME = /\.(?:md|markdown)$/i;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Names that Windows takes for devices, whatever their ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

export class Places {
  readonly #global: string;
  readonly #project: string | null;

  constructor(roots: Roots) {
    this.#global = resolve(roots.global);
    this.#project = roots.project === null ? null : resolve(roots.project);
  }

  /** The folders to be searched: of the global root only `user/` when there is a project. */
  get bases(): readonly Base[] {
    if (this.#project === null) return [{ root: this.#global, folder: this.#global }];
    return [
      { root: this.#global, folder: join(this.#global, USER) },
      { root: this.#project, folder: this.#project },
    ];
  }

  /** Whether the folder is there, in its root. */
  isFolderOfNotes({ root, folder }: Base): boolean {
    const path = realPath(folder);
    return (
      isWithin(realPath(root), path) && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)
    );
  }

  /** Whether a file found under a root belongs there; `user/` belongs to the global one. */
  isAtHome(uri: string, root: string): boolean {
    return this.#rootOf(uri) === root;
  }

  /** What a file is known by: its path under its root, with slashes. */
  uriOf({ root }: Base, path: string): string {
    return relative(root, path).split(sep).join('/');
  }

  /** `global` for what lies under `user/`, unless its front matter says otherwise. */
  scopeOf(uri: string): Scope {
    return uri.startsWith(`${USER}/`) ? 'global' : 'project';
  }

  /**
   * The file itself, links resolved; it need not be there.
   * @throws MemoryError OUTSIDE_ROOT when it lies elsewhere, INVALID_INPUT when the name is none of a file of notes
   */
  pathOf(uri: string): string {
    checkUri(uri);
    const root = realPath(this.#rootOf(uri));
    const path = realPath(join(root, ...uri.split('/')));
    if (!isWithin(root, path)) {
      throw new MemoryError('OUTSIDE_ROOT', `${uri} is a link that leads out of the folder of notes.`, {
        uri,
      });
    }
    return path;
  }

  /** The path of a file that is known, as it is found from the root. */
  placeOf(uri: string): string {
    return join(this.#rootOf(uri), ...uri.split('/'));
  }

  #rootOf(uri: string): string {
    return this.#project === null || uri.startsWith(`${USER}/`) ? this.#global : this.#project;
  }
}

/** Whether a file of this name is read as a note. */
export function isNoteName(name: string): boolean {
  return NOTE_NAME.test(name) && !isPassedOver(name);
}

/** Hidden files and folders, and what package managers fill, are nobody’s notes. */
export function isPassedOver(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

function checkUri(uri: string): void {
  const reject = (why: string) => {
    throw new MemoryError('INVALID_INPUT', `Not the name of a file of notes, ${why}: ${JSON.stringify(uri)}`);
  };
  if (CONTROL.test(uri) || !uri.isWellFormed()) reject('it holds a control character');
  if (uri === '' || uri.length > MAX_URI_LENGTH) reject(`it must have 1 to ${MAX_URI_LENGTH} characters`);
  const parts = uri.split(/[\\/]/);
  if (/^(?:[\\/~]|[a-z]:)/i.test(uri) || parts.includes('..')) {
    throw new MemoryError('OUTSIDE_ROOT', `${JSON.stringify(uri)} leads out of the folder of notes.`, {
      uri,
    });
  }
  if (uri.includes('\\')) reject('folders are told apart by /');
  if (parts.some((part) => part === '' || part === '.')) reject('a folder in it has no name');
  if (parts.some((part) => isPassedOver(part))) reject('hidden files and node_modules hold no notes');
  if (
    process.platform === 'win32' &&
    parts.some((part) => DEVICE.test(part) || /[<>:"|?*]|[. ]$/.test(part))
  ) {
    reject('Windows has no such file names');
  }
  if (!NOTE_NAME.test(uri)) reject('it must end in .md');
}

/** The path with links resolved, as far as there is something. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    // A link to nowhere would be written through.
    if (parent === path || lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      return path === parent ? path : '';
    return join(realPath(parent), basename(path));
  }
}

/** Whether a path, links resolved, lies in a folder. */
export function isWithin(folder: string, path: string): boolean {
  return path !== '' && (path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
}
