/** Finds the entities in an episode by a language model. */
import { z } from 'zod';
import { entitySchema as keptEntity, type Entity, type EntityMention } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { foldName, sameName, oneLine } from '../../text/text.ts';
import { hasEvidence, isCompanion, isWorthKeeping } from '../guard.ts';
import type { Scene } from '../scene.ts';
import { candidatesIn, type Found } from './entityRules.ts';
import { keysOf, mentionOf, resolveNames, type Named } from './resolve.ts';

/** The most known entities that a model is shown. */
const MAX_SHOWN = 24;
const MAX_ENTITIES = 24;
const MAX_NAME_LENGTH = 60;
const MAX_RELATION_LENGTH = 32;

const entity = z.object({
  /** The id of one of those shown; null: another entity. */
  known: z.int().nullable(),
  name: z.string(),
  type: keptEntity.shape.type,
  aliases: z.array(z.string()),
  surface: z.string(),
  confidence: z.number().min(0).max(1),
});
export const entitySchema = z.object({
  entities: z.array(entity),
  relations: z.array(z.object({ from: z.string(), to: z.string(), relation: z.string() })),
});
type Reply = z.infer<typeof entitySchema>;

/** Entities that may be meant: their names occur in the text, or turns before mention them. */
export async function shownEntities(store: Store, scenes: readonly Scene[]): Promise<Entity[]> {
  const names = scenes.flatMap((scene) => [
    ...candidatesIn(scene).map((one) => one.name),
    scene.episode.payload.speaker,
  ]);
  const found = await store.entities.find([...new Set(names.flatMap(keysOf))]);
  const earlier = (scenes[0]?.before ?? []).map((episode) => episode.id).reverse();
  const mentions = await store.entities.ofUnits(earlier);
  const before = await store.entities.get([...new Set(mentions.map((mention) => mention.entityId))]);
  const byId = new Map([...[...found.values()].flat(), ...before].map((one) => [one.id, one]));
  return [...byId.values()].slice(0, MAX_SHOWN);
}

/** The values for the prompt. */
export function entityValues(scenes: readonly Scene[], shown: readonly Entity[]): Record<string, string> {
  return {
    known: shown.length === 0 ? '-' : shown.map(formatEntity).join('\n'),
    speakers: [...new Set(scenes.map(({ episode }) => episode.payload.speaker))].join(', '),
  };
}

/** `#12 田中 (person; 田中さん, Tanaka)` */
function formatEntity({ id, name, type, aliases }: Entity): string {
  const plain = (words: string) => oneLine(words).slice(0, MAX_NAME_LENGTH);
  const others = aliases.slice(0, 6).map(plain).join(', ');
  return `#${id} ${plain(name)} (${type}${others === '' ? '' : `; ${others}`})`;
}

/** Keeps the parts of a reply that the text confirms. Entities given as new may turn out to be known. */
export async function keepSupported(
  store: Store,
  scene: Scene,
  shown: readonly Entity[],
  reply: Reply,
): Promise<Found> {
  const named = reply.entities.slice(0, MAX_ENTITIES).flatMap((one) => {
    const checked = check(one, shown, scene);
    return checked ? [checked] : [];
  });
  const meant = await resolveNames(store, named, scene.episode);
  const mentions: EntityMention[] = [];
  for (const [i, one] of named.entries()) {
    const whom = one.known ? { entity: one.known, isName: one.name !== one.known.name } : meant[i];
    if (whom) mentions.push(mentionOf(one, whom));
  }
  const learnt = named.flatMap(({ known, type }) =>
    known?.type === 'other' && type !== null && type !== 'other' ? [{ id: known.id, type }] : [],
  );
  return { ...(await relate(store, scene, mentions, reply.relations)), learnt };
}

type Checked = Named & {
  readonly known: Entity | null;
  readonly surface: string;
  readonly confidence: number;
};

/** Checks an entity of the reply; null when its words are not in the episode, or are not a name. */
function check(given: Reply['entities'][number], shown: readonly Entity[], { text }: Scene): Checked | null {
  const known = shown.find((one) => one.id === given.known) ?? null;
  const [name, surface] = [oneLine(given.name), oneLine(given.surface)];
  const words = [surface, name].find((one) => one !== '' && occursIn(one, text));
  if (words === undefined || words.length > MAX_NAME_LENGTH) return null;
  const isName = occursIn(name, text) && isNameLike(name);
  // “she” is not the name of an unknown person.
  if (!known && !isName) return null;
  const aliases = given.aliases
    .map((alias) => alias.trim())
    .filter((alias) => isNameLike(alias) && occursIn(alias, text));
  return {
    known,
    name: known && !isName ? known.name : name,
    aliases,
    type: given.type,
    mayBeNew: true,
    surface: words,
    confidence: given.confidence,
  };
}

function occursIn(words: string, text: string): boolean {
  return text.includes(words) || hasEvidence(words, text);
}

const PRONOUN =
  /^(?:i|me|my|you|your|he|him|his|she|her|hers|it|its|we|us|our|they|them|their|this|that|someone|somebody|everyone|everybody|user|ai|assistant|friend|friends|mom|mum|dad|mother|father|sister|brother|wife|husband|私|僕|俺|わたし|ぼく|おれ|あたし|あなた|君|彼|彼女|彼ら|彼女たち|あの人|その人|あの子|この人|それ|これ|あれ|自分|みんな|皆|友達|母|父|妹|弟|姉|兄|妻|夫|我|你|您|他|她|它|我们|你们|他们|她们|咱们|自己|大家|那个人|这个人|朋友|妈妈|爸爸|妹妹|姐姐|哥哥|弟弟|老婆|老公|用户|助手)$/i;

function isNameLike(name: string): boolean {
  return isWorthKeeping(name, MAX_NAME_LENGTH) && /\p{L}/u.test(name) && !PRONOUN.test(foldName(name));
}

/** Relations between two mentions, or between one and the speaker, who is then mentioned too. */
async function relate(
  store: Store,
  scene: Scene,
  mentions: EntityMention[],
  given: Reply['relations'],
): Promise<Omit<Found, 'learnt'>> {
  const { speaker } = scene.episode.payload;
  const placeOf = (name: string) =>
    mentions.findIndex((one) =>
      [one.name, one.surface, ...one.aliases].some((own) => own === name || sameName(own, name)),
    );
  const relations: Found['relations'][number][] = [];
  for (const { from, to, relation } of given.slice(0, MAX_ENTITIES)) {
    const words = relation
      .toLowerCase()
      .replaceAll(/[\s_]+/gu, ' ')
      .trim();
    if (words === '' || !isWorthKeeping(words, MAX_RELATION_LENGTH)) continue;
    const isSpeakers = from === speaker || to === speaker;
    if (isSpeakers && !isCompanion(speaker) && placeOf(speaker) < 0) {
      const self = await speakerMention(store, scene);
      if (self) mentions.push(self);
    }
    const ends = { from: placeOf(from), to: placeOf(to) };
    if (ends.from < 0 || ends.to < 0 || ends.from === ends.to) continue;
    const weight = Math.min(mentions[ends.from]?.confidence ?? 0, mentions[ends.to]?.confidence ?? 0);
    relations.push({ ...ends, relation: words, weight });
  }
  return { mentions, relations };
}

async function speakerMention(store: Store, { episode }: Scene): Promise<EntityMention | null> {
  const { speaker } = episode.payload;
  const named = {
    name: speaker,
    aliases: [],
    type: 'person' as const,
    mayBeNew: true,
    surface: speaker,
    confidence: 1,
  };
  const [self] = await resolveNames(store, [named], episode);
  return self ? mentionOf(named, self) : null;
}
