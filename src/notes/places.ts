/** The folders of notes, and the check that names do not lead outside them. */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { MemoryError, type Scope } from '../model/model.ts';

/** Folders, which need not exist yet. */
export interface Roots {
  /** The root of `user/`, which all projects share; without a project root, of everything. */
  readonly global: string;
  /** The root of everything except `user/`; null: there is no project. */
  readonly project: string | null;
}

/** A folder that is searched for notes. */
export interface Base {
  readonly root: string;
  /** Path of the folder: the root or a folder in it. */
  readonly folder: string;
}

const USER = 'user';
const MAX_URI_LENGTH = 1_024;
const NOTE_NAME = /\.(?:md|markdown)$/i;
// oxlint-disable-next-line no-control-regex -- control characters are what this searches for
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Names that are devices on Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

export class Places {
  readonly #global: string;
  readonly #project: string | null;

  constructor(roots: Roots) {
    this.#global = resolve(roots.global);
    this.#project = roots.project === null ? null : resolve(roots.project);
  }

  /** The folders to search: of the global root only `user/` when there is a project. */
  get bases(): readonly Base[] {
    if (this.#project === null) return [{ root: this.#global, folder: this.#global }];
    return [
      { root: this.#global, folder: join(this.#global, USER) },
      { root: this.#project, folder: this.#project },
    ];
  }

  /** Whether the folder exists and is inside its root. */
  isFolderOfNotes({ root, folder }: Base): boolean {
    const path = realPath(folder);
    return (
      isWithin(realPath(root), path) && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)
    );
  }

  /** Whether a file found under a root belongs to that root; `user/` belongs to the global one. */
  isAtHome(uri: string, root: string): boolean {
    return this.#rootOf(uri) === root;
  }

  /** The name of a file: its path under its root, with slashes. */
  uriOf({ root }: Base, path: string): string {
    return relative(root, path).split(sep).join('/');
  }

  /** `global` for files under `user/`, unless the front matter says otherwise. */
  scopeOf(uri: string): Scope {
    return uri.startsWith(`${USER}/`) ? 'global' : 'project';
  }

  /**
   * The path of the file with links resolved; the file need not exist.
   * @throws MemoryError OUTSIDE_ROOT when it is outside the root, INVALID_INPUT when it is not a valid name for a file
   * of notes
   */
  pathOf(uri: string): string {
    checkUri(uri);
    const root = realPath(this.#rootOf(uri));
    const path = realPath(join(root, ...uri.split('/')));
    if (!isWithin(root, path)) {
      throw new MemoryError('OUTSIDE_ROOT', `${uri} is a link to a place outside the notes folder.`, {
        uri,
      });
    }
    return path;
  }

  /** The path of a known file, without resolving links. */
  placeOf(uri: string): string {
    return join(this.#rootOf(uri), ...uri.split('/'));
  }

  #rootOf(uri: string): string {
    return this.#project === null || uri.startsWith(`${USER}/`) ? this.#global : this.#project;
  }
}

/** Whether a file of this name is read as a note. */
export function isNoteName(name: string): boolean {
  return NOTE_NAME.test(name) && !isIgnored(name);
}

/** Hidden files and folders, and folders of package managers, are skipped. */
export function isIgnored(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

function checkUri(uri: string): void {
  const reject = (why: string) => {
    throw new MemoryError(
      'INVALID_INPUT',
      `Not a valid name for a note file, ${why}: ${JSON.stringify(uri)}`,
    );
  };
  if (CONTROL.test(uri) || !uri.isWellFormed()) reject('it contains a control character');
  if (uri === '' || uri.length > MAX_URI_LENGTH) reject(`it must have 1 to ${MAX_URI_LENGTH} characters`);
  const parts = uri.split(/[\\/]/);
  if (/^(?:[\\/~]|[a-z]:)/i.test(uri) || parts.includes('..')) {
    throw new MemoryError('OUTSIDE_ROOT', `${JSON.stringify(uri)} is outside the notes folder.`, {
      uri,
    });
  }
  if (uri.includes('\\')) reject('the separator of folders is /');
  if (parts.some((part) => part === '' || part === '.')) reject('a folder in it has no name');
  if (parts.some((part) => isIgnored(part))) reject('hidden files and node_modules cannot contain notes');
  if (
    process.platform === 'win32' &&
    parts.some((part) => DEVICE.test(part) || /[<>:"|?*]|[. ]$/.test(part))
  ) {
    reject('Windows does not allow such file names');
  }
  if (!NOTE_NAME.test(uri)) reject('it must end in .md');
}

/** The path with links resolved, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    // Writing would follow a dangling link.
    if (parent === path || lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      return path === parent ? path : '';
    return join(realPath(parent), basename(path));
  }
}

/** Whether a path, with links resolved, is inside a folder. */
export function isWithin(folder: string, path: string): boolean {
  return path !== '' && (path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
}
