/** Views of a whole memory: a map of topics, the days, the relations of an entity, what was learnt from a turn. */
import {
  MemoryError,
  type Edge,
  type Entity,
  type ReorganizationPlan,
  type Topic,
  type Unit,
} from '../../model/model.ts';
import { describePlan, placeTopics, type TopicPlace } from '../../organize/organize.ts';
import type { Store, UnitPage } from '../../store/store.ts';
import { listDays, type DayOverview } from './days.ts';
import { SlowValueCache } from './slowValueCache.ts';
import { splitEntity, type EntitySplit } from './splitEntity.ts';

export type { DayOverview } from './days.ts';

export interface PlacedTopic extends TopicPlace {
  readonly topic: Topic;
}

export interface Neighbourhood {
  readonly entities: readonly Entity[];
  readonly edges: readonly Edge[];
  /** Whether there were more than requested. */
  readonly isCut: boolean;
}

export interface Derived {
  readonly units: readonly Unit[];
  readonly entities: readonly Entity[];
  readonly topics: readonly Topic[];
}

export interface Overview {
  /** Days with turns, oldest first. */
  days(): Promise<readonly DayOverview[]>;
  /** Active topics, the strongest first, placed by similarity. One without vectors is in the centre. */
  topicMap(limit: number): Promise<readonly PlacedTopic[]>;
  /** An entity, those related to it, and those related to these, the nearest first. @throws MemoryError NOT_FOUND */
  neighbourhood(entityId: number, limit: number): Promise<Neighbourhood>;
  /**
   * Moves mentions in units to another entity.
   * @throws MemoryError NOT_FOUND, INVALID_INPUT when the name is the entity's own or none of the units mentions it
   */
  splitEntity(split: EntitySplit): Promise<Entity>;
  /** What was learned from a unit. @throws MemoryError NOT_FOUND */
  derivedFrom(unitId: number): Promise<Derived>;
  /** Computes in advance what is slow in a large memory. */
  warmUp(): Promise<void>;
  /** Call it after something was erased, which cached values may contain. */
  dropCaches(): void;
  /** Describes a given plan in words. */
  describePlan(plan: ReorganizationPlan): Promise<string[]>;
}

export function createOverview(store: Store): Overview {
  const days = new SlowValueCache(() => listDays(store));
  const places = new SlowValueCache(() => placesOf(store));
  return {
    days: () => days.read(),
    topicMap: (limit) => topicMap(store, places, limit),
    neighbourhood: (entityId, limit) => neighbourhood(store, entityId, limit),
    splitEntity: (split) => splitEntity(store, split),
    derivedFrom: (unitId) => derivedFrom(store, unitId),
    async warmUp() {
      await days.read();
      await places.read();
    },
    dropCaches() {
      days.clear();
      places.clear();
    },
    describePlan: (plan) => describePlan(store, plan),
  };
}

/** Topics on one map. */
const MAX_PLACED = 2_000;
type Places = ReadonlyMap<number, TopicPlace>;

async function placesOf({ topics }: Store): Promise<Places> {
  const listed = await topics.list({}, { limit: MAX_PLACED });
  const places = placeTopics(await topics.centroids(listed.map(({ id }) => id)));
  return new Map(places.map((place) => [place.topicId, place]));
}

async function topicMap(
  { topics }: Store,
  places: SlowValueCache<Places>,
  limit: number,
): Promise<PlacedTopic[]> {
  const [placeOf, listed] = await Promise.all([places.read(), topics.list({}, { limit })]);
  return listed.map((topic) => ({ topic, ...(placeOf.get(topic.id) ?? { topicId: topic.id, x: 0, y: 0 }) }));
}

async function neighbourhood({ entities }: Store, entityId: number, limit: number): Promise<Neighbourhood> {
  const known = new Set([entityId]);
  const edges = new Map<string, Edge>();
  let isCut = false;
  const look = async (id: number) => {
    const found = (await entities.edgesOf(id)).toSorted((a, b) => b.weight - a.weight);
    for (const edge of found) {
      const other = edge.fromEntityId === id ? edge.toEntityId : edge.fromEntityId;
      if (!known.has(other) && known.size >= limit) isCut = true;
      else {
        known.add(other);
        edges.set(`${edge.fromEntityId}/${edge.toEntityId}/${edge.relation}`, edge);
      }
    }
  };
  await look(entityId);
  const related = Array.from(known).slice(1);
  for (const id of related) await look(id);
  const found = await entities.get([...known]);
  if (!found.some(({ id }) => id === entityId))
    throw new MemoryError('NOT_FOUND', `There is no entity ${entityId}.`);
  return { entities: found, edges: [...edges.values()], isCut };
}

const DERIVED_KINDS = ['fact', 'summary', 'loop', 'capsule'] as const;
const PAGE = 1_000;
/** The most episodes of a large memory that are read, newest first. */
const MAX_LOOKED_AT = 20_000;

async function derivedFrom(store: Store, unitId: number): Promise<Derived> {
  const [unit] = await store.units.get([unitId]);
  if (!unit) throw new MemoryError('NOT_FOUND', `There is no unit ${unitId}.`);
  const [mentions, topicIds] = await Promise.all([
    store.entities.ofUnits([unitId]),
    store.topics.ofUnits([unitId]),
  ]);
  const [units, entities, topics] = await Promise.all([
    unitsDerivedFrom(store, unitId),
    store.entities.get([...new Set(mentions.map(({ entityId }) => entityId))]),
    store.topics.get(topicIds.get(unitId) ?? []),
  ]);
  return { units, entities, topics };
}

async function unitsDerivedFrom({ units }: Store, unitId: number): Promise<Unit[]> {
  const found: Unit[] = [];
  let after: UnitPage['after'];
  for (let seen = 0; seen < MAX_LOOKED_AT; seen += PAGE) {
    const page = await units.list(
      { kinds: DERIVED_KINDS, maxSensitivity: 'secret' },
      { limit: PAGE, ...(after && { after }) },
    );
    found.push(...page.filter(({ payload }) => 'evidence' in payload && payload.evidence.includes(unitId)));
    const last = page.at(-1);
    if (page.length < PAGE || !last) break;
    after = { occurredAt: last.occurredAt, unitId: last.id };
  }
  return found;
}
