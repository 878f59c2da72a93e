/** Whom and what an episode names, by rules alone. */
import type { Entity, EntityMention } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { isCompanion } from '../guard.ts';
import type { Scene } from '../scene.ts';
import { withoutMarkup, type Candidate } from './candidates.ts';
import { chineseCandidates, chineseSelfName } from './chinese.ts';
import { englishCandidates, englishSelfName } from './english.ts';
import { japaneseCandidates, japaneseSelfName } from './japanese.ts';
import { relationOf } from './kinship.ts';
import { keysOf, mentionOf, resolveNames, type Named } from './resolve.ts';

/** Grows with every change of what the rules find. */
export const RULES_VERSION = 1;

/** Longer texts are judged by their beginning, UTF-16 units. */
const MAX_TEXT_LENGTH = 4_000;
/** A longer text is no talk but a document: what it names without saying what that is, is left alone. */
const MAX_TALK_LENGTH = 800;
/** More of them are a list of terms. */
const MAX_UNTYPED = 5;
const MAX_CANDIDATES = 120;
/** Where only the place in the sentence tells what somebody is, it may be told better elsewhere. */
const SURE_OF_TYPE = 0.5;

/** What is found in an episode. */
export interface Found {
  readonly mentions: readonly EntityMention[];
  /** By their places in `mentions`. */
  readonly relations: readonly { from: number; to: number; relation: string; weight: number }[];
  /** Entities whose type was not known when they were first named, and is told here. */
  readonly learnt: readonly { id: number; type: Entity['type'] }[];
}

const READERS = {
  en: { candidates: englishCandidates, selfName: englishSelfName },
  ja: { candidates: japaneseCandidates, selfName: japaneseSelfName },
  zh: { candidates: chineseCandidates, selfName: chineseSelfName },
};

/** Every name in the words of a scene, whoever it stands for. */
export function candidatesIn(scene: Scene): Candidate[] {
  const text = withoutMarkup(scene.text.slice(0, MAX_TEXT_LENGTH)).toWellFormed();
  const found = READERS[scene.language].candidates(text).slice(0, MAX_CANDIDATES);
  // What the companion names was named before, or is made up.
  if (isCompanion(scene.episode.payload.speaker))
    return found.map((one) => ({ ...one, mayBeNew: false, relation: null }));
  const untyped = found.filter((one) => one.mayBeNew && (one.type === null || one.type === 'other'));
  if (text.length <= MAX_TALK_LENGTH && untyped.length <= MAX_UNTYPED) return found;
  return found.map((one) => (one.type === null || one.type === 'other' ? { ...one, mayBeNew: false } : one));
}

/** Whom and what a scene names, resolved. */
export async function findByRules(store: Store, scene: Scene): Promise<Found> {
  const speaker = speakerOf(scene);
  const candidates = distinct(candidatesIn(scene)).filter((one) => !speaker || !namesSame(one, speaker));
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
      one.confidence >= SURE_OF_TYPE
    )
      learnt.push({ id: entity.id, type: one.type });
  }
  return { mentions, relations, learnt };
}

type Speaker = Candidate &
  Named & {
    /** Whether the speaker goes by a name, or says it here, and not only by a part in the talk. */
    readonly isNamed: boolean;
  };

/** Stands for the companion, whom nothing is learnt of. */
const NOBODY: Named = { name: '', aliases: [], type: null, mayBeNew: false };

/** Parts in a talk that are nobody's name. */
const ROLE_OF_SPEAKER =
  /^(?:user|ai|assistant|system|bot|agent|human|me|i|you|customer|operator|host|guest|client|narrator|unknown|memory|system|speaker ?\w?|ユーザー|私|僕|用户|用戶|我|客户|顾客|助手|客服)$/i;

function speakerOf({ episode, text, language }: Scene): Speaker | null {
  const { speaker } = episode.payload;
  if (isCompanion(speaker)) return null;
  const isRole = ROLE_OF_SPEAKER.test(speaker) || relationOf(speaker) !== null;
  // Two who speak as one, an application, a telephone number: no name of a person.
  if (!isRole && !/^[\p{L}\p{M}][\p{L}\p{M} .'’・·-]{0,39}$/u.test(speaker)) return null;
  const selfName = READERS[language].selfName(text.slice(0, MAX_TEXT_LENGTH));
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

/** One candidate for each name, the surest of them; a name that is part of another's is left to it. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  const byName = new Map<string, Candidate>();
  for (const one of candidates) {
    const known = byName.get(one.name);
    if (!known || worth(one) > worth(known)) byName.set(one.name, one);
  }
  const all = [...byName.values()];
  return all.filter((one) => !all.some((other) => other !== one && isPartOf(one, other)));
}

function worth({ mayBeNew, confidence, relation, type }: Candidate): number {
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

function namesSame(one: Named, speaker: Named): boolean {
  return [speaker.name, ...speaker.aliases].includes(one.name);
}
