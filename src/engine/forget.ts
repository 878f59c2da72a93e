/** Archives one unit, so that it is not recalled. A note is removed from its file: the section, or one of its items. */
import { MemoryError, unitText, withHiddenWords, type UnitOf } from '../model/model.ts';
import type { NotesAccess } from '../notes/notes.ts';
import type { Forgotten } from './memory.ts';
import type { MemoryCore } from './memoryCore.ts';

/** @throws MemoryError NOT_FOUND, INVALID_INPUT, and what editing a file throws */
export async function forget(
  core: MemoryCore,
  unitId: number,
  { item }: { readonly item?: string },
): Promise<Forgotten> {
  const [unit] = await core.store.units.get([unitId]);
  if (!unit) throw new MemoryError('NOT_FOUND', `There is nothing with the id ${unitId}.`);
  const { sensitivity } = unit;
  const forgotten = { unitId, sensitivity, text: unitText(unit), uri: null };
  if (unit.state === 'archived') return { ...forgotten, outcome: 'unchanged' };
  const notes = core.notes?.access;
  if (notes && unit.kind === 'note' && (await isInFile(notes, unit))) {
    const text = await removeFromFile(notes, unit, item);
    return { ...forgotten, outcome: 'removed', text, uri: unit.payload.uri };
  }
  if (item !== undefined) {
    throw new MemoryError('INVALID_INPUT', `Unit ${unitId} has no list items; leave out item.`);
  }
  const set = { state: 'archived' } as const;
  await core.saveUnit({ type: 'update', unitId, set, reason: 'forgotten on request' });
  return { ...forgotten, outcome: 'archived' };
}

type Note = UnitOf<'note'>;

/** A note that was remembered while there were no files is not in a file. */
async function isInFile(notes: NotesAccess, { payload }: Note): Promise<boolean> {
  return (await notes.list()).some(({ uri }) => uri === payload.uri);
}

/** If a section has several list items, one must be named; only a section with at most one item is removed whole. */
async function removeFromFile(notes: NotesAccess, unit: Note, itemText?: string): Promise<string> {
  const items = itemsOf(unit.payload.text);
  const inFile = itemsOf(withHiddenWords(unit).payload.text);
  if (itemText === undefined && items.length > 1) {
    const asked = `Unit ${unit.id} has ${items.length} items; give the text of one as item`;
    // Guessing ids must not reveal a secret.
    if (unit.sensitivity === 'secret') throw new MemoryError('INVALID_INPUT', `${asked}.`);
    throw new MemoryError('INVALID_INPUT', [`${asked}:`, ...items.map((one) => `- ${one}`)].join('\n'));
  }
  if (itemText === undefined) {
    await notes.forget(unit.id);
    return unit.payload.text;
  }
  const item = findItem(items, itemText);
  await notes.forget(unit.id, { item: inFile[items.indexOf(item)] ?? item });
  return item;
}

const MARK = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/;

/** The texts of the list items, at any depth: from one marker to the next. */
function itemsOf(text: string): string[] {
  const [, ...items] = text.split(new RegExp(MARK, 'm'));
  return items.map((item) => item.trim().replaceAll(/[ \t]*\n[ \t]*/g, '\n'));
}

/** @throws MemoryError NOT_FOUND, INVALID_INPUT when several items match */
function findItem(items: readonly string[], itemText: string): string {
  const words = itemText.replace(MARK, '').trim();
  const exact = items.filter((item) => item === words);
  const found = exact.length > 0 ? exact : items.filter((item) => words !== '' && item.includes(words));
  const [only] = found;
  if (only === undefined) throw new MemoryError('NOT_FOUND', `The note has no item “${itemText}”.`);
  if (found.length === 1) return only;
  throw new MemoryError(
    'INVALID_INPUT',
    `${found.length} items contain “${itemText}”; give more of its words.`,
  );
}
