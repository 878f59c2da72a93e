import { MemoryError, type Episode } from '../../model/model.ts';
import type { Memory } from '../memory.ts';
import { episodeEdits, type EpisodeEdits } from './derivedForm.ts';
import type { Origin } from './form.ts';

const UNITS_PER_PAGE = 1_000;

export interface ReadEpisode {
  readonly unitId: number;
  readonly origin: Origin;
  readonly edits: EpisodeEdits | null;
}

export interface OriginReader {
  /**
   * The episode of a turn, with the turn's origin; may be called once for each turn.
   * @throws MemoryError NOT_FOUND when there is no episode
   */
  read(turnId: number): Promise<ReadEpisode>;
}

/** Reads units in the order of their ids, which for episodes is nearly the order of the turns. */
export function createOriginReader(memory: Memory): OriginReader {
  const origins = new Map<number, ReadEpisode>();
  let lastId = 0;
  let unitsRead = 0;
  let unitsThere = 0;

  const readPage = async () => {
    const ids = Array.from({ length: UNITS_PER_PAGE }, (_, i) => lastId + i + 1);
    lastId += UNITS_PER_PAGE;
    const units = await memory.units.get(ids);
    unitsRead += units.length;
    for (const unit of units) {
      if (unit.kind !== 'episode') continue;
      const first = unit.version === 1 ? unit : await firstVersion(memory, unit);
      const { source, sensitivity, scope, payload } = first;
      const { imageSummary, masks, isSpeakerMasked } = payload;
      const origin = {
        source,
        sensitivity,
        scope,
        imageSummary,
        ...(masks && { masks }),
        ...(isSpeakerMasked && { isSpeakerMasked }),
      };
      origins.set(payload.turnId, { unitId: unit.id, origin, edits: episodeEdits(first, unit) });
    }
  };
  const hasMore = async () => {
    if (unitsRead === unitsThere) unitsThere = await countUnits(memory);
    return unitsRead < unitsThere;
  };

  return {
    async read(turnId) {
      while (!origins.has(turnId) && (await hasMore())) await readPage();
      const origin = origins.get(turnId);
      origins.delete(turnId);
      if (origin) return origin;
      throw new MemoryError(
        'NOT_FOUND',
        `Turn ${turnId} has no episode. “omoide rebuild --from turns” creates it again.`,
      );
    },
  };
}

/** Fields that are part of the chain are exported as in the first version, whatever was changed since. */
async function firstVersion(memory: Memory, episode: Episode): Promise<Episode> {
  const [first] = await memory.units.versions(episode.id);
  return first?.version === 1 && first.snapshot.kind === 'episode' ? first.snapshot : episode;
}

async function countUnits(memory: Memory): Promise<number> {
  const { units } = await memory.admin.info();
  return Object.values(units).reduce((sum, count) => sum + count, 0);
}
