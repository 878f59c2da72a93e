import { MemoryError, type Edge, type Entity, type UnitEntity } from '../../model/model.ts';
import type { DerivationResult, Store } from '../../store/store.ts';

export interface EntitySplit {
  readonly entityId: number;
  /** Units that mention the other entity. */
  readonly unitIds: readonly number[];
  /** Its name; an existing entity with this name and type is used. */
  readonly name: string;
  readonly type?: Entity['type'];
}

const KIND = 'split_entity';

/**
 * Moves mentions in units to another entity, including relations.
 * @throws MemoryError NOT_FOUND, INVALID_INPUT when the name is the entity's own or none of the units mentions it
 */
export async function splitEntity(store: Store, split: EntitySplit): Promise<Entity> {
  const { entityId, name } = split;
  const [entity] = await store.entities.get([entityId]);
  if (!entity) throw new MemoryError('NOT_FOUND', `There is no entity ${entityId}.`);
  if ([entity.name, ...entity.aliases].includes(name.trim()))
    throw new MemoryError(
      'INVALID_INPUT',
      `“${name}” is a name of this entity; the other one needs its own.`,
    );
  const type = split.type ?? entity.type;
  const mentions = await store.entities.ofUnits([...new Set(split.unitIds)]);
  const edges = await store.entities.edgesOf(entityId);
  let newId: number | null = null;
  for (const [unitId, ofUnit] of Map.groupBy(mentions, (mention) => mention.unitId)) {
    if (!ofUnit.some((mention) => mention.entityId === entityId)) continue;
    const known = await store.entities.get(ofUnit.map((mention) => mention.entityId));
    const unitMentions = { unitId, ofUnit, known, edges };
    await store.units.applyDerivation(derivation(unitMentions, { entityId, name, type }));
    newId ??= await idOf(store, unitId, new Set(known.map(({ id }) => id)));
  }
  const [made] = newId === null ? [] : await store.entities.get([newId]);
  if (made) return made;
  throw new MemoryError('INVALID_INPUT', `None of these units mentions entity ${entityId}.`);
}

interface UnitMentions {
  readonly unitId: number;
  readonly ofUnit: readonly UnitEntity[];
  readonly known: readonly Entity[];
  /** The edges of the original entity. */
  readonly edges: readonly Edge[];
}

function derivation(
  { unitId, ofUnit, known, edges }: UnitMentions,
  { entityId, name, type }: { entityId: number; name: string; type: Entity['type'] },
): DerivationResult {
  const byId = new Map(known.map((entity) => [entity.id, entity]));
  const mentions = ofUnit.map(({ entityId: id, surface, confidence }) => {
    const entity = byId.get(id);
    return id === entityId || !entity
      ? { entityId: null, type, name, aliases: [], surface, confidence }
      : { entityId: id, type: entity.type, name: entity.name, aliases: [], surface, confidence };
  });
  const place = new Map(ofUnit.map(({ entityId: id }, i) => [id, i]));
  const relations = edges.flatMap(({ evidence, fromEntityId, toEntityId, relation, weight }) => {
    const [from, to] = [place.get(fromEntityId), place.get(toEntityId)];
    if (!evidence.includes(unitId) || from === undefined || to === undefined) return [];
    // The weight of an edge is 1 − Π (1 − w) of its units.
    return [{ from, to, relation, weight: 1 - (1 - weight) ** (1 / evidence.length) }];
  });
  return {
    mark: { unitId, kind: KIND, fingerprint: `${entityId}/${name}/${Date.now()}` },
    changes: [],
    mentions,
    relations,
  };
}

/** The entity that the unit mentions now. */
async function idOf(
  { entities }: Store,
  unitId: number,
  before: ReadonlySet<number>,
): Promise<number | null> {
  const now = await entities.ofUnits([unitId]);
  return now.find(({ entityId }) => !before.has(entityId))?.entityId ?? null;
}
