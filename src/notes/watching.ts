/** Tells when files of notes may have changed. What changed is seen by looking. */
import { readdirSync, statSync, watch, type Dirent, type FSWatcher } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { isNoteName, isPassedOver, type Base, type Places } from './places.ts';

/** On macOS and Windows one watcher sees a whole tree. */
const HAS_TREES = process.platform === 'darwin' || process.platform === 'win32';
/** Changes this close together are one, in milliseconds; a checkout or a rename are many events. */
const TOGETHER_MS = 40;
/** Longer than this nobody waits for the last of them. */
const MAX_TOGETHER_MS = 150;
/** How often a folder that is not there yet, or cannot be watched, is looked at, in milliseconds. */
const LOOK_EVERY_MS = 500;

export interface Watching {
  close(): void;
}

/**
 * Watches the folders of notes, also those that are not there yet.
 * @param onChange gets the files that were written to, or null when any may have been
 */
export function watchNotes(places: Places, onChange: (uris: ReadonlySet<string> | null) => void): Watching {
  const changes = new Gathering((uris) => {
    // What comes into a new folder before it is watched is seen by looking after.
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

/** Gathers what belongs together. */
class Gathering {
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
    const left = this.#since + MAX_TOGETHER_MS - Date.now();
    this.#timer = setTimeout(() => this.#tell(), Math.max(0, Math.min(TOGETHER_MS, left)));
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
 * A folder with everything in it. The watcher of a folder tells of all files in it, also of those that take another's
 * place; each folder has its own, for Linux has none for trees.
 */
class WatchedTree {
  readonly #places: Places;
  readonly #base: Base;
  readonly #changes: Gathering;
  readonly #watchers = new Map<string, Watcher>();
  #timer: NodeJS.Timeout | undefined;

  constructor(places: Places, base: Base, changes: Gathering) {
    this.#places = places;
    this.#base = base;
    this.#changes = changes;
    this.follow();
    // Between the last scan and now something may have changed.
    changes.add(null);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Watches the folders that are there now, and waits for the outermost when it is not. */
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
    const watcher = watch(folder, { recursive: HAS_TREES }, (_event, name) => {
      if (name === null) this.#changes.add(null);
      else if (!name.split(sep).some(isPassedOver)) this.#changes.add(this.#named(join(folder, name)));
    });
    watcher.on('error', () => this.#giveUp());
    this.#watchers.set(folder, { watcher, identity });
  }

  /** The file of notes, or null for what may be a folder. */
  #named(path: string): string | null {
    return isNoteName(basename(path)) ? this.#places.uriOf(this.#base, path) : null;
  }

  /** Where the system has no more watchers to give, files are looked at again and again. */
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
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }
}

/** Another folder that took the place of one is not watched by its watcher. */
function identityOf(folder: string): string | null {
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stats?.isDirectory() ? `${stats.dev}:${stats.ino}:${stats.birthtimeNs}` : null;
}

/** The folder, and where they must be watched one by one, those in it. */
function foldersIn(folder: string): string[] {
  if (HAS_TREES) return [folder];
  const folders = [folder];
  for (const entry of readFolder(folder)) {
    if (entry.isDirectory() && !isPassedOver(entry.name))
      folders.push(...foldersIn(join(folder, entry.name)));
  }
  return folders;
}

/** A folder that goes away while it is looked at has nothing in it. */
function readFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
