import type { JournalEntry } from '../../model/model.ts';
import type { UnitChange } from '../change.ts';
import type { TopicChange } from '../journalTable.ts';
import { parseColumn } from './columns.ts';
import type { Row } from './row.ts';
import type { RowImage } from './rowImages.ts';

export interface EntryRow {
  id: number;
  key: string | null;
  at: number;
  plan: string;
  topics_added: number;
  topics_changed: number;
  units_changed: number;
  rolled_back_at: number | null;
}

export function readEntry(row: EntryRow): JournalEntry {
  return {
    id: row.id,
    key: row.key,
    at: row.at,
    plan: parseColumn<'plan'>(row.plan),
    topicsAdded: row.topics_added,
    topicsChanged: row.topics_changed,
    unitsChanged: row.units_changed,
    state: row.rolled_back_at === null ? 'applied' : 'rolled_back',
    rolledBackAt: row.rolled_back_at,
  };
}

export function isArchiving(change: UnitChange): boolean {
  return change.type === 'update' && change.set.state === 'archived';
}

/** The elements that pass the test, and the others, each in order. */
export function partition<T>(all: readonly T[], isSo: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isSo), all.filter((one) => !isSo(one))];
}

/** Columns of a topic that do not follow from its members; a rollback always restores them. */
export const WORDS_AND_STATE = ['title', 'summary', 'source', 'state', 'successor_id'] as const;

/** Topics whose text, state, members, parents or children the images change, and units that they change. */
export function touchesOf(images: readonly RowImage[]): { topic: Set<number>; unit: Set<number> } {
  const touches = { topic: new Set<number>(), unit: new Set<number>() };
  for (const { table, key, before, after } of images) {
    const [first = 0] = key;
    if (table === 'unit') touches.unit.add(first);
    if (table === 'topic' && hasNewWordsOrState(before, after)) touches.topic.add(first);
    if (table === 'topic_member' && !(before && after)) touches.topic.add(first);
    if (table === 'topic_parent') for (const id of key) touches.topic.add(id);
  }
  return touches;
}

export function hasNewWordsOrState(before: Row | null, after: Row | null): boolean {
  if (!before || !after) return true;
  return WORDS_AND_STATE.some((column) => before[column] !== after[column]);
}

/** New topics first, removed ones last; figures after the members. */
export const TOPIC_CHANGE_ORDER: readonly TopicChange['type'][][] = [
  ['add'],
  ['update', 'move', 'setParents'],
  ['refresh'],
  ['archive'],
];
