import { MemoryError, type JournalEntry } from '../engine/engine.ts';
import { padEnd } from '../text/text.ts';
import { argument, flag, JSON_FLAG } from './command.ts';
import { addMemoryCommand } from './settingsCommand.ts';
import { countOf, formatInstant, plain, style, withInstants } from './terminal.ts';
import { parseCount, parseId } from './values.ts';

const DEFAULT_LIMIT = 20;

export const addJournal = addMemoryCommand({
  name: 'journal',
  about: 'Lists the reorganisations, newest first, or shows what one changed.',
  args: [argument('[id]', 'this one', { parse: parseId })],
  flags: [
    flag('--limit <number>', `maximum number (default: ${DEFAULT_LIMIT})`, { parse: parseCount }),
    JSON_FLAG,
  ],
  async run({ memory, args: [id], flags: { limit = DEFAULT_LIMIT } }) {
    if (id === undefined) {
      const entries = await memory.journal.list({ limit });
      const nothing = style('dim', 'There are no reorganisations yet.');
      return {
        json: entries.map(entryToJson),
        lines: entries.length === 0 ? [nothing] : entries.map(formatEntry),
      };
    }
    const entry = await memory.journal.get(id);
    if (!entry) throw new MemoryError('NOT_FOUND', `There is no entry ${id} in the journal.`);
    const lines = await memory.journal.describe(entry.plan);
    return {
      json: { ...entryToJson(entry), lines },
      lines: [formatEntry(entry), '', ...lines.map(plain)],
    };
  },
});

export const addRollback = addMemoryCommand({
  name: 'rollback',
  about: 'Undoes a reorganisation exactly.',
  args: [argument('<id>', 'its number in “omoide journal”', { parse: parseId })],
  flags: [flag('--json', 'print its journal entry as JSON')],
  async run({ memory, args: [id] }) {
    const entry = await memory.journal.rollback(id);
    return { json: entryToJson(entry), lines: [`Undone: ${formatDone(entry)}.`] };
  },
});

function formatEntry(entry: JournalEntry): string {
  const { id, key, at, plan, state, rolledBackAt } = entry;
  const isUndone = state === 'rolled_back';
  const undone = rolledBackAt === null ? '' : ` ${formatInstant(rolledBackAt)}`;
  return [
    String(id).padStart(5),
    formatInstant(at),
    style(isUndone ? 'yellow' : 'green', padEnd(isUndone ? `undone${undone}` : 'applied', 7)),
    formatDone(entry),
    style('dim', [`by ${plain(plan.by)}`, ...(key === null ? [] : [plain(key)])].join(', ')),
  ].join('  ');
}

/** `2 topics made, 5 changed, 3 other units changed` */
export function formatDone({ topicsAdded, topicsChanged, unitsChanged }: JournalEntry): string {
  const done = [
    `${countOf(topicsAdded, 'topic')} created`,
    `${countOf(topicsChanged, 'topic')} changed`,
    `${countOf(unitsChanged, 'unit')} changed`,
  ];
  return done.join(', ');
}

export function entryToJson(entry: JournalEntry): object {
  return withInstants(entry, 'at', 'rolledBackAt');
}
