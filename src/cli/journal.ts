import { MemoryError, type JournalEntry, type Memory } from '../engine/engine.ts';
import { padEnd } from '../text/text.ts';
import type { AddCommand } from './command.ts';
import { parseId } from './ids.ts';
import { openExisting, using } from './opening.ts';
import { parseCount } from './recallFlags.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { countOf, formatInstant, plain, printJson, printLines, style } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly limit?: number;
  readonly json?: true;
}

const DEFAULT_LIMIT = 20;

export const addJournal: AddCommand = (program) => {
  const command = program
    .command('journal')
    .description('Lists the reorganisations, newest first, or shows what one changed.')
    .argument('[id]', 'this one', parseId)
    .option('--limit <number>', `maximum number (default: ${DEFAULT_LIMIT})`, parseCount)
    .option('--json', 'print the result as JSON');
  addSettings(command).action(async (id: number | undefined, flags: Flags) => {
    await using(await openExisting(readSettings(flags), { embeds: false }), (memory) =>
      id === undefined ? list(memory, flags) : show(memory, id, flags),
    );
  });
};

export const addRollback: AddCommand = (program) => {
  const command = program
    .command('rollback')
    .description('Undoes a reorganisation exactly.')
    .argument('<id>', 'its number in “omoide journal”', parseId)
    .option('--json', 'print its journal entry as JSON');
  addSettings(command).action(async (id: number, flags: Flags) => {
    await using(await openExisting(readSettings(flags), { embeds: false }), async (memory) => {
      const entry = await memory.journal.rollback(id);
      if (flags.json) printJson(entryToJson(entry));
      else printLines([`Undone: ${formatDone(entry)}.`]);
    });
  });
};

async function list(memory: Memory, { limit = DEFAULT_LIMIT, json }: Flags): Promise<void> {
  const entries = await memory.journal.list({ limit });
  if (json) return printJson(entries.map(entryToJson));
  printLines(
    entries.length === 0 ? [style('dim', 'There are no reorganisations yet.')] : entries.map(formatEntry),
  );
}

async function show(memory: Memory, id: number, { json }: Flags): Promise<void> {
  const entry = await memory.journal.get(id);
  if (!entry) throw new MemoryError('NOT_FOUND', `There is no entry ${id} in the journal.`);
  const lines = await memory.journal.describe(entry.plan);
  if (json) return printJson({ ...entryToJson(entry), lines });
  printLines([formatEntry(entry), '', ...lines.map(plain)]);
}

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

export function entryToJson({ at, rolledBackAt, ...entry }: JournalEntry) {
  return {
    ...entry,
    at: formatInstant(at),
    rolledBackAt: rolledBackAt === null ? null : formatInstant(rolledBackAt),
  };
}
