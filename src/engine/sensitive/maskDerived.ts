/** Masks words in what was learnt from a turn before they were masked in the turn. */
import { hiddenIn, MASK, type Episode, type HiddenWords, type Unit } from '../../model/model.ts';
import type { Store, UnitChange } from '../../store/store.ts';
import { maskStatement } from '../../text/text.ts';
import { ANY, listAll } from '../forgetting/forgetting.ts';
import { higher } from '../maskPolicy.ts';

const DERIVED_KINDS = ['fact', 'summary', 'loop', 'capsule', 'note'] as const;
/** Shorter words are replaced only in units derived from the turn: elsewhere “0815” may mean something else. */
const MIN_DISTINCTIVE_LENGTH = 6;
const REASON = 'masked in the turn it comes from';

type Words = Pick<HiddenWords, 'kind' | 'text'>;

/** Masks them in facts, summaries, open loops, capsules, notes, remarks on turns of the conversation, and topics. */
export async function maskDerived(store: Store, episode: Episode, found: readonly Words[]): Promise<void> {
  const words = found.map(({ text }) => text);
  const derived = await listAll(store, { ...ANY, kinds: DERIVED_KINDS });
  const { conversationId } = episode.payload;
  const turns = await listAll(store, { ...ANY, conversationId, kinds: ['episode'] });
  const changes = [
    ...derived.flatMap((unit) => maskedUnit(unit, episode, found)),
    ...turns.flatMap((unit) => maskedNotes(unit, words)),
  ];
  if (changes.length > 0) await store.units.save(changes, ['embed']);
  await maskTopics(store, episode, words);
}

function maskedUnit(unit: Unit, episode: Episode, words: readonly Words[]): UnitChange[] {
  if (unit.kind === 'episode') return [];
  const isEvidence = 'evidence' in unit.payload && unit.payload.evidence.includes(episode.id);
  const applicable = isEvidence ? words : words.filter(({ text }) => text.length >= MIN_DISTINCTIVE_LENGTH);
  const payload = maskedPayload(unit, applicable);
  const isSame = JSON.stringify(payload) === JSON.stringify(unit.payload);
  const isRaised = isEvidence || (isStated(unit) && !isSame);
  const sensitivity = isRaised ? higher(unit.sensitivity, episode.sensitivity) : unit.sensitivity;
  if (isSame && sensitivity === unit.sensitivity) return [];
  const content = { kind: unit.kind, payload } as Extract<UnitChange, { type: 'add' }>['unit']['content'];
  const set = { sensitivity, ...(!isSame && { content }) };
  return [{ type: 'update', unitId: unit.id, set, reason: REASON }];
}

/** A statement keeps its masked words in the unit itself, since no turn contains them. */
function maskedPayload(unit: Exclude<Unit, Episode>, words: readonly Words[]): Unit['payload'] {
  if (isStated(unit)) return maskStatement(unit, { detects: false, also: words }).masked.payload;
  return withMasks(
    unit.payload,
    words.map(({ text }) => text),
  );
}

function isStated(unit: Exclude<Unit, Episode>): boolean {
  return unit.kind === 'note' || (hiddenIn(unit) ?? []).length > 0;
}

function maskedNotes(unit: Unit, words: readonly string[]): UnitChange[] {
  if (unit.kind !== 'episode') return [];
  const { contextNote, reflection } = unit.payload;
  const topicTags = unit.topicTags.filter((tag) => withMasks(tag, words) === tag);
  const notes = withMasks({ contextNote, reflection }, words);
  const isSame =
    notes.contextNote === contextNote &&
    notes.reflection === reflection &&
    topicTags.length === unit.topicTags.length;
  return isSame ? [] : [{ type: 'update', unitId: unit.id, set: { topicTags, notes }, reason: REASON }];
}

async function maskTopics(store: Store, episode: Episode, words: readonly string[]): Promise<void> {
  const topicIds = (await store.topics.ofUnits([episode.id])).get(episode.id) ?? [];
  for (const { id, title, summary } of await store.topics.get(topicIds)) {
    const shown = withMasks({ title, summary }, words);
    if (shown.title !== title || shown.summary !== summary) await store.topics.update(id, shown);
  }
}

/** The value with the words masked in each of its texts. */
function withMasks<T>(value: T, words: readonly string[]): T {
  const masked = JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? words.reduce((text, word) => text.replaceAll(word, MASK), part) : part,
  ) as T;
  return masked;
}
