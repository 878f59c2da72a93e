/** What was found of personal data and secrets, and its correction. */
import {
  checkMasks,
  MemoryError,
  SENSITIVITIES,
  sensitivityOf,
  unitsOfKind,
  type Episode,
  type SensitiveSpan,
  unitOfKind,
} from '../../model/model.ts';
import { unitPages } from '../../store/store.ts';
import { findSensitive } from '../../text/text.ts';
import { ANY } from '../forgetting/forgetting.ts';
import type { MaskRequest, SensitivePage, SensitiveTurn } from '../memory.ts';
import type { MemoryCore } from '../memoryCore.ts';
import { maskDerived } from './maskDerived.ts';

const DEFAULT_LIMIT = 100;
const SCAN_PAGE = 500;
const REASON = 'masks corrected';

export async function listSensitive(
  { store }: MemoryCore,
  { limit = DEFAULT_LIMIT, after }: SensitivePage,
): Promise<SensitiveTurn[]> {
  const filter = { ...ANY, kinds: ['episode'], minSensitivity: 'private' } as const;
  const units = await store.units.list(filter, { limit, ...(after && { after }) });
  return unitsOfKind('episode', units).map(describe);
}

/** @throws MemoryError NOT_FOUND, INVALID_INPUT, VERSION_CONFLICT */
export async function correctMasks(core: MemoryCore, request: MaskRequest): Promise<SensitiveTurn> {
  const { unitId, places, sensitivity, expectedVersion } = request;
  const { text, masks: before = [] } = (await readEpisode(core, unitId)).payload;
  const masks = places === 'detect' ? findSensitive(text) : checkMasks(places, text);
  const set = { sensitivity: sensitivity ?? sensitivityOf(masks), notes: { masks: [...masks] } };
  const change = { unitId, set, reason: REASON, ...(expectedVersion !== undefined && { expectedVersion }) };
  const saved = unitOfKind('episode', await core.saveUnit({ type: 'update', ...change }));
  core.dropCaches();
  const isNew = ({ from, to }: SensitiveSpan) => !before.some((old) => old.from <= from && to <= old.to);
  const words = masks.filter(isNew).map(({ from, to }) => text.slice(from, to));
  if (words.length > 0) await maskDerived(core.store, saved, words);
  core.wake();
  return describe(saved);
}

/**
 * Masks what the rules find in turns that were added without masks. Turns whose masks were corrected are left as they
 * are. Returns the turns that changed.
 */
export async function maskOld(core: MemoryCore): Promise<number> {
  let changed = 0;
  for await (const page of unitPages(core.store, { ...ANY, kinds: ['episode'] }, { limit: SCAN_PAGE }))
    for (const episode of unitsOfKind('episode', page)) if (await maskOldTurn(core, episode)) changed += 1;
  return changed;
}

async function maskOldTurn(
  core: MemoryCore,
  { id, payload, sensitivity, version }: Episode,
): Promise<boolean> {
  if (payload.masks !== undefined) return false;
  const found = findSensitive(payload.text);
  if (found.length === 0 || (await wasCorrected(core, id))) return false;
  const atLeast = sensitivityOf(found);
  const isLower = SENSITIVITIES.indexOf(sensitivity) < SENSITIVITIES.indexOf(atLeast);
  await correctMasks(core, {
    unitId: id,
    places: found,
    sensitivity: isLower ? atLeast : sensitivity,
    expectedVersion: version,
  });
  return true;
}

async function wasCorrected({ store }: MemoryCore, unitId: number): Promise<boolean> {
  return (await store.units.versions(unitId)).some(({ reason }) => reason === REASON);
}

async function readEpisode({ store }: MemoryCore, unitId: number): Promise<Episode> {
  const [unit] = await store.units.get([unitId]);
  if (!unit) throw new MemoryError('NOT_FOUND', `There is no unit ${unitId}.`);
  if (unit.kind === 'episode') return unit;
  throw new MemoryError('INVALID_INPUT', `Unit ${unitId} is a ${unit.kind}; only turns have masks.`);
}

function describe(episode: Episode): SensitiveTurn {
  const { id: unitId, occurredAt, sensitivity, version, payload } = episode;
  const { turnId, conversationId, turnIndex, speaker, text, masks } = payload;
  return {
    unitId,
    turnId,
    conversationId,
    turnIndex,
    speaker,
    occurredAt,
    sensitivity,
    version,
    text,
    isMasked: masks !== undefined,
    places: (masks ?? (sensitivity === 'normal' ? [] : findSensitive(text))).map((span) => ({
      ...span,
      text: text.slice(span.from, span.to),
    })),
  };
}
