/** Plans the changes of note units after files have changed. */
import {
  newUnitSchema,
  withHiddenWords,
  wallClockToInstant,
  type HiddenWords,
  type Instant,
  type NewUnitParsed,
  type Scope,
  type Sensitivity,
  type UnitOf,
} from '../../model/model.ts';
import type { NoteFileTable, UnitChange } from '../../store/store.ts';
import { countTokens } from '../../text/text.ts';
import { journalDay, parseNote, type ParsedNote } from '../parse/parse.ts';
import { matchAcrossFiles, matchWithinFile } from './matching.ts';
import type { ReadNote } from './readNote.ts';

export type NoteUnit = UnitOf<'note'>;

/** Masks personal data and secrets in the words of a section; `before`: its unit so far. */
export type Examine = (
  content: NewUnitParsed['content'],
  before: NoteUnit | null,
) => { readonly content: NewUnitParsed['content']; readonly sensitivity: Sensitivity };

export interface PlanContext {
  readonly now: Instant;
  /** Of the memory’s wall clock, for the days of the journal. */
  readonly timeZone: string;
  readonly examine: Examine;
}

/** A changed file; `read` is null when it was deleted. */
export interface ChangedFile {
  readonly uri: string;
  /** Used when its front matter does not give a scope. */
  readonly scope: Scope;
  readonly read: ReadNote | null;
  /** The units of its sections so far, including archived ones. */
  readonly units: readonly NoteUnit[];
}

/** The changes for one file, in the order of its sections. */
export interface FilePlan {
  readonly changes: readonly UnitChange[];
  /** Null for a deleted file. `change`: its index in `changes`. */
  readonly file: NoteFileUpsert | null;
  readonly uri: string;
}

export type NoteFileUpsert = Parameters<NoteFileTable['apply']>[0]['upserts'][number];

export interface Plan {
  readonly files: readonly FilePlan[];
  readonly warnings: readonly { readonly uri: string; readonly message: string }[];
  readonly added: number;
  readonly edited: number;
  readonly returned: number;
  readonly archived: number;
}

/** A section that needs a unit. */
interface Wanted {
  readonly uri: string;
  readonly section: string;
  readonly text: string;
  readonly unit: NewUnitParsed;
  /** The sensitivity in the front matter; null keeps that of the unit. */
  readonly sensitivity: ParsedNote['sensitivity'];
}

/** A unit as it is compared with sections. */
interface Candidate {
  readonly unit: NoteUnit;
  readonly section: string;
  readonly text: string;
}

export function planChanges(files: readonly ChangedFile[], context: PlanContext): Plan {
  const parsed = files.map((file) => ({ file, note: file.read && parseNote(file.read.text, file.uri) }));
  const wanted = parsed.map(({ file, note }) => (note ? wantedSections(file, note, context) : []));
  const unitOf = matchUnits(files, wanted);
  const kept = new Set([...unitOf.values()].map((unit) => unit.id));
  const counts = { added: 0, edited: 0, returned: 0, archived: 0 };
  const plans = parsed.map(({ file, note }, i): FilePlan => {
    const changes: UnitChange[] = [];
    const unitIds = (wanted[i] ?? []).map((section) => {
      const unit = unitOf.get(section);
      const change = unit ? changeOf(unit, section, context) : addition(section, context);
      if (change) changes.push(change);
      if (!unit) counts.added++;
      else if (change) counts[unit.state === 'archived' ? 'returned' : 'edited']++;
      return unit ? unit.id : { change: changes.length - 1 };
    });
    const gone = file.units.filter((unit) => !kept.has(unit.id) && unit.state !== 'archived');
    counts.archived += gone.length;
    return { uri: file.uri, changes: [...changes, ...gone.map(archive)], file: upsert(file, note, unitIds) };
  });
  const warnings = parsed.flatMap(({ file, note }) =>
    (note?.warnings ?? []).map((message) => ({ uri: file.uri, message })),
  );
  return { files: plans, warnings, ...counts };
}

function archive({ id, version }: NoteUnit): UnitChange {
  return {
    type: 'update',
    unitId: id,
    set: { state: 'archived' },
    reason: 'removed',
    expectedVersion: version,
  };
}

function upsert(
  { uri, scope, read }: ChangedFile,
  note: ParsedNote | null,
  unitIds: NoteFileUpsert['unitIds'],
): NoteFileUpsert | null {
  if (!read) return null;
  const { hash, sizeBytes, modifiedAt } = read;
  return { uri, scope: note?.scope ?? scope, hash, sizeBytes, modifiedAt, unitIds };
}

function wantedSections(file: ChangedFile, note: ParsedNote, context: PlanContext): Wanted[] {
  const { uri } = file;
  const occurredAt = timeOf(file, context);
  return note.chunks.map(({ section, text }) => {
    const payload = { uri, section, memoryType: note.memoryType, text, tokenCount: countTokens(text) };
    const unit = newUnitSchema.parse({
      source: 'note',
      scope: note.scope ?? file.scope,
      content: { kind: 'note', payload },
      occurredAt,
      ...(note.sensitivity ? { sensitivity: note.sensitivity } : {}),
    });
    return { uri, section, text, unit, sensitivity: note.sensitivity };
  });
}

/** When the content of a file was noted: the beginning of the journal’s day, or else when the file was last written. */
function timeOf({ uri, read }: ChangedFile, { now, timeZone }: PlanContext): Instant {
  const day = journalDay(uri);
  const start = day === null ? NaN : wallClockToInstant(`${day}T00:00:00`, timeZone);
  const at = Number.isNaN(start) ? Math.floor(read?.writtenAt ?? now) : start;
  return Math.min(at, now);
}

/** The existing unit of each section: from its own file, or from another that changed at the same time. */
function matchUnits(files: readonly ChangedFile[], wanted: readonly Wanted[][]): Map<Wanted, NoteUnit> {
  const unitOf = new Map<Wanted, NoteUnit>();
  const gone: Candidate[] = [];
  const added: Wanted[] = [];
  const sectionsOf = Map.groupBy(wanted.flat(), (section) => section.uri);
  for (const file of files) {
    const sections = sectionsOf.get(file.uri) ?? [];
    const scope = sections[0]?.unit.scope ?? file.scope;
    const [own, others] = partition(file.units, (unit) => unit.scope === scope);
    const [present, archived] = partition(own.map(toCandidate), ({ unit }) => unit.state !== 'archived');
    const matched = matchWithinFile(present, sections);
    // Archived units are matched only by text or similarity, since their heading may have a different text now.
    const returned = matchAcrossFiles(archived, matched.added);
    for (const [{ unit }, section] of [...matched.pairs, ...returned.pairs]) unitOf.set(section, unit);
    gone.push(...matched.gone, ...others.filter((unit) => unit.state !== 'archived').map(toCandidate));
    added.push(...returned.added);
  }
  for (const [scope, sections] of Map.groupBy(added, ({ unit }) => unit.scope)) {
    const moved = matchAcrossFiles(
      gone.filter(({ unit }) => unit.scope === scope),
      sections,
    );
    for (const [{ unit }, section] of moved.pairs) unitOf.set(section, unit);
  }
  return unitOf;
}

function partition<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))];
}

/** Sections are compared word for word. */
function toCandidate(unit: NoteUnit): Candidate {
  const { section, text } = withHiddenWords(unit).payload;
  return { unit, section, text };
}

function addition(section: Wanted, context: PlanContext): UnitChange {
  return { type: 'add', unit: { ...section.unit, ...masked(section, null, context) }, reason: 'noted' };
}

/** A file that says `sensitivity: normal` is not examined. */
function masked(
  { unit, sensitivity }: Wanted,
  before: NoteUnit | null,
  { examine }: PlanContext,
): ReturnType<Examine> {
  if (sensitivity === 'normal') return { content: unit.content, sensitivity };
  const examined = examine(unit.content, before);
  return { ...examined, sensitivity: sensitivity ?? examined.sensitivity };
}

/** The change that updates a unit to its section; null when it is up to date. */
function changeOf(unit: NoteUnit, wanted: Wanted, context: PlanContext): UnitChange | null {
  const { content, sensitivity } = masked(wanted, unit, context);
  if (content.kind !== 'note') return null;
  const isBack = unit.state === 'archived';
  const { uri, section, memoryType, text, hidden } = content.payload;
  const isMoved = unit.payload.uri !== uri || unit.payload.section !== section;
  const isEdited =
    unit.payload.text !== text ||
    unit.payload.memoryType !== memoryType ||
    !isSameList(unit.payload.hidden, hidden);
  const isSensitive = unit.sensitivity !== sensitivity;
  if (!isBack && !isMoved && !isEdited && !isSensitive) return null;
  return {
    type: 'update',
    unitId: unit.id,
    set: {
      ...(isBack ? { state: 'validated' } : {}),
      ...(isMoved || isEdited ? { content } : {}),
      ...(isSensitive ? { sensitivity } : {}),
    },
    reason: isBack ? 'returned' : isEdited || !isMoved ? 'edited' : 'moved',
    expectedVersion: unit.version,
  };
}

function isSameList(one: readonly HiddenWords[] = [], other: readonly HiddenWords[] = []): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
