/** Finds people and topics with enough episodes for a summary, and something new. */
import type { Store } from '../../store/store.ts';
import { wholeNameKeys } from '../../text/text.ts';
import type { SummarySubject } from '../summaries/summaries.ts';

/** The most people, and topics, whose summaries are updated for the same episodes. */
const MAX_OF_EACH = 3;
/** The least number of episodes about a subject with a summary. */
const MIN_EPISODES = 3;
/** The number of newest episodes in which topics are counted. */
const COUNTED_EPISODES = 200;

/** Of the people and topics of these episodes, the three of each that are mentioned most. */
export async function mostMentioned(store: Store, unitIds: readonly number[]): Promise<SummarySubject[]> {
  const [people, topics] = [await peopleOf(store, unitIds), await topicsOf(store, unitIds)];
  return [
    ...people.map((id) => ({ scope: 'person' as const, scopeKey: String(id) })),
    ...topics.map((scopeKey) => ({ scope: 'topic' as const, scopeKey })),
  ];
}

async function peopleOf(store: Store, unitIds: readonly number[]): Promise<number[]> {
  const mentions = await store.entities.ofUnits(unitIds);
  const entities = await store.entities.get([...new Set(mentions.map((mention) => mention.entityId))]);
  const people = entities
    .filter((entity) => entity.type === 'person')
    .sort((a, b) => b.salience - a.salience);
  const told: number[] = [];
  for (const { id } of people.slice(0, MAX_OF_EACH)) {
    const known = await store.entities.mentionsOf(id, { limit: MIN_EPISODES });
    if (known.length >= MIN_EPISODES) told.push(id);
  }
  return told;
}

async function topicsOf(store: Store, unitIds: readonly number[]): Promise<string[]> {
  const tags = new Set((await store.units.get(unitIds)).flatMap((unit) => unit.topicTags));
  if (tags.size === 0) return [];
  const recent = await store.units.list({ kinds: ['episode'] }, { limit: COUNTED_EPISODES });
  const counts = new Map<string, number>();
  for (const tag of recent.flatMap((episode) => episode.topicTags))
    if (tags.has(tag)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const often = [...counts].filter(([, count]) => count >= MIN_EPISODES).sort((a, b) => b[1] - a[1]);
  const people = await peopleNamed(
    store,
    often.map(([tag]) => tag),
  );
  return often.flatMap(([tag]) => (people.has(tag) ? [] : [tag])).slice(0, MAX_OF_EACH);
}

/** The tags that are people's names: a person with a summary needs none as a topic. */
async function peopleNamed(store: Store, tags: readonly string[]): Promise<Set<string>> {
  const keys = new Map(tags.map((tag) => [tag, wholeNameKeys(tag)]));
  const found = await store.entities.find([...keys.values()].flat());
  const isPerson = (key: string) => found.get(key)?.some((entity) => entity.type === 'person') === true;
  return new Set(tags.filter((tag) => keys.get(tag)?.some(isPerson)));
}
