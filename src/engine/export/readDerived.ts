/** Reads the data of a memory other than turns, in the order of an export, which depends on content and not on ids. */
import type { Edge, Entity, Topic, Unit } from '../../model/model.ts';
import { unitPages, type Store } from '../../store/store.ts';
import type { DerivedRecord, MentionsRecord, UnitRecord } from './derivedForm.ts';

const PAGE = 1_000;
const DIGITS = 6;
const KINDS = ['fact', 'summary', 'loop', 'capsule', 'note'] as const;

/** @param episodes the unit of each turn, by the turn's position */
export async function* readDerived(
  store: Store,
  episodes: ReadonlyMap<number, number>,
): AsyncGenerator<DerivedRecord> {
  const units = await listUnits(store);
  const refs = new Map<number, string>();
  for (const [unitId, place] of episodes) refs.set(unitId, `t${place}`);
  units.forEach(({ id }, index) => refs.set(id, `u${index + 1}`));
  const entities = await listEntities(store);
  const entityRefs = new Map(entities.map(({ id }, index) => [id, index + 1]));
  for (const { id, ...entity } of entities)
    yield { omoide: 'entity', ref: entityRefs.get(id) ?? 0, ...entity, salience: rounded(entity.salience) };
  yield* readTopics(store, refs);
  for (const unit of units) yield toRecord(unit, refs, entityRefs);
  yield* readMentions(store, entities, { refs, entityRefs });
}

async function listUnits(store: Store): Promise<Unit[]> {
  const filter = { kinds: KINDS, withArchived: true, maxSensitivity: 'secret' } as const;
  const pages = await Array.fromAsync(unitPages(store, filter, { limit: PAGE, oldestFirst: true }));
  return pages.flat().toSorted((a, b) => a.id - b.id);
}

async function listEntities(store: Store): Promise<Entity[]> {
  const entities: Entity[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.entities.list({}, { limit: PAGE, offset });
    entities.push(...page);
    if (page.length < PAGE) break;
  }
  return entities.toSorted((a, b) => compare(a.type, b.type) || compare(a.name, b.name) || a.id - b.id);
}

async function* readTopics(store: Store, refs: ReadonlyMap<number, string>): AsyncGenerator<DerivedRecord> {
  const topics: { topic: Topic; episodes: string[] }[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.topics.list({}, { limit: PAGE, offset });
    for (const topic of page) {
      const members = await store.topics.membersOf(topic.id, { limit: Math.max(1, topic.members) });
      const episodes = members.flatMap((unitId) => refs.get(unitId) ?? []);
      topics.push({ topic, episodes: episodes.toSorted((a, b) => placeOf(a) - placeOf(b)) });
    }
    if (page.length < PAGE) break;
  }
  topics.sort(
    (a, b) => firstPlace(a.episodes) - firstPlace(b.episodes) || compare(a.topic.title, b.topic.title),
  );
  const topicRefs = new Map(topics.map(({ topic }, index) => [topic.id, index + 1]));
  for (const { topic, episodes } of topics) {
    const { title, summary, source, strength, parentIds } = topic;
    const parents = parentIds.flatMap((id) => topicRefs.get(id) ?? []).toSorted((a, b) => a - b);
    const ref = topicRefs.get(topic.id) ?? 0;
    yield { omoide: 'topic', ref, title, summary, source, strength: rounded(strength), parents, episodes };
  }
}

function placeOf(ref: string): number {
  return Number(ref.slice(1));
}

/** Topics without episodes are last. */
function firstPlace([first]: readonly string[]): number {
  return first === undefined ? Number.MAX_SAFE_INTEGER : placeOf(first);
}

function toRecord(
  unit: Unit,
  refs: ReadonlyMap<number, string>,
  entityRefs: ReadonlyMap<number, number>,
): UnitRecord {
  const { occurredAt, source, state, confidence, salience, sensitivity, pinned, topicTags, scope } = unit;
  const { expiresAt, reinforcement, emotion } = unit;
  const payload: UnitRecord['payload'] = structuredClone(unit.payload);
  if ('evidence' in unit.payload)
    payload['evidence'] = unit.payload.evidence.flatMap((id) => refs.get(id) ?? []);
  if (unit.kind === 'fact' && unit.payload.objectEntityId !== null)
    payload['objectEntityId'] = entityRefs.get(unit.payload.objectEntityId) ?? null;
  if (unit.kind === 'summary' && unit.payload.scope === 'person')
    payload['scopeKey'] = String(entityRefs.get(Number(unit.payload.scopeKey)) ?? '');
  return {
    omoide: 'unit',
    ref: refs.get(unit.id) ?? '',
    kind: unit.kind as UnitRecord['kind'],
    occurredAt,
    source,
    state,
    confidence,
    salience,
    sensitivity,
    pinned,
    topicTags,
    scope,
    expiresAt,
    reinforcement,
    emotion,
    payload,
  };
}

interface Refs {
  readonly refs: ReadonlyMap<number, string>;
  readonly entityRefs: ReadonlyMap<number, number>;
}

async function* readMentions(
  store: Store,
  entities: readonly Entity[],
  { refs, entityRefs }: Refs,
): AsyncGenerator<DerivedRecord> {
  const relations = await readRelations(store, entities, entityRefs);
  const unitIds = [...refs.keys()].toSorted((a, b) => comparePlaces(refs.get(a) ?? '', refs.get(b) ?? ''));
  for (let at = 0; at < unitIds.length; at += PAGE) {
    const page = unitIds.slice(at, at + PAGE);
    const found = Map.groupBy(await store.entities.ofUnits(page), ({ unitId }) => unitId);
    for (const unitId of page) {
      const mentions: MentionsRecord['mentions'] = (found.get(unitId) ?? [])
        .map(({ entityId, surface, confidence }) => ({
          entity: entityRefs.get(entityId) ?? 0,
          surface,
          confidence,
        }))
        .toSorted((a, b) => a.entity - b.entity);
      if (mentions.length === 0) continue;
      yield {
        omoide: 'mentions',
        of: refs.get(unitId) ?? '',
        mentions,
        relations: relations.get(unitId) ?? [],
      };
    }
  }
}

/** For each unit its relations of entities. The weight of a relation is shared equally among its units. */
async function readRelations(
  store: Store,
  entities: readonly Entity[],
  entityRefs: ReadonlyMap<number, number>,
): Promise<Map<number, MentionsRecord['relations']>> {
  const relations = new Map<number, MentionsRecord['relations']>();
  const seen = new Set<string>();
  for (const { id } of entities) {
    for (const edge of await store.entities.edgesOf(id)) {
      const key = `${edge.fromEntityId} ${edge.toEntityId} ${edge.relation}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const record = toRelation(edge, entityRefs);
      for (const unitId of edge.evidence) relations.set(unitId, [...(relations.get(unitId) ?? []), record]);
    }
  }
  for (const [unitId, all] of relations)
    relations.set(
      unitId,
      all.toSorted((a, b) => a.from - b.from || a.to - b.to || compare(a.relation, b.relation)),
    );
  return relations;
}

function toRelation(
  edge: Edge,
  entityRefs: ReadonlyMap<number, number>,
): MentionsRecord['relations'][number] {
  const weight = 1 - (1 - edge.weight) ** (1 / Math.max(1, edge.evidence.length));
  const [from, to] = [entityRefs.get(edge.fromEntityId) ?? 0, entityRefs.get(edge.toEntityId) ?? 0];
  return { from, to, relation: edge.relation, weight: rounded(weight) };
}

/** Orders episodes before other units. */
function comparePlaces(a: string, b: string): number {
  return compare(a.charAt(0), b.charAt(0)) || placeOf(a) - placeOf(b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Rounds, since values that are computed again may differ in the last digits. */
function rounded(value: number): number {
  return Number(value.toFixed(DIGITS));
}
