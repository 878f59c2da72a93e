import { MemoryError, type Edge, type Entity } from '../../model/model.ts';
import { foldName, nameKeys } from '../../text/text.ts';
import { parseTexts } from './columns.ts';

/** The number of mentions at which an entity has salience ½. */
const MENTIONS_OF_HALF_SALIENCE = 4;

export interface EntityRow {
  id: number;
  type: Entity['type'];
  name: string;
  aliases: string;
  salience: number | null;
  mentions: number;
  mac: string;
}

export interface EdgeRow {
  fromEntityId: number;
  toEntityId: number;
  relation: string;
  unitId: number;
  weight: number;
}

export function readEntity(row: EntityRow): Entity {
  const { id, type, name, mentions } = row;
  const salience = row.salience ?? mentions / (mentions + MENTIONS_OF_HALF_SALIENCE);
  return { id, type, name, aliases: readAliases(row), salience };
}

export function readAliases(row: Pick<EntityRow, 'aliases'>): string[] {
  return parseTexts(row.aliases);
}

/**
 * A name, and aliases that differ from it and from each other.
 * @throws MemoryError INVALID_INPUT for a blank name
 */
export function distinctNames(given: string, others: readonly string[]): { name: string; aliases: string[] } {
  // The database would return a lone surrogate as another character.
  const [name = '', ...aliases] = [given, ...others].map((name) => name.trim().toWellFormed());
  if (foldName(name) === '') throw new MemoryError('INVALID_INPUT', 'The name of an entity is blank.');
  const byFold = new Map<string, string>();
  for (const alias of aliases) {
    const folded = foldName(alias);
    if (folded !== '' && !byFold.has(folded)) byFold.set(folded, alias);
  }
  byFold.delete(foldName(name));
  return { name, aliases: [...byFold.values()] };
}

/**
 * Combines rows of the same edge. The weight is the probability that at least one unit is right, assuming
 * independence: 1 − Π (1 − w).
 */
export function joinEvidence(rows: readonly EdgeRow[]): Edge[] {
  const edges = Map.groupBy(rows, (row) => JSON.stringify([row.fromEntityId, row.toEntityId, row.relation]));
  return [...edges.values()].map((said) => {
    const { fromEntityId, toEntityId, relation } = said[0]!;
    const doubt = said.reduce((product, { weight }) => product * (1 - weight), 1);
    return { fromEntityId, toEntityId, relation, weight: 1 - doubt, evidence: said.map((row) => row.unitId) };
  });
}

export function placesOf(names: readonly string[]): { folded: Set<string>; keys: Set<string> } {
  return { folded: new Set(names.map(foldName)), keys: new Set(names.flatMap(nameKeys)) };
}
