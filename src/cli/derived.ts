import { KINDS, type Kind } from '../engine/engine.ts';
import { countOf } from './terminal.ts';

/** The number of units of each kind; absent means none. */
export type UnitCounts = Readonly<Partial<Record<Kind, number>>>;

const WORDS: Readonly<Record<Exclude<Kind, 'episode'>, readonly [one: string, many: string]>> = {
  fact: ['fact', 'facts'],
  summary: ['summary', 'summaries'],
  loop: ['open loop', 'open loops'],
  capsule: ['capsule', 'capsules'],
  note: ['note', 'notes'],
};

/** `12 facts`, `1 summary`: the units other than turns. */
export function formatDerived(counts: UnitCounts): string[] {
  return KINDS.flatMap((kind) => {
    const count = counts[kind] ?? 0;
    return kind === 'episode' || count === 0 ? [] : countOf(count, ...WORDS[kind]);
  });
}

/** The units added since `before`, without turns. */
export function addedTo(before: UnitCounts, after: UnitCounts): UnitCounts {
  const added = KINDS.map((kind) => [kind, (after[kind] ?? 0) - (before[kind] ?? 0)] as const);
  return Object.fromEntries(added.filter(([kind, count]) => kind !== 'episode' && count > 0));
}
