/** Finds the entities in an episode by rules. */
import type { Entity, EntityMention } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { nameCandidates, relationOf, selfNameIn, type NameCandidate } from '../../text/text.ts';
import { isCompanion } from '../guard.ts';
import type { Scene } from '../scene.ts';
import { keysOf, mentionOf, resolveNames, type Named } from './resolve.ts';

/** Increase with every change of the rules' results. */
export const RULES_VERSION = 1;

/** Only this many UTF-16 units of longer texts are read. */
const MAX_TEXT_LENGTH = 4_000;
/** A longer text is a document: names without a known type are ignored in it. */
const MAX_TALK_LENGTH = 800;
/** More of them are a list of terms. */
const MAX_UNTYPED = 5;
const MAX_CANDIDATES = 120;
/** A type that follows only from the position in a sentence may be corrected later. */
const MIN_TYPE_CONFIDENCE = 0.5;

/** The entities found in an episode. */
export interface Found {
  readonly mentions: readonly EntityMention[];
  /** By their indexes in `mentions`. */
  readonly relations: readonly { from: number; to: number; relation: string; weight: number }[];
  /** Known entities of unknown type, and the type found here. */
  readonly learnt: readonly { id: number; type: Entity['type'] }[];
}

/** All candidates for names in the text of a scene. */
export function candidatesIn(scene: Scene): NameCandidate[] {
  const text = scene.text.slice(0, MAX_TEXT_LENGTH);
  const found = nameCandidates(text, scene.language).slice(0, MAX_CANDIDATES);
  // Names in the companion's turns were mentioned before, or are invented.
  if (isCompanion(scene.episode.payload.speaker))
    return found.map((one) => ({ ...one, mayBeNew: false, relation: null }));
  const untyped = found.filter((one) => one.mayBeNew && (one.type === null || one.type === 'other'));
  if (text.length <= MAX_TALK_LENGTH && untyped.length <= MAX_UNTYPED) return found;
  return found.map((one) => (one.type === null || one.type === 'other' ? { ...one, mayBeNew: false } : one));
}

/** The entities that a scene mentions, resolved. */
export async function findByRules(store: Store, scene: Scene): Promise<Found> {
  const speaker = speakerOf(scene);
  const candidates = distinct(candidatesIn(scene)).filter((one) => !speaker || !isSameName(one, speaker));
  const [self = null, ...meant] = await resolveNames(
    store,
    [speaker ?? NOBODY, ...candidates],
    scene.episode,
  );
  const mentions: EntityMention[] = [];
  const relations: Found['relations'][number][] = [];
  const learnt: Found['learnt'][number][] = [];
  const isRelated = candidates.some((one, i) => one.relation !== null && meant[i]);
  if (speaker && self && (speaker.isNamed || isRelated)) mentions.push(mentionOf(speaker, self));
  for (const [i, one] of candidates.entries()) {
    const meantOne = meant[i];
    if (!meantOne) continue;
    mentions.push(mentionOf(one, meantOne));
    const from = mentions.length - 1;
    if (one.relation !== null && self)
      relations.push({ from, to: 0, relation: one.relation, weight: one.confidence });
    const { entity } = meantOne;
    if (
      entity?.type === 'other' &&
      one.type !== null &&
      one.type !== 'other' &&
      one.confidence >= MIN_TYPE_CONFIDENCE
    )
      learnt.push({ id: entity.id, type: one.type });
  }
  return { mentions, relations, learnt };
}

type Speaker = NameCandidate &
  Named & {
    /** Whether the speaker has a name, and not only a role. */
    readonly isNamed: boolean;
  };

/** Represents the companion, about which nothing is learnt. */
const NOBODY: Named = { name: '', aliases: [], type: null, mayBeNew: false };

/** Roles in a conversation, which are not names. */
const ROLE_OF_SPEAKER =
  /^(?:user|ai|assistant|system|bot|agent|human|me|i|you|customer|operator|host|guest|client|narrator|unknown|memory|system|speaker ?\w?|ユーザー|私|僕|用户|用戶|我|客户|顾客|助手|客服)$/i;

function speakerOf({ episode, text, language }: Scene): Speaker | null {
  const { speaker } = episode.payload;
  if (isCompanion(speaker)) return null;
  const isRole = ROLE_OF_SPEAKER.test(speaker) || relationOf(speaker) !== null;
  // Two speakers, an application, a telephone number: not a name of a person.
  if (!isRole && !/^[\p{L}\p{M}][\p{L}\p{M} .'’・·-]{0,39}$/u.test(speaker)) return null;
  const selfName = selfNameIn(text.slice(0, MAX_TEXT_LENGTH), language);
  return {
    at: -1,
    surface: selfName ?? speaker,
    name: speaker,
    aliases: selfName === null ? [] : [selfName],
    type: 'person',
    mayBeNew: true,
    confidence: 0.6,
    relation: null,
    isSpeaker: true,
    isNamed: !isRole || selfName !== null,
  };
}

/** One candidate for each name, the most certain one; names that are part of another are dropped. */
function distinct(candidates: readonly NameCandidate[]): NameCandidate[] {
  const byName = new Map<string, NameCandidate>();
  for (const one of candidates) {
    const known = byName.get(one.name);
    if (!known || scoreOf(one) > scoreOf(known)) byName.set(one.name, one);
  }
  const all = [...byName.values()];
  return all.filter((one) => !all.some((other) => other !== one && isPartOf(one, other)));
}

function scoreOf({ mayBeNew, confidence, relation, type }: NameCandidate): number {
  return (
    Number(mayBeNew) +
    confidence +
    Number(relation !== null) +
    0.1 * Number(type !== null && type !== 'other')
  );
}

function isPartOf(one: Named, other: Named): boolean {
  if (other.type !== 'person' || !other.mayBeNew || one.name.length >= other.name.length) return false;
  const parts = new Set(keysOf(other.name));
  return keysOf(one.name).some((key) => parts.has(key));
}

function isSameName(one: Named, speaker: Named): boolean {
  return [speaker.name, ...speaker.aliases].includes(one.name);
}
