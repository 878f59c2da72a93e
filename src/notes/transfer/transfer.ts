/** Imports notes of other tools as files of notes, and exports everything as Markdown. */
export { exportNotes, type NotesExport } from './export.ts';
export { importNotes, type ImportedFile, type NotesImport } from './import.ts';
export { formatLearnt, type LearntUnit } from './learnt.ts';
export type { TransferredNotes } from './files.ts';
export { NOTE_SOURCES, type NoteSource, type SourceOptions, type Skipped } from './sources.ts';
