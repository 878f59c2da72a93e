/** The timeline view. */
import { localDate } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import type { Rest } from './cursor.ts';
import { unranked, type Found } from './find.ts';
import type { ResolvedQuery } from './resolvedQuery.ts';
import type { ExploredItem, TimelineGroup } from './types.ts';

/** A page of everything that passes the filter, oldest first, and what follows it. */
export async function readTimeline(
  store: Store,
  { filter }: ResolvedQuery,
  after: { readonly occurredAt: number; readonly unitId: number } | null,
  limit: number,
): Promise<{ shown: Found[]; rest: Rest | null }> {
  const units = await store.units.list(filter, {
    limit: limit + 1,
    oldestFirst: true,
    ...(after && { after }),
  });
  const page = units.slice(0, limit);
  const last = page.at(-1);
  const rest =
    units.length > limit && last ? { after: { occurredAt: last.occurredAt, unitId: last.id } } : null;
  return { shown: page.map(unranked), rest };
}

/** Groups consecutive items of one conversation and day. */
export function groupByDay(items: readonly ExploredItem[], timeZone: string): TimelineGroup[] {
  const groups: { conversationId: string | null; date: string; items: ExploredItem[] }[] = [];
  for (const item of items) {
    const { conversationId } = item;
    const date = localDate(Date.parse(item.occurredAt), timeZone);
    const last = groups.at(-1);
    if (last && last.conversationId === conversationId && last.date === date) last.items.push(item);
    else groups.push({ conversationId, date, items: [item] });
  }
  return groups;
}
