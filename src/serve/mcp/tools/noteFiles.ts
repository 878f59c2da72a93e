/** Tools for the files of notes: list, read and edit. */
import { z } from 'zod';
import {
  isMemoryError,
  MemoryError,
  requireNotes,
  type NotesAccess,
  type NoteText,
} from '../../../engine/engine.ts';
import { countTokens } from '../../../text/text.ts';
import { answer, fitEntries, MAX_ANSWER_TOKENS, remark, withinBudget } from '../answer.ts';
import { tool } from '../tool.ts';

const uri = z.string().describe('The path from list_notes: user/preferences.md.');

export const listNotesTool = tool({
  name: 'list_notes',
  description: 'The Markdown files of the memory. Call it before read_note if you do not know the file name.',
  input: z.strictObject({}),
  does: 'reads',
  async call(access) {
    const files = await requireNotes(access).list();
    if (files.length === 0) return answer('There are no note files yet; remember creates them.', '');
    const lines = files.map(({ uri, scope, sections, sizeBytes, modifiedAt }) => {
      // 0: it was written too shortly before it was read for its time to be reliable.
      const when = modifiedAt > 0 ? [`changed ${new Date(modifiedAt).toISOString().slice(0, 16)}Z`] : [];
      return `${uri} (${[scope, `${sections} sections`, `${sizeBytes} bytes`, ...when].join(', ')})`;
    });
    const { shown, leftOut } = fitEntries(lines, String);
    return answer([...shown, ...remark(leftOut, 'recall searches their content.')].join('\n'), '');
  },
});

export const readNoteTool = tool({
  name: 'read_note',
  description:
    'The text of a note file and its hash. Call it before edit_note, or when recall showed only a part.',
  input: z.strictObject({
    uri,
    fromLine: z.int().min(1).optional().describe('First line to return; default 1.'),
  }),
  does: 'reads',
  async call(access, { uri, fromLine = 1 }) {
    const note = await requireNotes(access).read(uri);
    const lines = note.text.split(/\r?\n/);
    if (fromLine > lines.length) {
      throw new MemoryError(
        'INVALID_INPUT',
        `${uri} has ${lines.length} lines; there is no line ${fromLine}.`,
      );
    }
    const head = `${note.uri}, ${lines.length} lines, hash ${note.hash}`;
    const { shown } = fitEntries(
      lines.slice(fromLine - 1),
      String,
      MAX_ANSWER_TOKENS - countTokens(head) - ROOM_FOR_REMARK,
    );
    const next = fromLine + shown.length;
    // A single line may be longer than an answer.
    if (shown.length === 0) {
      return answer(`${head}\n\n${lines[fromLine - 1]}`, `Go on with fromLine ${fromLine + 1}.`);
    }
    const rest = next <= lines.length ? [`[Cut here. Go on with fromLine ${next}.]`] : [];
    return answer([head, '', ...shown, ...rest].join('\n'), '');
  },
});
const ROOM_FOR_REMARK = 80;

export const editNoteTool = tool({
  name: 'edit_note',
  description:
    'Changes or creates a note file. Give exactly one of: append; oldText with newText, where oldText occurs once; or text, the whole new file, which ' +
    'for an existing file needs expectedHash, from read_note: the edit is rejected if the file has changed since. Call it to correct or tidy notes; ' +
    'to add one thing, remember is better.',
  input: z.strictObject({
    uri,
    append: z.string().optional(),
    oldText: z.string().min(1).optional(),
    newText: z.string().optional(),
    text: z.string().optional(),
    expectedHash: z.string().optional(),
  }),
  does: 'changes',
  async call(access, { uri, expectedHash, append, oldText, newText, text }) {
    const edit = readEdit({ append, oldText, newText, text, expectedHash });
    const notes = requireNotes(access);
    const { isNew, hash } = await editNote(notes, uri, edit, expectedHash);
    return answer(`${isNew ? 'Made' : 'Changed'} ${uri}. Its hash is now ${hash}.`, '');
  },
});

/** Computes the new content of a file from the current one (null: no file). */
type Edit = (text: string | null) => string;

type EditInput = Readonly<
  Record<'append' | 'oldText' | 'newText' | 'text' | 'expectedHash', string | undefined>
>;

/** @throws MemoryError INVALID_INPUT when it is not exactly one edit */
function readEdit({ append, oldText, newText, text, expectedHash }: EditInput): Edit {
  const isReplacing = oldText !== undefined || newText !== undefined;
  if ([append !== undefined, isReplacing, text !== undefined].filter(Boolean).length !== 1) {
    throw new MemoryError('INVALID_INPUT', 'Give exactly one of append, oldText with newText, or text.');
  }
  if (append !== undefined) return (now) => appended(now, append);
  if (text !== undefined) return (now) => rewritten(now, text, expectedHash);
  if (oldText === undefined || newText === undefined) {
    throw new MemoryError(
      'INVALID_INPUT',
      'oldText and newText go together; an empty newText removes oldText.',
    );
  }
  return (now) => replaced(now ?? '', oldText, newText);
}

/** Overwriting a file requires its hash, so that unread content is not lost. */
function rewritten(now: string | null, text: string, expectedHash: string | undefined): string {
  if (now === null || expectedHash !== undefined) return text;
  throw new MemoryError(
    'INVALID_INPUT',
    'The file exists: call read_note first, then give its hash as expectedHash.',
  );
}

function appended(now: string | null, text: string): string {
  if (now === null || now === '') return text;
  return `${now}${now.endsWith('\n') ? '' : '\n'}${text}${text.endsWith('\n') ? '' : '\n'}`;
}

function replaced(now: string, oldText: string, newText: string): string {
  const count = now.split(oldText).length - 1;
  if (count !== 1) {
    const found =
      count === 0 ? 'does not occur in the file' : `occurs ${count} times in the file; give more of it`;
    throw new MemoryError('INVALID_INPUT', `oldText ${found}. read_note shows what is there.`);
  }
  return now.replace(oldText, () => newText);
}

/** How often an edit is repeated because the file has changed in the meantime. */
const MAX_TRIES = 5;

async function editNote(
  notes: NotesAccess,
  uri: string,
  edit: Edit,
  expectedHash: string | undefined,
): Promise<{ isNew: boolean; hash: string }> {
  for (let tries = 1; ; tries++) {
    const note = await readIfThere(notes, uri);
    if (expectedHash !== undefined && note?.hash !== expectedHash) {
      throw new MemoryError('NOTE_CONFLICT', `${uri} has changed since it was read.`);
    }
    try {
      const text = edit(note && withPlainLineEnds(note.text));
      const { hash } = await notes.write(uri, text, { expectedHash: note?.hash ?? null });
      return { isNew: note === null, hash };
    } catch (error) {
      // With an expected hash the error is reported, so that the caller reads the file again.
      const isConflict = isMemoryError(error, 'NOTE_CONFLICT') && expectedHash === undefined;
      if (!isConflict || tries >= MAX_TRIES) throw error;
    }
  }
}

/** Uniform line ends are restored when the file is written, so that clients need not know them. */
function withPlainLineEnds(text: string): string {
  return /(?<!\r)\n/.test(text) ? text : text.replaceAll('\r\n', '\n');
}

async function readIfThere(notes: NotesAccess, uri: string): Promise<NoteText | null> {
  try {
    return await notes.read(uri);
  } catch (error) {
    if (isMemoryError(error, 'NOT_FOUND')) return null;
    throw error;
  }
}

/** The text of a note file as a resource, for the user or the model. */
export async function noteAsResource(notes: NotesAccess, uri: string): Promise<string> {
  const { text } = await notes.read(uri);
  return withinBudget(text, 'The tool read_note reads on from any line.', MAX_RESOURCE_TOKENS);
}
/** The user chooses a resource, so it may be longer than an answer. */
const MAX_RESOURCE_TOKENS = 20_000;
