/** Connects the files of notes of a memory with recall and the embedder. */
import type { Embedder } from '../llm/llm.ts';
import type { Instant } from '../model/model.ts';
import { createNotesAccess, openNotes, type NotesAccess, type ScanReport } from '../notes/notes.ts';
import { findNoteDestination, type RecallOptions, type RecallResult } from '../recall/recall.ts';
import type { Store } from '../store/store.ts';
import type { SensitivePolicy } from '../ingest/ingest.ts';
import { examine, examineWithoutRejecting, sensitivityAfter } from './maskPolicy.ts';

export interface MemoryNotes {
  readonly access: NotesAccess;
  close(): Promise<void>;
}

export interface MemoryNotesParts {
  readonly store: Store;
  readonly now: () => Instant;
  readonly roots: { readonly global: string; readonly project?: string };
  /** Whether files are watched while the memory is open, or only read when it is opened. */
  readonly isWatching: boolean;
  readonly embedder: () => Embedder | null;
  readonly recall: (query: string, options: RecallOptions) => Promise<RecallResult>;
  readonly unitJobKinds: readonly string[];
  readonly policy: () => SensitivePolicy;
  readonly onChange: (report: ScanReport) => void;
}

/** The most sections of a search; the budget decides how many are shown. */
const MAX_FOUND = 50;

/** @throws MemoryError INVALID_INPUT when a root is not a folder */
export async function openMemoryNotes(parts: MemoryNotesParts): Promise<MemoryNotes> {
  const { store, now, roots, embedder, recall, unitJobKinds, policy, onChange } = parts;
  // The changes of the first scan are reported once, together with skipped files.
  let isOpen = false;
  const files = await openNotes({
    store,
    now,
    roots: { global: roots.global, project: roots.project ?? null },
    unitJobKinds,
    examine(content, before) {
      const examined = examineWithoutRejecting(content, policy(), before);
      const sensitivity = before ? sensitivityAfter(examined, before) : examined.sensitivity;
      return { content: examined.stated, sensitivity };
    },
    onChange: (report) => isOpen && onChange(report),
  });
  try {
    onChange(await files.scan());
    isOpen = true;
  } catch (error) {
    await files.close();
    throw error;
  }
  if (parts.isWatching) files.watch();
  const access = createNotesAccess({
    files,
    store,
    now,
    embed: async (texts) => (await embedder()?.embed(texts, 'document')) ?? [],
    check: (text) => void (policy() === 'refuse' && examine({ kind: 'loop', payload: { text } }, 'refuse')),
    destinationOf: (query, at) => findNoteDestination(query, at, store.timeZone),
    async search(query, options) {
      const asked = { profile: 'salience', strategy: 'hybrid', kinds: ['note' as const], limit: MAX_FOUND };
      return (await recall(query, { ...asked, ...options } as RecallOptions)).hits;
    },
  });
  return { access, close: () => files.close() };
}
