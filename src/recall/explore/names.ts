/** Finds topics and entities by id or by name. */
import { MemoryError, type Entity, type Topic } from '../../model/model.ts';
import type { Store, UnitFilter } from '../../store/store.ts';
import { foldName, nameKeys, sameName, terms } from '../../text/text.ts';

/** Number of topics whose titles are compared with a name. */
const MAX_COMPARED = 50;
const STRONGEST_COMPARED = 500;
/** Minimum share of a name's terms that a title must contain. */
const MIN_SHARED = 0.6;
/** Maximum number of merges followed: a topic may be merged again and again. */
const MAX_SUCCESSORS = 100;

type Named<T> = T | null | 'unknown';

/**
 * The topic with this id or name; for a merged topic, the topic that it was merged into. Null: there is none. A topic
 * without any visible unit is not returned.
 * @throws MemoryError NOT_FOUND when no topic has the id
 */
export async function findTopic(
  store: Store,
  topic: number | string | undefined,
  filter: UnitFilter,
): Promise<Named<Topic>> {
  if (topic === undefined) return null;
  const isVisible = (each: Topic) => hasAnyUnit(store, { ...filter, topicId: each.id });
  if (typeof topic === 'string')
    return (await findFirst(isVisible, await topicsNamed(store, topic))) ?? 'unknown';
  const found = await presentTopic(store, topic);
  if (found && (await isVisible(found))) return found;
  throw new MemoryError('NOT_FOUND', `There is no topic ${topic}.`);
}

/**
 * The entity with this id or name; of several with one name, the one mentioned most often.
 * @throws MemoryError NOT_FOUND when no entity has the id
 */
export async function findEntity(
  store: Store,
  entity: number | string | undefined,
  filter: UnitFilter,
): Promise<Named<Entity>> {
  if (entity === undefined) return null;
  const isVisible = (each: Entity) => hasAnyUnit(store, { ...filter, entityId: each.id });
  if (typeof entity === 'string')
    return (await findFirst(isVisible, await entitiesNamed(store, entity))) ?? 'unknown';
  const [found] = await store.entities.get([entity]);
  if (found && (await isVisible(found))) return found;
  throw new MemoryError('NOT_FOUND', `There is no entity ${entity}.`);
}

/** Whether any unit passes the filter, of any kind and age. */
export async function hasAnyUnit(store: Store, filter: UnitFilter): Promise<boolean> {
  const { kinds: _, ...anyKind } = filter;
  return (await store.units.list(anyKind, { limit: 1 })).length > 0;
}

async function presentTopic(store: Store, topicId: number): Promise<Topic | undefined> {
  let [topic] = await store.topics.get([topicId]);
  for (let steps = 0; topic?.state === 'archived' && topic.successorId !== null; steps++) {
    if (steps === MAX_SUCCESSORS) return undefined;
    [topic] = await store.topics.get([topic.successorId]);
  }
  return topic;
}

/**
 * Topics whose title equals the name, contains it or is contained in it, or shares most of its words; best first in
 * each group.
 */
async function topicsNamed(store: Store, name: string): Promise<Topic[]> {
  const wanted = foldName(name);
  const wantedTerms = new Set(terms(name));
  const found = await store.topics.search([...wantedTerms], MAX_COMPARED);
  const byWords = await store.topics.get(found.map(({ topicId }) => topicId));
  // A title may have no terms (for example in hiragana), or too many other units contain its words.
  const strongest = await store.topics.list({}, { limit: STRONGEST_COMPARED });
  const others = strongest.filter(({ id }) => !byWords.some((topic) => topic.id === id));
  const ranked = [...byWords, ...others].map((topic) => ({ topic, likeness: likeness(topic) }));
  return ranked
    .filter((each) => each.likeness > 0)
    .toSorted((a, b) => b.likeness - a.likeness)
    .map(({ topic }) => topic);

  function likeness({ title, summary }: Topic): number {
    const own = foldName(title);
    if (own === wanted) return 4;
    if (own.includes(wanted)) return 3;
    if (own.length > 1 && wanted.includes(own)) return 2;
    const ownTerms = new Set(terms(`${title}\n${summary ?? ''}`));
    const shared = wantedTerms.intersection(ownTerms).size / Math.max(1, wantedTerms.size);
    return shared >= MIN_SHARED ? shared : 0;
  }
}

async function entitiesNamed(store: Store, name: string): Promise<Entity[]> {
  const found = await store.entities.find(nameKeys(name));
  const entities = new Map([...found.values()].flat().map((entity) => [entity.id, entity]));
  const isCalledSo = (entity: Entity) => [entity.name, ...entity.aliases].some((own) => sameName(own, name));
  return [...entities.values()].toSorted(
    (a, b) => Number(isCalledSo(b)) - Number(isCalledSo(a)) || b.salience - a.salience || a.id - b.id,
  );
}

async function findFirst<T>(holds: (value: T) => Promise<boolean>, values: readonly T[]): Promise<T | null> {
  for (const value of values) if (await holds(value)) return value;
  return null;
}
