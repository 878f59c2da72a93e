/** Selects the turns to forget. */
import { unitsOfKind, MemoryError, type Episode, type Unit } from '../../model/model.ts';
import type { Store, UnitFilter } from '../../store/store.ts';
import { foldName, nameKeys, terms } from '../../text/text.ts';
import type { Wanted } from './request.ts';

/** Includes archived units and secrets: everything can be forgotten. */
export const ANY: UnitFilter = { withArchived: true, maxSensitivity: 'secret' };
const PAGE = 500;
const MAX_FOUND = 100_000;

export interface Selection {
  readonly episodes: readonly Episode[];
  /** Other units that are themselves to be forgotten. Of a note in a file only its earlier text is erased. */
  readonly units: readonly Unit[];
}

/** @throws MemoryError NOT_FOUND, INVALID_INPUT */
export async function select(store: Store, wanted: Wanted): Promise<Selection> {
  switch (wanted.what) {
    case 'turn':
      return { episodes: [await episodeOfTurn(store, wanted.id)], units: [] };
    case 'unit':
      return selectUnits(store, wanted.ids);
    case 'conversation': {
      const episodes = await episodesOf(store, { conversationId: wanted.id });
      if (episodes.length === 0)
        throw new MemoryError('NOT_FOUND', `There is no conversation ${JSON.stringify(wanted.id)}.`);
      return { episodes, units: [] };
    }
    case 'person':
      return { episodes: await episodesAbout(store, wanted.person), units: [] };
    case 'period':
      return { episodes: await episodesOf(store, { from: wanted.from, to: wanted.to }), units: [] };
    case 'everything':
      return { episodes: await episodesOf(store, {}), units: [] };
  }
}

async function episodeOfTurn(store: Store, turnId: number): Promise<Episode> {
  const [turn] = await store.evidence.get([turnId]);
  if (!turn || turn.isForgotten) throw new MemoryError('NOT_FOUND', `There is no turn ${turnId}.`);
  const { conversationId, occurredAt } = turn;
  const near = await episodesOf(store, { conversationId, from: occurredAt, to: occurredAt + 1 });
  const episode = near.find(({ payload }) => payload.turnId === turnId);
  if (!episode)
    throw new MemoryError(
      'NOT_FOUND',
      `Turn ${turnId} has no episode. “omoide rebuild --from turns” creates it again.`,
    );
  return episode;
}

async function selectUnits(store: Store, unitIds: readonly number[]): Promise<Selection> {
  const units = await store.units.get(unitIds);
  const found = new Set(units.map(({ id }) => id));
  const missing = unitIds.find((id) => !found.has(id));
  if (missing !== undefined) throw new MemoryError('NOT_FOUND', `There is nothing with the id ${missing}.`);
  const note = units.find(
    ({ kind, state, version }) => kind === 'note' && state !== 'archived' && version === 1,
  );
  if (note)
    throw new MemoryError(
      'INVALID_INPUT',
      `Unit ${note.id} is a note in a file: remove it from the file first.`,
    );
  return {
    episodes: unitsOfKind('episode', units),
    units: units.filter(({ kind }) => kind !== 'episode'),
  };
}

async function episodesOf(store: Store, filter: UnitFilter): Promise<Episode[]> {
  const episodes = await listAll(store, { ...ANY, ...filter, kinds: ['episode'] });
  return unitsOfKind('episode', episodes);
}

/** What they said, what mentions them, and texts with their name. */
async function episodesAbout(store: Store, person: string | number): Promise<Episode[]> {
  const entities =
    typeof person === 'number' ? await store.entities.get([person]) : await named(store, person);
  if (typeof person === 'number' && entities.length === 0)
    throw new MemoryError('NOT_FOUND', `There is no entity ${person}.`);
  const names = entities.flatMap(({ name, aliases }) => [name, ...aliases]);
  if (typeof person === 'string') names.push(person);
  const folded = new Set(names.map(foldName));
  const mentioned = new Set(await mentionsOf(store, entities));
  const found = new Set<number>();
  for (const name of names) {
    for (const { unitId } of await store.indexes.text.search(terms(name), ANY, MAX_FOUND)) found.add(unitId);
  }
  const isMeant = (episode: Episode) =>
    mentioned.has(episode.id) ||
    folded.has(foldName(episode.payload.speaker)) ||
    (found.has(episode.id) && [...folded].some((name) => saysName(episode, name)));
  return (await episodesOf(store, {})).filter(isMeant);
}

async function mentionsOf(store: Store, entities: readonly { readonly id: number }[]): Promise<number[]> {
  const ids: number[] = [];
  for (const { id } of entities) {
    const mentions = await store.entities.mentionsOf(id, { limit: MAX_FOUND });
    ids.push(...mentions.map(({ unitId }) => unitId));
  }
  return ids;
}

async function named(store: Store, name: string) {
  const found = await store.entities.find(nameKeys(name));
  return [...found.values()].flat().filter(({ type }) => type === 'person');
}

function saysName({ payload }: Episode, name: string): boolean {
  return foldName(`${payload.text} ${payload.imageSummary ?? ''}`).includes(name);
}

/** Every unit that passes, read page by page. */
export async function listAll(store: Store, filter: UnitFilter): Promise<Unit[]> {
  const all: Unit[] = [];
  for (let page = await store.units.list(filter, { limit: PAGE }); ;) {
    all.push(...page);
    const last = page.at(-1);
    if (!last || page.length < PAGE) return all;
    const after = { occurredAt: last.occurredAt, unitId: last.id };
    page = await store.units.list(filter, { limit: PAGE, after });
  }
}
