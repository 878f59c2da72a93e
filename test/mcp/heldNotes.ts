/** Notes held in memory, in the place of files. */
import { createHash } from 'node:crypto';
import { MemoryError } from '../../src/engine/engine.ts';
import type { NotesAccess, NoteTask } from '../../src/serve/mcp/access.ts';

export interface HeldNotes extends NotesAccess {
  readonly files: Map<string, string>;
  /** Called before each writing: somebody else may change the file just then. */
  beforeWrite: () => void;
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

export function holdNotes(files: Record<string, string> = {}): HeldNotes {
  const held = new Map(Object.entries(files));
  const tasks: NoteTask[] = [];
  const textOf = (uri: string): string => {
    if (uri.startsWith('..')) throw new MemoryError('OUTSIDE_ROOT');
    const text = held.get(uri);
    if (text === undefined) throw new MemoryError('NOT_FOUND', `There is no file ${uri}.`);
    return text;
  };
  const append = (uri: string, line: string) => held.set(uri, `${held.get(uri) ?? ''}- ${line}\n`);
  const notes: HeldNotes = {
    files: held,
    beforeWrite: () => {},
    list: async () =>
      [...held].map(([uri, text]) => ({
        uri,
        scope: uri.startsWith('user/') ? ('global' as const) : ('project' as const),
        sections: text.split('\n#').length,
        sizeBytes: text.length,
        modifiedAt: Date.UTC(2026, 2, 1),
      })),
    read: async (uri) => ({ uri, text: textOf(uri), hash: hashOf(textOf(uri)), sections: [] }),
    async write(uri, text, { expectedHash } = {}) {
      notes.beforeWrite();
      const now = held.get(uri);
      if (expectedHash !== undefined && (now === undefined || hashOf(now) !== expectedHash)) {
        throw new MemoryError('NOTE_CONFLICT');
      }
      held.set(uri, text);
    },
    async remember(text, { type = 'note' } = {}) {
      const uri = `user/${type}s.md`;
      const isKnown = held.get(uri)?.includes(text) === true;
      if (!isKnown) append(uri, text);
      const outcome = isKnown ? 'reinforced' : 'added';
      return { uri, section: '', unitId: null, outcome, text: `- ${text}` };
    },
    journal: async (text) => append('journal/2026-03-01.md', text),
    tasks: {
      async add(text, { due } = {}) {
        const task = { id: `t${tasks.length + 1}`, text, done: false, due: due ?? null };
        tasks.push(task);
        return task;
      },
      async done(idOrText) {
        const at = tasks.findIndex(({ id, text }) => id === idOrText || text === idOrText);
        const task = tasks[at];
        if (!task) throw new MemoryError('NOT_FOUND', `There is no task ${idOrText}.`);
        return (tasks[at] = { ...task, done: true });
      },
      list: async ({ done } = {}) => tasks.filter((task) => done === undefined || task.done === done),
    },
    find: async (query) => ({
      path: 'hybrid',
      results: [...held]
        .filter(([, text]) => text.includes(query))
        .map(([uri, content], i) => ({
          chunkId: 9_000 + i,
          uri,
          content,
          memoryType: 'note',
          section: '',
          tokenCount: 1,
        })),
    }),
    async forget() {},
  };
  return notes;
}
