/** One page of an answer, in one of the three views. */
import { MemoryError } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { MAX_IDS, type Rest } from './cursor.ts';
import { readAll, unranked, type Findings, type Found } from './find.ts';
import { toItems } from './items.ts';
import type { ExploreView } from './query.ts';
import type { ResolvedQuery } from './resolvedQuery.ts';
import { groupByDay, readTimeline } from './timeline.ts';
import { rankTopics, showTopics, type Scene } from './topics.ts';
import type { QuoteExploration, TimelineExploration, TopicExploration } from './types.ts';
import { byWeight } from './weight.ts';

export interface Request {
  readonly view: ExploreView;
  /** Maximum number of quotes, turns or topics. */
  readonly limit: number;
  /** Null: the first page. */
  readonly rest: Rest | null;
}

interface Page {
  readonly view:
    | Pick<TopicExploration, 'view' | 'topics'>
    | Pick<TimelineExploration, 'view' | 'groups'>
    | Pick<QuoteExploration, 'view' | 'quotes'>;
  /** The units shown. */
  readonly unitIds: readonly number[];
  /** Null: nothing is left. */
  readonly rest: Rest | null;
}

/** @param findings what matches words and emotion; null: everything that passes the filter */
export async function readPage(scene: Scene, request: Request, findings: Findings | null): Promise<Page> {
  if (request.view === 'topic') return topicPage(scene, request, findings);
  const { store, query, sentenceOptions } = scene;
  const { shown, rest } = await readUnits(store, request, query, findings?.found ?? null);
  const items = await toItems(store, shown, query, sentenceOptions);
  const unitIds = items.map(({ unitId }) => unitId);
  if (request.view === 'quote') return { view: { view: 'quote', quotes: items }, unitIds, rest };
  return { view: { view: 'timeline', groups: groupByDay(items, store.timeZone) }, unitIds, rest };
}

async function topicPage(scene: Scene, { limit, rest }: Request, findings: Findings | null): Promise<Page> {
  const ranked = await rankTopics(scene.store, scene.query, findings?.found ?? null);
  const ids = rest === null ? ranked.ids : idsOf(rest).ids;
  const { topics, left } = await showTopics(scene, ranked, ids, limit);
  return {
    view: { view: 'topic', topics },
    unitIds: topics.flatMap(({ episodes }) => episodes.map(({ unitId }) => unitId)),
    rest: left.length > 0 ? { ids: left, skip: 0 } : null,
  };
}

async function readUnits(
  store: Store,
  { view, limit, rest }: Request,
  query: ResolvedQuery,
  found: readonly Found[] | null,
): Promise<{ shown: Found[]; rest: Rest | null }> {
  if (found === null && view === 'timeline') {
    return readTimeline(store, query, rest === null ? null : afterOf(rest), limit);
  }
  const answers = found ?? (await weightiest(store, query));
  const inOrder = view === 'timeline' ? answers.toSorted(byTime) : answers;
  const next = nextOf(
    inOrder.map(({ unitId }) => unitId),
    rest === null ? { ids: [], skip: 0 } : idsOf(rest),
    limit,
  );
  return { shown: await recover(store, next.shown, answers, query), rest: next.rest };
}

/**
 * The next ids to show, and the rest.
 * @param ranked all matches, in order
 */
function nextOf(
  ranked: readonly number[],
  { ids, skip }: RankedRest,
  limit: number,
): { shown: readonly number[]; rest: Rest | null } {
  const isFirst = ids.length === 0 && skip === 0;
  const isShort = ids.length < limit && (isFirst || skip > 0);
  const more = isShort ? ranked.slice(skip, skip + MAX_IDS).filter((id) => !ids.includes(id)) : [];
  const all = [...ids, ...more];
  const looked = isShort ? skip + MAX_IDS : skip;
  const beyond = looked < ranked.length ? looked : 0;
  const left = all.slice(limit);
  return {
    shown: all.slice(0, limit),
    rest: left.length > 0 || beyond > 0 ? { ids: left, skip: beyond } : null,
  };
}

/** Everything that passes the filter, the most salient first: quotes without anything to rank by. */
async function weightiest(store: Store, { filter }: ResolvedQuery): Promise<Found[]> {
  const units = await readAll(store, filter);
  return units.sort(byWeight).map(unranked);
}

/** The units of a page as they were found. Units that a new search does not find have no reasons. */
async function recover(
  store: Store,
  ids: readonly number[],
  answers: readonly Found[],
  { anytime }: ResolvedQuery,
): Promise<Found[]> {
  const known = new Map(answers.map((answer) => [answer.unitId, answer]));
  // Ids from a cursor are checked against the filter again.
  const allowed = await store.units.filter(ids, anytime);
  const missing = await store.units.get(allowed.filter((id) => !known.has(id)));
  const others = new Map(missing.map((unit) => [unit.id, unranked(unit)]));
  return allowed.flatMap((id) => known.get(id) ?? others.get(id) ?? []);
}

function byTime(a: Found, b: Found): number {
  return a.occurredAt - b.occurredAt || a.unitId - b.unitId;
}

type RankedRest = Extract<Rest, { ids: unknown }>;

function idsOf(rest: Rest): RankedRest {
  if ('ids' in rest) return rest;
  throw new MemoryError('INVALID_INPUT', 'The cursor is invalid.');
}

function afterOf(rest: Rest) {
  if ('after' in rest) return rest.after;
  throw new MemoryError('INVALID_INPUT', 'The cursor is invalid.');
}
