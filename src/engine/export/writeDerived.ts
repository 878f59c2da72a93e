/** Imports the data of an export other than turns. */
import {
  MemoryError,
  newUnitSchema,
  parseInput,
  unitText,
  type EntityMention,
  type NewUnitParsed,
  defined,
} from '../../model/model.ts';
import type { Store, UnitChange } from '../../store/store.ts';
import type { SensitivePolicy } from '../../ingest/ingest.ts';
import { maskFound } from '../../text/text.ts';
import { examineWithoutRejecting, higher } from '../maskPolicy.ts';
import type { DerivedRecord, EntityRecord, MentionsRecord, TopicRecord, UnitRecord } from './derivedForm.ts';

const REASON = 'imported';
const PAGE = 500;

/** Whether a memory has any derived data; if so, none is imported. */
export async function holdsDerived(store: Store): Promise<boolean> {
  const { units, topics } = await store.admin.info();
  const { episode: _, ...others } = units;
  if (topics > 0 || Object.values(others).some((count) => count > 0)) return true;
  return (await store.entities.list({}, { limit: 1 })).length > 0;
}

export interface DerivedTarget {
  readonly store: Store;
  /** The unit for each reference to an episode (`t1`). */
  readonly episodes: ReadonlyMap<string, number>;
  readonly unitJobKinds: readonly string[];
  readonly now: number;
  /** For personal data and secrets. Nothing is rejected, since others refer to it. */
  readonly policy: SensitivePolicy;
}

/** @throws MemoryError INVALID_INPUT when a record is invalid */
export async function writeDerived(target: DerivedTarget, given: readonly DerivedRecord[]): Promise<void> {
  const records = ['mask', 'refuse'].includes(target.policy) ? given.map(withMaskedNames) : given;
  const of = <Kind extends DerivedRecord['omoide']>(kind: Kind) =>
    records.filter((record): record is Extract<DerivedRecord, { omoide: Kind }> => record.omoide === kind);
  const units = new Map(target.episodes);
  await writeEdits(target, of('episode'));
  const entities = await writeEntities(target, of('entity'));
  await writeTopics(target, of('topic'));
  await writeUnits(target, of('unit'), { units, entities });
  await writeMentions(target, of('mentions'), { units, entities, records: of('entity') });
  await writeNames(target.store, of('entity'), entities);
}

/** Names and titles are looked up by their words, so these are not kept. */
function withMaskedNames(record: DerivedRecord): DerivedRecord {
  switch (record.omoide) {
    case 'entity':
      return { ...record, name: maskFound(record.name), aliases: record.aliases.map(maskFound) };
    case 'topic':
      return {
        ...record,
        title: maskFound(record.title),
        summary: record.summary === null ? null : maskFound(record.summary),
      };
    case 'unit':
      return { ...record, topicTags: record.topicTags.map(maskFound) };
    case 'mentions':
      return {
        ...record,
        mentions: record.mentions.map((mention) => ({ ...mention, surface: maskFound(mention.surface) })),
      };
    case 'episode':
      return record;
  }
}

async function writeEdits(
  { store, episodes }: DerivedTarget,
  records: readonly Extract<DerivedRecord, { omoide: 'episode' }>[],
): Promise<void> {
  const changes = records.flatMap(({ of, set }): UnitChange[] => {
    const unitId = episodes.get(of);
    return unitId === undefined
      ? []
      : [
          {
            type: 'update',
            unitId,
            set: defined({ ...set, notes: set.notes && defined(set.notes) }),
            reason: REASON,
          },
        ];
  });
  for (let at = 0; at < changes.length; at += PAGE) await store.units.save(changes.slice(at, at + PAGE));
}

/** Creates all entities at once, as temporary mentions of one episode. */
async function writeEntities(
  { store, episodes }: DerivedTarget,
  records: readonly EntityRecord[],
): Promise<Map<number, number>> {
  const [unitId] = episodes.values();
  if (unitId === undefined || records.length === 0) return new Map();
  const mentions = records.map((record) => toMention(record, { surface: record.name, confidence: 1 }));
  const mark = { unitId, kind: 'import', fingerprint: 'entities' };
  await store.units.applyDerivation({ mark, changes: [], mentions });
  const found = await store.entities.ofUnits([unitId]);
  const known = await store.entities.get(found.map(({ entityId }) => entityId));
  const ids = new Map(known.map(({ id, type, name }) => [`${type} ${name}`, id]));
  await store.units.applyDerivation({ mark: { ...mark, fingerprint: 'none' }, changes: [], mentions: [] });
  return new Map(
    records.flatMap(({ ref, type, name }) => {
      const id = ids.get(`${type} ${name}`);
      return id === undefined ? [] : [[ref, id] as const];
    }),
  );
}

function toMention(
  { type, name, aliases }: EntityRecord,
  { surface, confidence }: { surface: string; confidence: number },
  entityId: number | null = null,
): EntityMention {
  return { entityId, type, name, aliases, surface, confidence };
}

async function writeTopics(
  { store, episodes, now }: DerivedTarget,
  records: readonly TopicRecord[],
): Promise<void> {
  const ids = new Map<number, number>();
  for (const { ref, title, summary, source, episodes: refs } of records) {
    const unitIds = refs.flatMap((unitRef) => episodes.get(unitRef) ?? []);
    const entries = unitIds.map((unitId, index) => ({
      mark: { unitId, kind: 'assign_topic', fingerprint: REASON },
      topic: index === 0 ? { title, summary, source } : { sameAs: 0 },
      vector: null,
    }));
    const [topicId] = entries.length > 0 ? await store.topics.assign(entries) : [];
    if (topicId !== undefined) ids.set(ref, topicId);
  }
  const topicOf = (ref: number) => ids.get(ref) ?? { ref: `topic ${ref}` };
  const added = records.filter(({ ref }) => !ids.has(ref));
  const below = records.filter(({ parents }) => parents.length > 0);
  if (added.length > 0 || below.length > 0) {
    await store.journal.apply({
      key: null,
      plan: { at: now, by: REASON, operations: [], refresh: [] },
      topics: [
        ...added.map(({ ref, title, summary, source }) => ({
          type: 'add' as const,
          ref: `topic ${ref}`,
          topic: { title, summary, source },
        })),
        ...below.map(({ ref, parents }) => ({
          type: 'setParents' as const,
          topicId: topicOf(ref),
          parentIds: parents.map(topicOf),
        })),
        ...added.map(({ ref, strength }) => ({
          type: 'refresh' as const,
          topicId: topicOf(ref),
          strength,
          centroid: null,
          centroidEmotion: null,
        })),
      ],
      units: [],
    });
  }
  for (const { ref, strength } of records) {
    const topicId = ids.get(ref);
    if (topicId !== undefined) await store.topics.update(topicId, { strength });
  }
}

interface Known {
  /** By reference; written units are added. */
  readonly units: Map<string, number>;
  readonly entities: ReadonlyMap<number, number>;
}

/** In two steps, since the evidence of a unit may come after it. */
async function writeUnits(
  { store, unitJobKinds, policy }: DerivedTarget,
  records: readonly UnitRecord[],
  known: Known,
): Promise<void> {
  const late: { record: UnitRecord; unitId: number }[] = [];
  for (const record of records) {
    const isWhole = refsOf(record).every((ref) => known.units.has(ref));
    const unit = examined(toUnit(record, known), policy);
    const [saved] = await store.units.save([{ type: 'add', unit, reason: REASON }], unitJobKinds);
    if (!saved) throw new MemoryError('STORE_FAILED', 'The store kept nothing.');
    known.units.set(record.ref, saved.id);
    if (!isWhole || record.reinforcement > 0) late.push({ record, unitId: saved.id });
  }
  for (const { record, unitId } of late) {
    const { content } = examined(toUnit(record, known), policy);
    const set = { content, reinforcement: record.reinforcement };
    await store.units.save([{ type: 'update', unitId, set, reason: REASON }]);
  }
}

function examined(unit: NewUnitParsed, policy: SensitivePolicy): NewUnitParsed {
  const { stated: content, sensitivity } = examineWithoutRejecting(unit.content, policy);
  return { ...unit, content, sensitivity: higher(unit.sensitivity, sensitivity) };
}

function refsOf({ payload }: UnitRecord): string[] {
  const { evidence } = payload;
  return Array.isArray(evidence) ? evidence.filter((ref) => typeof ref === 'string') : [];
}

/** @throws MemoryError INVALID_INPUT */
function toUnit(record: UnitRecord, { units, entities }: Known): NewUnitParsed {
  const { omoide: _, ref, kind, reinforcement: _reinforcement, payload: given, ...fields } = record;
  const payload: Record<string, unknown> = { ...given };
  if ('evidence' in payload) payload['evidence'] = refsOf(record).flatMap((one) => units.get(one) ?? []);
  if (kind === 'fact') payload['objectEntityId'] = entities.get(Number(given['objectEntityId'])) ?? null;
  if (kind === 'summary' && given['scope'] === 'person')
    payload['scopeKey'] = String(entities.get(Number(given['scopeKey'])) ?? '');
  const unit = parseInput(newUnitSchema, { ...fields, content: { kind, payload } }, `the unit ${ref}`);
  if (unitText(unit.content).trim() === '') throw new MemoryError('EMPTY_TEXT');
  return unit;
}

async function writeMentions(
  { store }: DerivedTarget,
  records: readonly MentionsRecord[],
  known: Known & { readonly records: readonly EntityRecord[] },
): Promise<void> {
  const byRef = new Map(known.records.map((record) => [record.ref, record]));
  for (const { of, mentions: given, relations } of records) {
    const unitId = known.units.get(of);
    if (unitId === undefined) continue;
    const mentions = given.flatMap(({ entity, ...mention }) => {
      const record = byRef.get(entity);
      const entityId = known.entities.get(entity);
      return record && entityId !== undefined
        ? [{ ref: entity, mention: toMention(record, mention, entityId) }]
        : [];
    });
    const places = new Map(mentions.map(({ ref }, index) => [ref, index]));
    await store.units.applyDerivation({
      mark: { unitId, kind: 'import', fingerprint: 'mentions' },
      changes: [],
      mentions: mentions.map(({ mention }) => mention),
      relations: relations.flatMap(({ from, to, relation, weight }) => {
        const [fromPlace, toPlace] = [places.get(from), places.get(to)];
        return fromPlace === undefined || toPlace === undefined
          ? []
          : [{ from: fromPlace, to: toPlace, relation, weight }];
      }),
    });
  }
}

const SALIENCE_DIGITS = 6;

/** Restores names and aliases, and salience that was set by hand. */
async function writeNames(
  store: Store,
  records: readonly EntityRecord[],
  ids: ReadonlyMap<number, number>,
): Promise<void> {
  for (const { ref, name, type, aliases, salience } of records) {
    const id = ids.get(ref);
    if (id === undefined) continue;
    const [now] = await store.entities.get([id]);
    const isSame = now && now.salience.toFixed(SALIENCE_DIGITS) === salience.toFixed(SALIENCE_DIGITS);
    const hasSameNames = now && JSON.stringify(now.aliases) === JSON.stringify(aliases);
    if (isSame && hasSameNames) continue;
    await store.entities.update(id, { name, type, aliases, ...(!isSame && { salience }) });
  }
}
