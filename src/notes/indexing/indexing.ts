/** Keeps the units of notes in sync with the files. */
import { join } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { isMemoryError, TEMPORARY_PREFIX, unitsOfKind, type Instant } from '../../model/model.ts';
import { unitPages, type NoteFile, type Store, type UnitChange, type UnitFilter } from '../../store/store.ts';
import type { Places } from '../places.ts';
import { acquireLock } from '../write/write.ts';
import {
  planChanges,
  type ChangedFile,
  type Examine,
  type FilePlan,
  type NoteUnit,
  type Plan,
} from './plan.ts';
import { readNote, type ReadNote } from './readNote.ts';
import { findNotes, walkNotes, type FoundFile, type Skipped, type Walk } from './walk.ts';

export type { Examine, NoteUnit } from './plan.ts';
export type { Skipped } from './walk.ts';

/** The result of a scan. */
export interface ScanReport {
  /** Files and sections in the index now. */
  readonly files: number;
  readonly sections: number;
  /** Numbers of sections: new, changed or moved, restored from the archive, removed. */
  readonly added: number;
  readonly edited: number;
  readonly returned: number;
  readonly archived: number;
  /** Files whose sections changed, and files that were removed. */
  readonly changed: readonly string[];
  /** Files that were not read, with the reason. */
  readonly skipped: readonly Skipped[];
  /** Problems in files that were read. */
  readonly warnings: readonly { readonly uri: string; readonly message: string }[];
}

export interface IndexParts {
  readonly store: Store;
  readonly places: Places;
  readonly now: () => Instant;
  /** Kinds of job to create for each section that was added or reworded. */
  readonly unitJobKinds: readonly string[];
  readonly examine: Examine;
  /** Called when sections changed. */
  readonly onChange?: (report: ScanReport) => void;
}

/** Up to this many files are looked up one by one; for more, all units of notes are read. */
const FEW_FILES = 8;
const PAGE = 1_000;
/** The most additions in one transaction, which other writers wait for. */
const MAX_ADDITIONS = 200;
/** When another process has indexed at the same time, its changes are read and compared again, this many times. */
const MAX_TRIES = 5;
/** Times from different system calls can differ by less than this, in milliseconds. */
const SAME_TIME_MS = 0.001;

export class NoteIndex {
  readonly #parts: IndexParts;
  #last: Promise<unknown> = Promise.resolve();
  /** The next scan, which waits for the current one. */
  #next: { readonly uris: Set<string>; readonly report: Promise<ScanReport> } | null = null;

  constructor(parts: IndexParts) {
    this.#parts = parts;
  }

  /** Compares all files with the index. Scans run one after the other. */
  scan(): Promise<ScanReport> {
    return this.#inTurn(() => this.#scan(null));
  }

  /** Reads these files, whatever their times are. Requests made during a scan are handled together. */
  refresh(uris: ReadonlySet<string>): Promise<ScanReport> {
    if (this.#next) {
      for (const uri of uris) this.#next.uris.add(uri);
      return this.#next.report;
    }
    const named = new Set(uris);
    const report = this.#inTurn(() => {
      this.#next = null;
      return this.#scan(named);
    });
    this.#next = { uris: named, report };
    return report;
  }

  /** Resolves when all requests are done or have failed. */
  async settled(): Promise<void> {
    await this.#last.catch(() => {});
  }

  #inTurn(work: () => Promise<ScanReport>): Promise<ScanReport> {
    const tryAgain = () => this.#try(work);
    const mine = this.#last.then(tryAgain, tryAgain);
    this.#last = mine;
    return mine;
  }

  async #try(work: () => Promise<ScanReport>): Promise<ScanReport> {
    for (let tries = 1; ; tries++) {
      try {
        const report = await work();
        if (report.changed.length > 0) this.#parts.onChange?.(report);
        return report;
      } catch (error) {
        if (tries === MAX_TRIES || !isMemoryError(error, 'VERSION_CONFLICT')) throw error;
      }
    }
  }

  /** @param named files that were written to; null: any file may have been */
  async #scan(named: ReadonlySet<string> | null): Promise<ScanReport> {
    const rows = await this.#rows();
    const walk = await this.#walk(named, rows);
    const found = new Map(walk.files.map((file) => [file.uri, file]));
    const suspects = walk.files.filter(
      (file) => named?.has(file.uri) || !isAsIndexed(file, rows.get(file.uri)),
    );
    const { read, skipped } = await readAll(suspects);
    const isMissing = (uri: string) => !found.has(uri) && walk.hasLookedFor(uri);
    const isGone = (uri: string) => isMissing(uri) || skipped.some((one) => one.uri === uri && isNoNote(one));
    const isChanged = (uri: string) => rows.get(uri)?.hash !== read.get(uri)?.hash;
    const changed = [...read.keys()].filter(isChanged);
    const gone = [...rows.keys()].filter(isGone);
    const plan =
      changed.length + gone.length > 0 || rows.size === 0
        ? await this.#change(changed, gone, { read, isGone, hasNew: changed.some((uri) => !rows.has(uri)) })
        : NOTHING;
    await this.#noteTimes(
      [...read].filter(([uri]) => !isChanged(uri)),
      rows,
    );
    return report(await this.#rows(), plan, [...walk.skipped, ...skipped]);
  }

  /** A file that is new or missing may have been renamed: then all files are examined. */
  async #walk(named: ReadonlySet<string> | null, rows: ReadonlyMap<string, NoteFile>): Promise<Walk> {
    const { places } = this.#parts;
    const isKnown = named !== null && [...named].every((uri) => rows.has(uri));
    return (isKnown ? findNotes(places, named) : null) ?? (await walkNotes(places));
  }

  async #rows(): Promise<Map<string, NoteFile>> {
    return new Map((await this.#parts.store.noteFiles.list()).map((row) => [row.uri, row]));
  }

  /** Holds a lock, so that two processes do not both add the same sections. */
  async #change(changed: readonly string[], gone: readonly string[], seen: Seen): Promise<Plan> {
    const { places, now, store } = this.#parts;
    const lock = await acquireLock(join(places.bases[0]?.root ?? '', `${TEMPORARY_PREFIX}index.lock`));
    try {
      const rows = await this.#rows();
      const uris = changed.filter((uri) => rows.get(uri)?.hash !== seen.read.get(uri)?.hash);
      const files = await this.#changedFiles([...uris, ...gone.filter((uri) => rows.has(uri))], rows, seen);
      const plan = planChanges(files, { now: now(), timeZone: store.timeZone, examine: this.#parts.examine });
      await this.#apply(plan.files);
      return plan;
    } finally {
      lock.release();
    }
  }

  /** The changed files with their units; and deleted files, of which only units are left. */
  async #changedFiles(
    uris: readonly string[],
    rows: ReadonlyMap<string, NoteFile>,
    seen: Seen,
  ): Promise<ChangedFile[]> {
    const { places } = this.#parts;
    const isWhole = rows.size === 0 || (seen.hasNew && uris.length > FEW_FILES);
    const units = isWhole ? await this.#unitsByUri({}) : new Map<string, NoteUnit[]>();
    if (!isWhole) for (const uri of uris) units.set(uri, (await this.#unitsByUri({ uri })).get(uri) ?? []);
    const orphans = [...units.keys()].filter(
      (uri) => !uris.includes(uri) && !rows.has(uri) && seen.isGone(uri),
    );
    return [...uris, ...orphans].map((uri) => ({
      uri,
      scope: places.scopeOf(uri),
      read: seen.read.get(uri) ?? null,
      units: units.get(uri) ?? [],
    }));
  }

  async #unitsByUri(filter: UnitFilter): Promise<Map<string, NoteUnit[]>> {
    const all: UnitFilter = {
      kinds: ['note'],
      source: 'note',
      withArchived: true,
      maxSensitivity: 'secret',
      ...filter,
    };
    const pages = await Array.fromAsync(unitPages(this.#parts.store, all, { limit: PAGE }));
    const units = unitsOfKind('note', pages.flat()).toSorted((a, b) => a.id - b.id);
    return Map.groupBy(units, (unit) => unit.payload.uri);
  }

  /** Units that move between files do so in one transaction; additions may be split into several. */
  async #apply(plans: readonly FilePlan[]): Promise<void> {
    const isOnlyNew = ({ file, changes }: FilePlan) =>
      file !== null && changes.every(({ type }) => type === 'add');
    const others = plans.filter((plan) => !isOnlyNew(plan));
    const batches = others.length > 0 ? [others] : [];
    for (const plan of plans.filter(isOnlyNew)) {
      const last = batches.at(-1);
      const size = last?.reduce((sum, { changes }) => sum + changes.length, plan.changes.length) ?? 0;
      if (last && last !== others && size <= MAX_ADDITIONS) last.push(plan);
      else batches.push([plan]);
    }
    for (const batch of batches) {
      await this.#applyAtOnce(batch);
      await yieldToOthers();
    }
  }

  async #applyAtOnce(plans: readonly FilePlan[]): Promise<void> {
    const changes: UnitChange[] = [];
    const upserts = [];
    for (const plan of plans) {
      const offset = changes.length;
      changes.push(...plan.changes);
      if (!plan.file) continue;
      const unitIds = plan.file.unitIds.map((id) =>
        typeof id === 'number' ? id : { change: id.change + offset },
      );
      upserts.push({ ...plan.file, unitIds });
    }
    const removals = plans.filter(({ file }) => file === null).map(({ uri }) => uri);
    const { store, unitJobKinds } = this.#parts;
    await store.noteFiles.apply({ upserts, removals, changes, unitJobKinds });
  }

  /** Stores new times, so that files that were written without a change are not read again. */
  async #noteTimes(
    unchanged: readonly [string, ReadNote][],
    rows: ReadonlyMap<string, NoteFile>,
  ): Promise<void> {
    const upserts = unchanged.flatMap(([uri, { modifiedAt, sizeBytes }]) => {
      const row = rows.get(uri);
      return row && row.modifiedAt !== modifiedAt ? [{ ...row, modifiedAt, sizeBytes }] : [];
    });
    if (upserts.length === 0) return;
    await this.#parts.store.noteFiles.apply({ upserts, removals: [], changes: [], unitJobKinds: [] });
  }
}

/** What was found on the disk. */
interface Seen {
  readonly read: ReadonlyMap<string, ReadNote>;
  readonly isGone: (uri: string) => boolean;
  readonly hasNew: boolean;
}

const NOTHING: Plan = { files: [], warnings: [], added: 0, edited: 0, returned: 0, archived: 0 };

function isAsIndexed(file: FoundFile, row: NoteFile | undefined): boolean {
  return row?.sizeBytes === file.sizeBytes && Math.abs(row.modifiedAt - file.modifiedAt) < SAME_TIME_MS;
}

async function readAll(
  files: readonly FoundFile[],
): Promise<{ read: Map<string, ReadNote>; skipped: Skipped[] }> {
  const read = new Map<string, ReadNote>();
  const skipped: Skipped[] = [];
  for (const file of files) {
    const one = await readNote(file);
    if (one && 'reason' in one) skipped.push(one);
    else if (one) read.set(file.uri, one);
  }
  return { read, skipped };
}

/** The file is not a note any more; a file that only cannot be read at the moment keeps its units. */
function isNoNote({ reason }: Skipped): boolean {
  return reason === 'too large' || reason === 'not text';
}

function report(rows: ReadonlyMap<string, NoteFile>, plan: Plan, skipped: readonly Skipped[]): ScanReport {
  const { added, edited, returned, archived, warnings } = plan;
  return {
    files: rows.size,
    sections: rows.values().reduce((sum, row) => sum + row.unitIds.length, 0),
    added,
    edited,
    returned,
    archived,
    changed: plan.files.filter(({ changes, file }) => changes.length > 0 || !file).map(({ uri }) => uri),
    skipped,
    warnings,
  };
}
