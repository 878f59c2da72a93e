import { z } from 'zod';
import { MemoryError, type Memory, type NotesAccess } from '../../engine/engine.ts';
import { memoryOperation } from '../operation.ts';

const uri = z.string().min(1).max(500).describe('The file: `user/preferences.md`, `journal/2026-03-01.md` …');
const hash = z.string().describe('SHA-256 of the text, hex.');
const noteText = z.object({ uri, text: z.string(), hash });

export const noteOperations = {
  listNotes: memoryOperation('listNotes', 'existing', {
    tag: 'notes',
    summary: 'Lists the note files of a memory, by name.',
    answer: z.object({
      folder: z.boolean().describe('False for a memory without a notes folder.'),
      items: z.array(
        z.object({
          uri,
          scope: z.enum(['global', 'project']),
          sections: z.int().min(0),
          sizeBytes: z.int().min(0),
          modifiedAt: z.int().describe('Milliseconds since 1970-01-01T00:00Z.'),
        }),
      ),
    }),
    handle: async ({ memory }) => ({
      folder: memory.notes !== null,
      items: memory.notes ? await memory.notes.list() : [],
    }),
  }),

  readNote: memoryOperation('readNote', 'existing', {
    tag: 'notes',
    summary: 'Reads one note file.',
    query: z.strictObject({ uri }),
    answer: noteText,
    problems: ['OUTSIDE_ROOT'],
    handle: async ({ memory, query }) => shown(await notesOf(memory).read(query.uri)),
  }),

  writeNote: memoryOperation('writeNote', 'existing', {
    tag: 'notes',
    summary: 'Writes a whole note file; creates it when it is missing.',
    description:
      'With `expectedHash` only if the file has not changed since it was read; otherwise 409: read it again and merge.',
    body: z.strictObject({
      uri,
      text: z.string().max(1_000_000),
      expectedHash: hash
        .nullable()
        .optional()
        .describe('The hash from reading it; null: the file must not exist.'),
    }),
    answer: noteText,
    problems: ['NOTE_CONFLICT', 'OUTSIDE_ROOT', 'TEXT_TOO_LONG', 'INVALID_TEXT'],
    example: {
      uri: 'user/preferences.md',
      text: '# Preferences\n\n- Tea, not coffee.\n',
      expectedHash: null,
    },
    async handle({ memory, body: { uri: file, text, expectedHash } }) {
      const options = expectedHash === undefined ? {} : { expectedHash };
      return shown(await notesOf(memory).write(file, text, options));
    },
  }),
};

function shown({ uri: file, text, hash: sum }: Awaited<ReturnType<NotesAccess['read']>>) {
  return { uri: file, text, hash: sum };
}

/** @throws MemoryError NOT_FOUND */
function notesOf({ memoryId, notes }: Memory): NotesAccess {
  if (notes) return notes;
  throw new MemoryError('NOT_FOUND', `The memory “${memoryId}” has no notes folder.`);
}
