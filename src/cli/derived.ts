import { KINDS, type Kind } from '../engine/engine.ts';
import { countOf } from './terminal.ts';

/** How many units of each kind; those that are missing are none. */
export type UnitCounts = Readonly<Partial<Record<Kind, number>>>;

const WORDS: Readonly<Record<Exclude<Kind, 'episode'>, readonly [one: string, many: string]>> = {
  fact: ['fact', 'facts'],
  summary: ['summary', 'summaries'],
  loop: ['open loop', 'open loops'],
  capsule: ['capsule', 'capsules'],
  note: ['note', 'notes'],
};

/** `12 facts`, `1 summary`: what there is beside the turns. */
export function formatDerived(counts: UnitCounts): string[] {
  return KINDS.flatMap((kind) => {
    const count = counts[kind] ?? 0;
    return kind === 'episode' || count === 0 ? [] : countOf(count, ...WORDS[kind]);
  });
}

/** What has come to `before`, without the turns. */
export function addedTo(before: UnitCounts, after: UnitCounts): UnitCounts {
  const added = KINDS.map((kind) => [kind, (after[kind] ?? 0) - (before[kind] ?? 0)] as const);
  return Object.fromEntries(added.filter(([kind, count]) => kind !== 'episode' && count > 0));
}
