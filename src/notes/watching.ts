/** Reports when files of notes may have changed. A scan then finds out what changed. */
import { readdirSync, statSync, watch, type Dirent, type FSWatcher } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { isNoteName, isIgnored, type Base, type Places } from './places.ts';

/** On macOS and Windows one watcher covers a whole tree. */
const WATCHES_RECURSIVELY = process.platform === 'darwin' || process.platform === 'win32';
/** Changes within this many milliseconds are reported together; a checkout or a rename causes many events. */
const DEBOUNCE_MS = 40;
/** Changes are reported after at most this many milliseconds. */
const MAX_DEBOUNCE_MS = 150;
/** How often a folder that does not exist yet, or cannot be watched, is checked, in milliseconds. */
const CHECK_INTERVAL_MS = 500;

export interface Watching {
  close(): void;
}

/**
 * Watches the folders of notes, including those that do not exist yet.
 * @param onChange gets the files that were written to, or null when any may have been
 */
export function watchNotes(places: Places, onChange: (uris: ReadonlySet<string> | null) => void): Watching {
  const changes = new ChangeBatch((uris) => {
    // Files added to a new folder before it is watched are found by scanning it.
    if (uris === null) for (const tree of trees) tree.follow();
    onChange(uris);
  });
  const trees = places.bases.map((base) => new WatchedTree(places, base, changes));
  return {
    close() {
      changes.stop();
      for (const tree of trees) tree.close();
    },
  };
}

/** Collects changes that are close together. */
class ChangeBatch {
  readonly #onChange: (uris: ReadonlySet<string> | null) => void;
  #uris = new Set<string>();
  #isAny = false;
  #since: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(onChange: (uris: ReadonlySet<string> | null) => void) {
    this.#onChange = onChange;
  }

  /** @param uri null: any file */
  add(uri: string | null): void {
    if (this.#isStopped) return;
    if (uri === null) this.#isAny = true;
    else this.#uris.add(uri);
    this.#since ??= Date.now();
    clearTimeout(this.#timer);
    const left = this.#since + MAX_DEBOUNCE_MS - Date.now();
    this.#timer = setTimeout(() => this.#tell(), Math.max(0, Math.min(DEBOUNCE_MS, left)));
  }

  #tell(): void {
    const uris = this.#isAny ? null : this.#uris;
    [this.#uris, this.#isAny, this.#since] = [new Set(), false, null];
    this.#onChange(uris);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}

interface Watcher {
  readonly watcher: FSWatcher;
  readonly identity: string | null;
}

/**
 * A folder with everything in it. The watcher of a folder reports all files in it, including replaced ones. Each
 * folder needs its own watcher, since Linux cannot watch trees.
 */
class WatchedTree {
  readonly #places: Places;
  readonly #base: Base;
  readonly #changes: ChangeBatch;
  readonly #watchers = new Map<string, Watcher>();
  #timer: NodeJS.Timeout | undefined;

  constructor(places: Places, base: Base, changes: ChangeBatch) {
    this.#places = places;
    this.#base = base;
    this.#changes = changes;
    this.follow();
    // Something may have changed since the last scan.
    changes.add(null);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Watches the folders that exist now, and waits for the outermost when it is missing. */
  follow(): void {
    if (this.#timer) return;
    const folders = this.#places.isFolderOfNotes(this.#base) ? foldersIn(this.#base.folder) : [];
    for (const [folder, { watcher, identity }] of this.#watchers) {
      if (identityOf(folder) === identity) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    try {
      for (const folder of folders) if (!this.#watchers.has(folder)) this.#watch(folder);
      if (folders.length === 0) this.#lookNowAndThen(() => this.#places.isFolderOfNotes(this.#base));
    } catch {
      this.#giveUp();
    }
  }

  #watch(folder: string): void {
    const identity = identityOf(folder);
    const watcher = watch(folder, { recursive: WATCHES_RECURSIVELY }, (_event, name) => {
      if (name === null) this.#changes.add(null);
      else if (!name.split(sep).some(isIgnored)) this.#changes.add(this.#named(join(folder, name)));
    });
    watcher.on('error', () => this.#giveUp());
    this.#watchers.set(folder, { watcher, identity });
  }

  /** The uri of a file of notes, or null for what may be a folder. */
  #named(path: string): string | null {
    return isNoteName(basename(path)) ? this.#places.uriOf(this.#base, path) : null;
  }

  /** Without free watchers in the system, files are checked periodically. */
  #giveUp(): void {
    this.close();
    this.#lookNowAndThen(() => true, { isForGood: true });
  }

  #lookNowAndThen(isWorthIt: () => boolean, { isForGood = false } = {}): void {
    this.#timer = setInterval(() => {
      if (!isWorthIt()) return;
      if (!isForGood) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
      this.#changes.add(null);
    }, CHECK_INTERVAL_MS);
    this.#timer.unref();
  }
}

/** A watcher does not follow when another folder takes the place of the watched one. */
function identityOf(folder: string): string | null {
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stats?.isDirectory() ? `${stats.dev}:${stats.ino}:${stats.birthtimeNs}` : null;
}

/** The folder and, where folders must be watched one by one, all folders in it. */
function foldersIn(folder: string): string[] {
  if (WATCHES_RECURSIVELY) return [folder];
  const folders = [folder];
  for (const entry of readFolder(folder)) {
    if (entry.isDirectory() && !isIgnored(entry.name)) folders.push(...foldersIn(join(folder, entry.name)));
  }
  return folders;
}

/** A folder that is deleted while it is read is empty. */
function readFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
