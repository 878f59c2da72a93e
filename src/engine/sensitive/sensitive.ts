/** What was found of personal data and secrets, and its correction. */
import {
  checkMasks,
  hiddenIn,
  hiddenPlaces,
  hideWords,
  joinFields,
  MASK,
  MemoryError,
  sensitivityOf,
  withHiddenWords,
  type Episode,
  type SensitiveSpan,
  type Unit,
} from '../../model/model.ts';
import { unitPages } from '../../store/store.ts';
import { findSensitive, maskStatement } from '../../text/text.ts';
import { ANY } from '../forgetting/forgetting.ts';
import type { MaskRequest, SensitivePage, SensitiveUnit } from '../memory.ts';
import type { MemoryCore } from '../memoryCore.ts';
import { maskDerived } from './maskDerived.ts';
import { higher } from '../maskPolicy.ts';

const DEFAULT_LIMIT = 100;
const SCAN_PAGE = 500;
const REASON = 'masks corrected';

type Statement = Exclude<Unit, Episode>;

export async function listSensitive(
  { store }: MemoryCore,
  { found: wanted, level, limit = DEFAULT_LIMIT, after }: SensitivePage,
): Promise<SensitiveUnit[]> {
  const filter = {
    ...ANY,
    minSensitivity: level ?? 'private',
    ...(level && { maxSensitivity: level }),
  } as const;
  const isWanted = ({ places }: SensitiveUnit) =>
    wanted === undefined || places.some(({ kind }) => kind === wanted);
  const found: SensitiveUnit[] = [];
  let place = after;
  while (found.length < limit) {
    const page = await store.units.list(filter, { limit: SCAN_PAGE, ...(place && { after: place }) });
    found.push(...page.filter(isListed).map(describeSensitive).filter(isWanted));
    const last = page.at(-1);
    if (page.length < SCAN_PAGE || !last) break;
    place = { occurredAt: last.occurredAt, unitId: last.id };
  }
  return found.slice(0, limit);
}

/** What was learnt from a turn is as sensitive as the turn, but has nothing to be corrected. */
function isListed(unit: Unit): boolean {
  if (unit.kind === 'episode') return true;
  return placesIn(unit).length > 0;
}

/** @throws MemoryError NOT_FOUND, INVALID_INPUT, VERSION_CONFLICT */
export async function correctMasks(core: MemoryCore, request: MaskRequest): Promise<SensitiveUnit> {
  const [unit] = await core.store.units.get([request.unitId]);
  if (!unit) throw new MemoryError('NOT_FOUND', `There is no unit ${request.unitId}.`);
  const saved =
    unit.kind === 'episode'
      ? await correctTurn(core, unit, request)
      : await correctStatement(core, unit, request);
  core.dropCaches();
  core.wake();
  return describeSensitive(saved);
}

async function correctTurn(core: MemoryCore, episode: Episode, request: MaskRequest): Promise<Unit> {
  const { unitId, places, sensitivity, expectedVersion } = request;
  const { text, masks: before = [] } = episode.payload;
  const masks = places === 'detect' ? findSensitive(text) : checkMasks(places, text);
  const saved = await core.saveUnit({
    type: 'update',
    unitId,
    set: { sensitivity: sensitivity ?? sensitivityOf(masks), notes: { masks: [...masks] } },
    reason: REASON,
    ...(expectedVersion !== undefined && { expectedVersion }),
  });
  const isNew = ({ from, to }: SensitiveSpan) => !before.some((old) => old.from <= from && to <= old.to);
  const words = masks.filter(isNew).map(({ kind, from, to }) => ({ kind, text: text.slice(from, to) }));
  if (words.length > 0 && saved.kind === 'episode') await maskDerived(core.store, saved, words);
  return saved;
}

async function correctStatement(core: MemoryCore, unit: Statement, request: MaskRequest): Promise<Unit> {
  const { unitId, places, sensitivity, expectedVersion } = request;
  const open = withHiddenWords(unit);
  const masked =
    places === 'detect'
      ? maskStatement({ ...open, payload: { ...open.payload, hidden: undefined } }).masked
      : hideWords(open, checkMasks(places, joinFields(open).text));
  const content = { kind: unit.kind, payload: { ...masked.payload, hidden: hiddenIn(masked) ?? [] } };
  return core.saveExamined({
    type: 'update',
    unitId,
    set: { sensitivity: sensitivity ?? sensitivityOf(hiddenIn(masked) ?? []), content: content as never },
    reason: REASON,
    ...(expectedVersion !== undefined && { expectedVersion }),
  });
}

/**
 * Masks what the rules find in turns, notes and other units that were added without masks. Those whose masks were
 * corrected are left as they are. Returns the number that changed.
 */
export async function maskOld(core: MemoryCore): Promise<number> {
  let changed = 0;
  for await (const page of unitPages(core.store, ANY, { limit: SCAN_PAGE }))
    for (const unit of page) if (await maskOldUnit(core, unit)) changed += 1;
  return changed;
}

async function maskOldUnit(core: MemoryCore, unit: Unit): Promise<boolean> {
  const isExamined =
    unit.kind === 'episode' ? unit.payload.masks !== undefined : hiddenIn(unit) !== undefined;
  if (isExamined) return false;
  const found = placesIn(unit);
  if (found.length === 0 || (await wasCorrected(core, unit.id))) return false;
  await correctMasks(core, {
    unitId: unit.id,
    places: unit.kind === 'episode' ? found : 'detect',
    sensitivity: higher(unit.sensitivity, sensitivityOf(found)),
    expectedVersion: unit.version,
  });
  return true;
}

async function wasCorrected({ store }: MemoryCore, unitId: number): Promise<boolean> {
  return (await store.units.versions(unitId)).some(({ reason }) => reason === REASON);
}

/** What is masked, or what the rules find in a unit that was not examined; of its words as `wordsOf` gives them. */
function placesIn(unit: Unit): readonly SensitiveSpan[] {
  if (unit.kind === 'episode') return unit.payload.masks ?? findSensitive(unit.payload.text);
  if (hiddenIn(unit) !== undefined) return hiddenPlaces(unit);
  const { masked, kinds } = maskStatement(unit);
  return kinds.length === 0 ? [] : hiddenPlaces(masked).filter(({ from, to }) => !isMask(unit, from, to));
}

function isMask(unit: Unit, from: number, to: number): boolean {
  return wordsOf(unit).slice(from, to).includes(MASK);
}

function wordsOf(unit: Unit): string {
  return unit.kind === 'episode' ? unit.payload.text : joinFields(withHiddenWords(unit)).text;
}

/** What is known of it, word for word. */
export function describeSensitive(unit: Unit): SensitiveUnit {
  const { id: unitId, kind, occurredAt, sensitivity, version } = unit;
  const isTurn = unit.kind === 'episode';
  const text = wordsOf(unit);
  const isMasked = isTurn ? unit.payload.masks !== undefined : hiddenIn(unit) !== undefined;
  const places = isMasked || sensitivity !== 'normal' ? placesIn(unit) : [];
  return {
    unitId,
    kind,
    turnId: isTurn ? unit.payload.turnId : null,
    conversationId: isTurn ? unit.payload.conversationId : null,
    turnIndex: isTurn ? unit.payload.turnIndex : null,
    speaker: isTurn ? unit.payload.speaker : null,
    uri: unit.kind === 'note' ? unit.payload.uri : null,
    occurredAt,
    sensitivity,
    version,
    text,
    isMasked,
    places: places.map((span) => ({ ...span, text: text.slice(span.from, span.to) })),
  };
}
