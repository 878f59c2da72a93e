/** Schedules summaries: at most every six hours, with a model once a day. */
import {
  DAY_MS,
  instantToWallClock,
  wallClockToInstant,
  type Episode,
  type Instant,
  type NewJob,
  type UnitOf,
  unitsOfKind,
} from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { isCompanion } from '../guard.ts';
import { weekOf } from './week.ts';

export type Summary = UnitOf<'summary'>;

/** The subject of a summary. */
export interface SummarySubject {
  readonly scope: Summary['payload']['scope'];
  /** For a week `2024-W05`; for a person the entity's id; for a topic the tag; for the relationship `user`. */
  readonly scopeKey: string;
}

/** The least time between two versions of a summary. */
const MIN_PAUSE_MS = 6 * 3_600_000;
/** With a model, all summaries are updated together at this time of the memory's day, since each request has a cost. */
const MODEL_TIME_MS = 4 * 3_600_000;
const PAGE = 500;
/** The person whose relationship with the companion is summarised. */
const PARTNER = 'user';

/** When each summary was last made, by store: read once, then updated by this process. */
const lastMade = new WeakMap<Store, Promise<Map<string, Instant>>>();

/** The jobs that update summaries, each at the earliest allowed time. One job per subject, however often requested. */
export async function summaryJobs(
  store: Store,
  subjects: readonly SummarySubject[],
  when: { readonly now: Instant; readonly byModel: boolean },
): Promise<NewJob[]> {
  const last = await lastMadeOf(store);
  const keys = new Set<string>();
  return subjects.flatMap(({ scope, scopeKey }) => {
    const key = keyOf({ scope, scopeKey });
    if (keys.has(key)) return [];
    keys.add(key);
    const madeAt = last.get(key);
    const allowedAt = madeAt === undefined ? when.now : Math.max(when.now, madeAt + MIN_PAUSE_MS);
    const runAfter = when.byModel ? nextModelTime(allowedAt, store.timeZone) : allowedAt;
    return [{ kind: 'summarize', key, conversationId: null, input: { scope, scopeKey }, runAfter }];
  });
}

function nextModelTime(at: Instant, timeZone: string): Instant {
  const wallClock = instantToWallClock(at, timeZone);
  const day = Math.ceil((wallClock - MODEL_TIME_MS) / DAY_MS) * DAY_MS;
  return wallClockToInstant(new Date(day + MODEL_TIME_MS).toISOString().slice(0, 19), timeZone);
}

/** The subjects of every episode: its week, and the relationship between people and companion. */
export function subjectsOfEpisodes(episodes: readonly Episode[], timeZone: string): SummarySubject[] {
  const weeks = new Set(episodes.map((episode) => weekOf(episode.occurredAt, timeZone)));
  const speaks = episodes.some(({ payload }) => isCompanion(payload.speaker));
  return [
    ...[...weeks].map((scopeKey) => ({ scope: 'weekly' as const, scopeKey })),
    ...(speaks ? [{ scope: 'relationship' as const, scopeKey: PARTNER }] : []),
  ];
}

/** Records that a summary was just made. */
export async function recordSummary(store: Store, subject: SummarySubject, at: Instant): Promise<void> {
  (await lastMadeOf(store)).set(keyOf(subject), at);
}

/** The summary of a subject, the latest if there are several. Archived ones are included. */
export async function findSummary(
  store: Store,
  { scope, scopeKey }: SummarySubject,
): Promise<Summary | null> {
  for await (const page of readSummaries(store)) {
    const found = page.find(({ payload }) => payload.scope === scope && payload.scopeKey === scopeKey);
    if (found) return found;
  }
  return null;
}

function keyOf({ scope, scopeKey }: SummarySubject): string {
  return `summarize/${scope}/${scopeKey}`;
}

async function lastMadeOf(store: Store): Promise<Map<string, Instant>> {
  let last = lastMade.get(store);
  if (!last) {
    last = readLastMade(store);
    lastMade.set(store, last);
  }
  return last;
}

async function readLastMade(store: Store): Promise<Map<string, Instant>> {
  const last = new Map<string, Instant>();
  for await (const page of readSummaries(store)) {
    for (const { payload, updatedAt } of page) {
      const key = keyOf(payload);
      last.set(key, Math.max(updatedAt, last.get(key) ?? updatedAt));
    }
  }
  return last;
}

async function* readSummaries(store: Store): AsyncGenerator<Summary[]> {
  const filter = { kinds: ['summary'], maxSensitivity: 'secret', withArchived: true } as const;
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.units.list(filter, { limit: PAGE, offset });
    yield unitsOfKind('summary', page);
    if (page.length < PAGE) return;
  }
}
